// Finds the Node that an archive brings: the one installed here, or the package that the lockfile names for another platform.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { pinnedNode } from '../../../scripts/bootstrap.js'
import { type NodeBinary, PLATFORMS, type Platform } from './platforms.ts'

interface Locked {
  version: string
  integrity: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CACHE = join(ROOT, '.cache', 'node')
const run = promisify(execFile)

export function platformHere(): Platform {
  const here = `${process.platform}-${process.arch}`
  const found = PLATFORMS.find((platform) => platform === here)
  if (!found) throw new Error(`no archive can be made for ${here}: name others with --platform`)
  return found
}

/** Takes what is installed here, or else fetches the package; either is the one that the lockfile names. */
export async function nodeFor(platform: Platform): Promise<NodeBinary> {
  const short = platform.replace('win32', 'win')
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const name = [`node-${short}`, `node-bin-${short}`].find((one) => packages[`node_modules/${one}`])
  const locked = name === undefined ? undefined : packages[`node_modules/${name}`]
  if (name === undefined || !locked) throw new Error(`the lockfile has no Node for ${platform}`)
  const program = platform.startsWith('win32') ? 'node.exe' : 'node'
  const { version } = locked
  const places = [join(ROOT, 'node_modules', name, 'bin', program), join(CACHE, `${name}-${version}`, program)]
  const found = places.find((path) => existsSync(path))
  if (found !== undefined) return { name, version, path: found }
  // An image of Node brings its own instead of the package.
  const { platform: os, arch, versions } = process
  if (platform === `${os}-${arch}`) return { name: 'node', version: versions.node, path: pinnedNode() }
  return { name, version, path: await fetchFile(name, locked, `bin/${program}`) }
}

/** Finds the native module that opens ICMP sockets, for glibc. Only Linux has such sockets. */
export async function pingModuleFor(platform: Platform): Promise<string | undefined> {
  if (!platform.startsWith('linux-')) return undefined
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const name = `@koromix/koffi-${platform}`
  const locked = packages[`node_modules/${name}`]
  if (!locked) throw new Error(`the lockfile has no ${name}`)
  const file = `${platform.replace('-', '_')}/koffi.node`
  const places = [join(ROOT, 'node_modules', name, file), join(placeOf(name, locked), basename(file))]
  return places.find((path) => existsSync(path)) ?? (await fetchFile(name, locked, file))
}

function placeOf(name: string, { version }: Locked): string {
  return join(CACHE, `${name.replace('/', '+')}-${version}`)
}

/** Fetches a file of a package. `file`: its path in the package. */
async function fetchFile(name: string, locked: Locked, file: string): Promise<string> {
  const { version, integrity } = locked
  const place = placeOf(name, locked)
  await mkdir(CACHE, { recursive: true })
  const draft = await mkdtemp(join(CACHE, 'draft-'))
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const words = ['pack', `${name}@${version}`, '--json', '--pack-destination', draft, '--ignore-scripts']
    const shell = process.platform === 'win32'
    const { stdout } = await run(npm, words, { cwd: ROOT, shell }).catch((error: unknown) => {
      throw new Error(`npm cannot fetch ${name}@${version}: ${error instanceof Error ? error.message : String(error)}`)
    })
    const [packed] = JSON.parse(stdout) as { filename: string }[]
    const archive = join(draft, packed?.filename ?? '')
    const found = `sha512-${createHash('sha512')
      .update(await readFile(archive))
      .digest('base64')}`
    if (found !== integrity) throw new Error(`${name}@${version} is not the package that the lockfile names`)
    await run('tar', ['-xzf', archive, '-C', draft, '--strip-components=2', `package/${file}`])
    await rm(archive)
    await rm(place, { recursive: true, force: true })
    await rename(draft, place)
    return join(place, basename(file))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
