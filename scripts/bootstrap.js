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
 * After this the dependencies are those of the lockfile and, with `build`, `dist` is that of the sources. `onWork` is told what
 * has to be done for that; left out, whoever waits long for an installation is told so.
 */
export async function prepare({ build: wanted, onWork }) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Fault(`Node 20 or newer is needed; this is ${process.version}`)
  }
  await ensureInstalled(onWork)
  if (wanted) await build(onWork)
}

/** An error that the user can fix: shown as one line, without a stack. */
export class Fault extends Error {}

/** The environment of child processes: nothing phones home, and tools find this Node before any other. */
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

/** The Node that everything of ours runs on. */
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
    // The process that held the lock before us may have done it.
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

// npm writes its own record of node_modules last, so after a killed install it is missing.
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
    // Before the build: what changes while it runs is not part of it.
    const built = sourcesSeen()
    const args = ['run', 'build', '--output-logs=errors-only', '--ui=stream', '--cache=local:rw']
    await quietly(join(root, 'node_modules', '.bin', 'turbo'), args, alsoHeldBy).catch((error) => {
      throw new Fault(`the build failed: ${error.message}`)
    })
    writeFileSync(buildStamp, built)
  })
}

// turbo decides what to build; this only saves asking it for every command that people type.
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

// Without a writable home, npm gets a cache inside the project.
function npmCache() {
  if (process.env.npm_config_cache && isWritable(process.env.npm_config_cache)) return []
  try {
    const cache = join(homedir(), '.npm')
    if (isWritable(existsSync(cache) ? cache : homedir())) return []
  } catch {
    // No home at all.
  }
  return ['--cache', join(root, '.cache', 'npm')]
}

/** Runs a program silently. If it fails, its output is the error. */
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

// Never on standard output, which belongs to the command.
export function say(line) {
  process.stderr.write(`dogwatch: ${line}\n`)
}
