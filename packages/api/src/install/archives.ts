// Reads the folder with the archives of the agent, and fills in the installer and the container file next to them.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface Archive {
  /** Platform in Node's words, such as `linux-x64`. */
  platform: string
  file: string
  size: number
  /** SHA-256 checksum of the archive, in hex. */
  sha256: string
}

export interface Archives {
  version: string
  archives: readonly Archive[]
  /** Text of the installer, before its placeholders are filled in. `containerfile`: the same for the container file. */
  script: string
  containerfile: string
}

const LIST = 'archives.json'
const VERSION = /^[0-9a-z.+-]{1,40}$/i
const PLATFORM = /^[a-z0-9]{1,16}-[a-z0-9]{1,16}$/
const FILE = /^[0-9a-z][0-9a-z.+-]{0,150}\.tar\.gz$/i
const SHA256 = /^[0-9a-f]{64}$/
/** Platforms by the name that container tools use for the architecture. */
const IN_CONTAINERS: readonly (readonly [arch: string, platform: string])[] = [
  ['amd64', 'linux-x64'],
  ['arm64', 'linux-arm64'],
]

export class ArchiveFolder {
  readonly path: string
  readonly #make: (() => Promise<void>) | undefined
  #made: Promise<void> | undefined
  #read: { at_ms: number; archives: Archives } | undefined

  /** Opens a folder. `make` updates the folder once, when someone first requests a file in it. */
  constructor(path: string, make?: () => Promise<void>) {
    this.path = path
    this.#make = make
  }

  /** Returns the current content of the folder. Returns undefined if it has no archive. */
  async read(): Promise<Archives | undefined> {
    if (this.#make) await (this.#made ??= this.#make())
    const changed = await stat(join(this.path, LIST)).catch(() => undefined)
    if (!changed) return undefined
    if (this.#read?.at_ms !== changed.mtimeMs) {
      this.#read = { at_ms: changed.mtimeMs, archives: await this.#readAll() }
    }
    return this.#read.archives
  }

  async #readAll(): Promise<Archives> {
    const text = (name: string) => readFile(join(this.path, name), 'utf8')
    const { version, archives } = JSON.parse(await text(LIST)) as Archives
    const isSound = VERSION.test(version) && archives.every((one) => isSoundArchive(one))
    if (!isSound) throw new Error(`${join(this.path, LIST)} is not a list of archives`)
    return { version, archives, script: await text('install.sh'), containerfile: await text('Containerfile') }
  }
}

/** Whether the texts that describe an archive are safe to write into scripts. */
function isSoundArchive({ platform, file, size, sha256 }: Archive): boolean {
  return PLATFORM.test(platform) && FILE.test(file) && Number.isSafeInteger(size) && SHA256.test(sha256)
}

/** Returns the checksums in the format of `sha256sum`. */
export function checksumsOf({ archives }: Archives): string {
  return archives.map(({ sha256, file }) => `${sha256}  ${file}\n`).join('')
}

/** Returns the text of the installer for this server. */
export function scriptOf({ version, archives, script }: Archives, server: string): string {
  const lines = archives.map(({ platform, sha256, file }) => `${platform} ${sha256} ${file}`)
  return fill(script, { SERVER: quoted(server), VERSION: quoted(version), ARCHIVES: lines.join('\n') })
}

/** Returns the text of the container file for this server. Returns undefined if there is no archive for Linux. */
export function containerfileOf({ archives, containerfile }: Archives, server: string): string | undefined {
  const stages = IN_CONTAINERS.flatMap(([arch, platform]) => {
    const archive = archives.find((one) => one.platform === platform)
    return archive ? [stageOf(arch, archive, server)] : []
  })
  return stages.length === 0 ? undefined : fill(containerfile, { SERVER: server, STAGES: stages.join('\n\n') })
}

function stageOf(arch: string, { file, sha256 }: Archive, server: string): string {
  return [
    `FROM \${BASE_IMAGE} AS fetched-${arch}`,
    `ADD ${server}/install/${file} /agent.tar.gz`,
    `RUN echo "${sha256}  /agent.tar.gz" | sha256sum -c - && mkdir /agent && tar -xzf /agent.tar.gz -C /agent --strip-components=1`,
  ].join('\n')
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/@([A-Z]+)@/g, (found, name: string) => values[name] ?? found)
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
