// Reads the file of private definitions, which only its owner may read, rereads it when it changes, and accepts it as a whole or
// not at all.
import { isUtf8 } from 'node:buffer'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { EXIT_HOPELESS, Fatal, wordsOf } from '../process/fatal.ts'
import { DefinitionFaults, type Definitions, parseDefinitions } from './private-definitions.ts'

const BYTES_MAX = 64 * 1024 * 1024

export interface FileState {
  /** Stamp that changes whenever the file does. */
  stamp: string
  text: string
}

/**
 * Reads a file that only its owner can read. @param trusted_dir a directory that others cannot read, whatever the modes of its
 * files.
 */
export async function readOwnerOnly(path: string, trusted_dir?: string): Promise<FileState> {
  // Opens the file without blocking, because the path may be that of a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return await readGuarded(file, trusted_dir !== undefined && path.startsWith(`${trusted_dir}/`))
  } finally {
    await file.close()
  }
}

async function readGuarded(file: FileHandle, isTrusted: boolean): Promise<FileState> {
  const found = await file.stat()
  const { mode, uid, ino, size, mtimeMs } = found
  if (!found.isFile()) throw new DefinitionFaults(['is not a regular file'])
  if (size > BYTES_MAX) throw new DefinitionFaults([`is larger than ${BYTES_MAX / 1024 / 1024} MiB`])
  if (!isTrusted && (mode & 0o077) !== 0)
    throw new DefinitionFaults(['must be accessible to its owner only; run chmod 600'])
  if (!isTrusted && uid !== 0 && uid !== process.getuid?.()) throw new DefinitionFaults(['belongs to another user'])
  return { stamp: [ino, size, mtimeMs, mode, uid].join(), text: decode(await file.readFile()) }
}

/**
 * Decodes UTF-8 without a byte order mark. Throws DefinitionFaults if the bytes are not UTF-8, because they would decode to other
 * characters.
 */
function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new DefinitionFaults(['must be UTF-8'])
  return new TextDecoder().decode(bytes)
}

export interface DefinitionsFileOptions {
  path: string
  trusted_dir?: string | undefined
  onChange: (definitions: Definitions) => void
  log?: (event: DefinitionsEvent) => void
}

export type DefinitionsEvent =
  | { event: 'definitions_read'; definitions: number }
  | { event: 'definitions_refused'; faults: readonly string[] }

/** A definitions file in its last valid state. */
export class DefinitionsFile {
  readonly #options: DefinitionsFileOptions
  #seen = ''

  constructor(options: DefinitionsFileOptions) {
    this.#options = options
  }

  /** Reads the file for the first time. @throws Fatal that names every fault. */
  async open(): Promise<void> {
    const { path, trusted_dir } = this.#options
    try {
      this.#take(await readOwnerOnly(path, trusted_dir))
    } catch (error) {
      const faults = [`cannot use the definitions in ${path}:`, ...faultsOf(error)]
      throw new Fatal(faults.join('\n  '), EXIT_HOPELESS)
    }
  }

  /** Rereads the file if it has changed. An invalid file has no effect, and is reported once. */
  async refresh(): Promise<void> {
    let stamp = ''
    try {
      const state = await readOwnerOnly(this.#options.path, this.#options.trusted_dir)
      stamp = state.stamp
      if (stamp !== this.#seen) this.#take(state)
    } catch (error) {
      const faults = faultsOf(error)
      const seen = `${stamp} ${faults.join()}`
      if (seen !== this.#seen) this.#options.log?.({ event: 'definitions_refused', faults })
      this.#seen = seen
    }
  }

  #take({ stamp, text }: FileState): void {
    const definitions = parseDefinitions(text)
    this.#seen = stamp
    this.#options.log?.({ event: 'definitions_read', definitions: definitions.size })
    this.#options.onChange(definitions)
  }
}

/** Returns every fault of a file, or the error if it could not be read at all. */
export function faultsOf(error: unknown): readonly string[] {
  return error instanceof DefinitionFaults ? error.faults : [wordsOf(error)]
}
