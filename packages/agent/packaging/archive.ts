// What is in an archive, and a writer for it. The same content always gives the same bytes, and so the same checksum.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { AGENT_FLAGS } from '../bin/node-flags.js'
import { type Bundle, levelFolder } from './bundle.ts'
import { pingModuleFor } from './node-binaries.ts'
import type { NodeBinary, Platform } from './platforms.ts'

export interface Entry {
  path: string
  mode: number
  /** A string is the path of a file on this machine; a link leads to another path. */
  content: Uint8Array | string | { link: string }
}

export const PROGRAM = 0o755
export const FILE = 0o644
const BLOCK = 512
const NO_TIME = 0

export async function entriesFor(platform: Platform, bundle: Bundle, node: NodeBinary): Promise<Entry[]> {
  const isWindows = platform.startsWith('win32')
  const own = async (path: string, name: string, mode = FILE): Promise<Entry> => ({
    path,
    mode,
    content: await readFile(new URL(name, import.meta.url)),
  })
  const pingModule = await pingModuleFor(platform)
  const launcher = isWindows
    ? { path: 'bin/dogwatch-agent.cmd', mode: FILE, content: await launcherFrom('launcher.cmd') }
    : { path: 'bin/dogwatch-agent', mode: PROGRAM, content: await launcherFrom('launcher.sh') }
  return [
    launcher,
    { path: `bin/${isWindows ? 'node.exe' : 'node'}`, mode: PROGRAM, content: node.path },
    ...Array.from(bundle.code, ([name, text]) => ({ path: `lib/${name}`, mode: FILE, content: Buffer.from(text) })),
    { path: 'lib/classic-level.node', mode: FILE, content: await readFile(await levelFor(platform)) },
    ...(pingModule === undefined ? [] : [{ path: 'lib/koffi.node', mode: FILE, content: await readFile(pingModule) }]),
    { path: 'lib/package.json', mode: FILE, content: Buffer.from('{ "type": "module" }\n') },
    ...(isWindows
      ? []
      : [
          await own('lib/dogwatch-agent.service', '../systemd/dogwatch-agent.service'),
          await own('lib/uninstall.sh', 'uninstall.sh', PROGRAM),
        ]),
    await own('LICENSE', '../../../LICENSE'),
    { path: 'LICENSE-third-party', mode: FILE, content: Buffer.from(bundle.licenses) },
    { path: 'VERSION', mode: FILE, content: Buffer.from(`${bundle.version}\n`) },
  ]
}

async function launcherFrom(name: string): Promise<Buffer> {
  const text = await readFile(new URL(name, import.meta.url), 'utf8')
  return Buffer.from(text.replaceAll('@FLAGS@', AGENT_FLAGS.join(' ')))
}

/** The native part for a platform, for glibc where there are several. */
async function levelFor(platform: Platform): Promise<string> {
  const folder = join(levelFolder(), 'prebuilds')
  const [os = '', arch = ''] = platform.split('-')
  const name = (await readdir(folder)).find((one) => {
    const [its_os, its_arch = ''] = one.split('-')
    return its_os === os && its_arch.split('+').includes(arch)
  })
  if (name === undefined) throw new Error(`classic-level has no native part for ${platform}`)
  const file = (await readdir(join(folder, name))).find((one) => one.endsWith('.node') && !one.includes('musl'))
  return join(folder, name, file ?? '')
}

/** Writes a gzipped tar with everything under one folder. Returns its size and its checksum. */
export async function writeArchive(
  file: string,
  folder: string,
  entries: readonly Entry[],
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  const measure = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(Readable.from(tar(folder, entries)), createGzip({ level: 6 }), measure, createWriteStream(file))
  return { size, sha256: hash.digest('hex') }
}

async function* tar(folder: string, entries: readonly Entry[]): AsyncGenerator<Buffer> {
  for (const { path, mode, content } of entries) {
    if (typeof content === 'object' && 'link' in content) {
      yield header(`${folder}/${path}`, mode, 0, content.link)
      continue
    }
    const size = typeof content === 'string' ? (await stat(content)).size : content.length
    yield header(`${folder}/${path}`, mode, size)
    if (typeof content === 'string') yield* createReadStream(content) as AsyncIterable<Buffer>
    else yield Buffer.from(content)
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** The ustar header of a file, or of a link, that belongs to root. */
function header(path: string, mode: number, size: number, link = ''): Buffer {
  const [folder, name] = split(path)
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number): number =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  block.write(name, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(NO_TIME, 136, 12)
  block.write(' '.repeat(8), 148)
  block.write(link === '' ? '0' : '2', 156)
  if (Buffer.byteLength(link) > MOST_NAME) throw new Error(`${link} is too long for an archive`)
  block.write(link, 157)
  block.write('ustar\x0000', 257)
  block.write('root', 265)
  block.write('root', 297)
  block.write(folder, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

const MOST_NAME = 100
const MOST_FOLDER = 155

/** A long path is split at one of its slashes; what unpacks it puts the slash back. */
function split(path: string): [folder: string, name: string] {
  if (Buffer.byteLength(path) <= MOST_NAME) return ['', path]
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const [folder, name] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(name) > MOST_NAME) break
    if (Buffer.byteLength(folder) <= MOST_FOLDER) return [folder, name]
  }
  throw new Error(`${path} is too long for an archive`)
}
