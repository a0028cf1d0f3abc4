// Makes a fresh clone runnable: installs by the lockfile, finds the pinned Node, builds what has changed. Plain
// JavaScript for any Node from 20 on, and without dependencies, because it runs before there are any.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.js'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installStamp = join(root, 'node_modules', '.dogwatch-install')
const buildStamp = join(root, 'node_modules', '.dogwatch-build')
const modulesLock = join(root, 'node_modules', '.package-lock.json')

/**
 * Installs the dependencies of the lockfile and, with `build`, builds `dist` from the sources, unless both are up to date. Calls
 * `onWork` with what has to be done. Without `onWork`, tells a user who has to wait long for an installation.
 */
export async function prepare({ build: wanted, onWork }) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Fault(`Node 20 or newer is needed; this is ${process.version}`)
  }
  await ensureInstalled(onWork)
  if (wanted) await build(onWork)
}

/** Error that the user can fix. It is shown as one line, without a stack. */
export class Fault extends Error {}

/** Returns the environment of child processes: no tool sends usage data, and tools find this Node before any other. */
export function childEnvironment(node = process.execPath) {
  return {
    ...process.env,
    PATH: [dirname(node), dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
  }
}

/** Returns the path of the Node that runs all our programs. */
export function pinnedNode() {
  const machine = `${process.platform}-${process.arch}`.replace('win32', 'win')
  const files = [`node-${machine}`, `node-bin-${machine}`].flatMap((name) =>
    ['node', 'node.exe'].map((file) => join(root, 'node_modules', name, 'bin', file)),
  )
  const found = files.find((file) => existsSync(file))
  if (found && !(statSync(found).mode & 0o100)) chmodSync(found, 0o755)
  if (found) return found
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new Fault(`Node 24 is not packaged for ${process.platform}-${process.arch}: start with Node 24 or newer`)
}

async function ensureInstalled(onWork) {
  const wanted = installHash()
  if (readIfThere(installStamp) === wanted) return
  onWork?.('installing dependencies')
  const slow = onWork ? undefined : setTimeout(() => say('installing dependencies (first run)'), 2_000)
  await withLock(join(root, '.cache', 'install.lock'), async (alsoHeldBy) => {
    // The process that held the lock before may have installed the dependencies.
    if (readIfThere(installStamp) === wanted) return
    if (!isInstalledByHand()) await install(alsoHeldBy)
    writeFileSync(installStamp, wanted)
  }).finally(() => clearTimeout(slow))
}

function install(alsoHeldBy) {
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error', ...npmCache()]
  const [program, ...args] = npm()
  return quietly(program, [...args, 'ci', ...options], alsoHeldBy).catch((error) => {
    throw new Fault(`npm ci failed: ${error.message}`)
  })
}

function installHash() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  const manifests = workspaces().map((directory) => join(directory, 'package.json'))
  for (const file of [join(root, 'package-lock.json'), join(root, 'package.json'), ...manifests]) {
    hash.update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

// Whether node_modules already has the dependencies of the lockfile, for example because a user ran npm. npm writes its own
// record last, so the record is missing after a killed installation.
function isInstalledByHand() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const present = JSON.parse(readFileSync(modulesLock, 'utf8')).packages
    pinnedNode()
    return Object.keys(wanted).every(
      (name) => name === '' || wanted[name].optional || present[name]?.version === wanted[name].version,
    )
  } catch {
    return false
  }
}

async function build(onWork) {
  if (isBuilt()) return
  onWork?.('building')
  await withLock(join(root, '.cache', 'build.lock'), async (alsoHeldBy) => {
    if (isBuilt()) return
    // Reads the state of the sources before the build, because the build may miss changes that are made while it runs.
    const built = sourcesSeen()
    const args = ['run', 'build', '--output-logs=errors-only', '--ui=stream', '--cache=local:rw']
    await quietly(join(root, 'node_modules', '.bin', 'turbo'), args, alsoHeldBy).catch((error) => {
      throw new Fault(`the build failed: ${error.message}`)
    })
    writeFileSync(buildStamp, built)
  })
}

// Whether the last build is up to date. turbo decides the same, but starting turbo for every command takes time.
function isBuilt() {
  return workspaces().every((each) => existsSync(join(each, 'dist'))) && readIfThere(buildStamp) === sourcesSeen()
}

function sourcesSeen() {
  const hash = createHash('sha256')
  const files = ['package-lock.json', 'tsconfig.base.json', 'turbo.json'].map((name) => join(root, name))
  for (const directory of workspaces()) {
    const sources = readdirSync(join(directory, 'src'), { recursive: true }).sort()
    const names = ['package.json', 'tsconfig.build.json', ...sources.map((name) => join('src', name))]
    files.push(...names.map((name) => join(directory, name)))
  }
  for (const file of files) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file}\0${mtimeMs}\0${size}\0`)
  }
  return hash.digest('hex')
}

function workspaces() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces.map((each) => join(root, each))
}

function npm() {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  const started = process.env.npm_execpath ?? ''
  const script = [started, beside].find((file) => file.endsWith('npm-cli.js') && existsSync(file))
  if (script) return [process.execPath, script]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

// Returns a cache folder inside the project for npm if the home directory is not writable.
function npmCache() {
  if (process.env.npm_config_cache && isWritable(process.env.npm_config_cache)) return []
  try {
    const cache = join(homedir(), '.npm')
    if (isWritable(existsSync(cache) ? cache : homedir())) return []
  } catch {
    // There is no home directory.
  }
  return ['--cache', join(root, '.cache', 'npm')]
}

/** Runs a program without output. If the program fails, its output becomes the error. */
function quietly(program, args, alsoHeldBy) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && !program.endsWith('.exe')
    const child = spawn(program, args, { cwd: root, env: childEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], shell })
    if (child.pid) alsoHeldBy(child.pid)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${signal ?? `status ${code}`}\n${said.trim()}`))
    })
  })
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

// Prints a line to standard error, because standard output belongs to the command.
export function say(line) {
  process.stderr.write(`dogwatch: ${line}\n`)
}
