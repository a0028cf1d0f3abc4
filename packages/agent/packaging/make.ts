// Makes the archives of the agent, one for each platform, and the list of them. An archive that is up to date is kept.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withLock } from '../../../scripts/lock.js'
import { bundleAgent, type Bundle } from './bundle.ts'
import { entriesFor, writeArchive } from './archive.ts'
import { nodeFor, platformHere } from './node-binaries.ts'
import { PLATFORMS, type Platform } from './platforms.ts'

/** One archive, as `archives.json` lists it. */
interface Archive {
  platform: Platform
  file: string
  size: number
  sha256: string
  /** Changes with everything that goes into the archive. */
  made_from: string
}

const FOLDER = fileURLToPath(new URL('../archives/', import.meta.url))
const LIST = 'archives.json'
/** What the server fills in and offers beside the archives. */
const TEMPLATES = ['install.sh', 'Containerfile']

const { values: flags } = parseArgs({
  options: { platform: { type: 'string' }, out: { type: 'string', default: FOLDER } },
})

try {
  await withLock(join(flags.out, '.lock'), () => make(flags.out, wantedPlatforms(flags.platform)))
} catch (error) {
  process.stderr.write(`bundle: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function wantedPlatforms(words: string | undefined): readonly Platform[] | undefined {
  if (words === undefined) return undefined
  if (words === 'all') return PLATFORMS
  return words.split(',').map((word) => {
    const found = PLATFORMS.find((platform) => platform === word)
    if (!found) throw new Error(`there is no platform ${word}: --platform takes all, or of ${PLATFORMS.join(', ')}`)
    return found
  })
}

/** Without `wanted`: this machine's own platform, and those that have an archive already. */
async function make(folder: string, wanted: readonly Platform[] | undefined): Promise<void> {
  await mkdir(folder, { recursive: true })
  const before = await readList(folder)
  const platforms = new Set(wanted ?? [platformHere()])
  const bundle = await bundleAgent()
  const list: Archive[] = []
  for (const platform of PLATFORMS) {
    const old = before.find((archive) => archive.platform === platform)
    if (platforms.has(platform) || old) list.push(await archiveFor(platform, bundle, folder, old))
  }
  for (const name of TEMPLATES) await replace(join(folder, name), await readFile(new URL(name, import.meta.url)))
  await replace(join(folder, LIST), `${JSON.stringify({ version: bundle.version, archives: list }, null, 2)}\n`)
  const kept = new Set([LIST, '.lock', ...TEMPLATES, ...list.map(({ file }) => file)])
  for (const name of await readdir(folder)) if (!kept.has(name)) await rm(join(folder, name), { recursive: true })
}

async function archiveFor(
  platform: Platform,
  bundle: Bundle,
  folder: string,
  old: Archive | undefined,
): Promise<Archive> {
  const node = await nodeFor(platform)
  const entries = await entriesFor(platform, bundle, node)
  const hash = createHash('sha256').update(`${node.name} ${node.version}\0`)
  for (const { path, mode, content } of entries) {
    hash.update(`${path}\0${String(mode)}\0`)
    // The only file that is not read here is Node, which its version names.
    if (content instanceof Uint8Array) hash.update(content)
  }
  const made_from = hash.digest('hex')
  if (old?.made_from === made_from && existsSync(join(folder, old.file))) return old
  const name = `dogwatch-agent-${bundle.version}-${platform}`
  const draft = join(folder, `.${name}.tmp`)
  const began = performance.now()
  const { size, sha256 } = await writeArchive(draft, name, entries)
  // Caches may keep what has this name for good.
  const file = `${name}.${sha256.slice(0, 12)}.tar.gz`
  await rename(draft, join(folder, file))
  const took = ((performance.now() - began) / 1000).toFixed(1)
  process.stderr.write(`bundle: ${file}, ${(size / 1e6).toFixed(1)} MB, in ${took} s\n`)
  return { platform, file, size, sha256, made_from }
}

async function readList(folder: string): Promise<readonly Archive[]> {
  const text = await readFile(join(folder, LIST), 'utf8').catch(() => '{"archives":[]}')
  return (JSON.parse(text) as { archives: Archive[] }).archives
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, content)
  await rename(`${path}.tmp`, path)
}
