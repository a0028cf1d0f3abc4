// The number of results in the buffer, in a file beside it: it tells how many a damaged disk has lost.
import { close, constants, fdatasync, open, read, write } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

// Descriptors and not handles: one that nobody closes is no fault of a process that ends.
const [openFile, readFile, writeFile] = [promisify(open), promisify(read), promisify(write)]
const [syncFile, closeFile] = [promisify(fdatasync), promisify(close)]

const WIDTH = 16

/**
 * Never above what is on disk, whenever the machine stops: it is raised after results are synced, and lowered and
 * synced before any are deleted. After a power failure it may be a little too low, so a loss is never claimed where
 * there is none.
 */
export class Tally {
  /** Undefined when nothing readable was there. */
  readonly found: number | undefined
  readonly #path: string
  #file: number | undefined
  #count = 0
  /** Writes go one after the other: the last one stays. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, file: number | undefined, found: number | undefined) {
    this.#path = path
    this.#file = file
    this.found = found
  }

  /** Does not reject: results are stored and sent without it, too. */
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

  /** Starts again from a fresh count. */
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

  /** A count that may be too high would claim losses that did not happen. */
  async #giveUp(file: number): Promise<void> {
    this.#file = undefined
    await closeFile(file).catch(() => undefined)
    await rm(this.#path, { force: true }).catch(() => undefined)
  }
}
