// Stores the number of results in the buffer in a file beside it, which shows how many results a damaged disk has lost.
import { close, constants, fdatasync, open, read, write } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

// Uses descriptors instead of handles, because a process may end with an open descriptor.
const [openFile, readFile, writeFile] = [promisify(open), promisify(read), promisify(write)]
const [syncFile, closeFile] = [promisify(fdatasync), promisify(close)]

const WIDTH = 16

/**
 * A count that never exceeds the results on disk, even if the machine stops: it rises after their sync, and is lowered and synced
 * before any deletion. A power failure may leave it too low, so it never claims a loss wrongly.
 */
export class Tally {
  /** Count that the file contained when it was opened. Absent if the file had no readable count. */
  readonly found: number | undefined
  readonly #path: string
  #file: number | undefined
  #count = 0
  /** The chain of writes. They run one after another, so that the last count stays. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, file: number | undefined, found: number | undefined) {
    this.#path = path
    this.#file = file
    this.found = found
  }

  /** Opens the file. Does not reject, because the agent can store and send results without a tally. */
  static async open(path: string): Promise<Tally> {
    try {
      const file = await openFile(path, constants.O_RDWR | constants.O_CREAT, 0o600)
      const { buffer, bytesRead } = await readFile(file, Buffer.alloc(WIDTH + 2), 0, WIDTH + 2, 0)
      const text = buffer.toString('latin1', 0, bytesRead)
      return new Tally(path, file, /^\d{16}\n$/.test(text) ? Number(text) : undefined)
    } catch {
      return new Tally(path, undefined, undefined)
    }
  }

  /** Starts again from the given count. */
  async begin(count: number): Promise<void> {
    this.#count = count
    await this.#write(true)
  }

  async raise(by: number): Promise<void> {
    if (by === 0) return
    this.#count += by
    await this.#write(false)
  }

  async lower(by: number): Promise<void> {
    if (by === 0) return
    this.#count = Math.max(0, this.#count - by)
    await this.#write(true)
  }

  async close(): Promise<void> {
    await this.#writing
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) await closeFile(file).catch(() => undefined)
  }

  #write(isSynced: boolean): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const file = this.#file
      if (file === undefined) return
      try {
        await writeFile(file, `${String(this.#count).padStart(WIDTH, '0')}\n`, 0)
        if (isSynced) await syncFile(file)
      } catch {
        await this.#giveUp(file)
      }
    })
    return this.#writing
  }

  /** Deletes the file after a failed write, because a count that may be too high would claim losses that did not happen. */
  async #giveUp(file: number): Promise<void> {
    this.#file = undefined
    await closeFile(file).catch(() => undefined)
    await rm(this.#path, { force: true }).catch(() => undefined)
  }
}
