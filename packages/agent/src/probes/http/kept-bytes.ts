// Joins bytes that arrive in pieces. If a target sends single bytes, a separate object for each would take a hundred times the
// memory.

const FIRST_BYTES = 4096

export class KeptBytes {
  readonly #max: number
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0
  #isOurs = false

  /** Keeps the first `max` bytes. */
  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#length
  }

  /** The bytes so far, without a copy. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  add(chunk: Buffer): void {
    const part = chunk.length > this.#max - this.#length ? chunk.subarray(0, this.#max - this.#length) : chunk
    if (part.length === 0) return
    // Keeps the first chunk without a copy, because most bodies come in one chunk.
    if (this.#length === 0) this.#bytes = part
    else this.#append(part)
    this.#length += part.length
  }

  /** Reserves memory for `bytes` bytes, which saves growing in steps. */
  reserve(bytes: number): void {
    this.#grow(Math.min(this.#max, bytes))
  }

  #append(part: Buffer): void {
    const needed = this.#length + part.length
    if (!this.#isOurs || needed > this.#bytes.length) {
      this.#grow(Math.min(this.#max, Math.max(FIRST_BYTES, needed, 2 * this.#bytes.length)))
    }
    part.copy(this.#bytes, this.#length)
  }

  #grow(capacity: number): void {
    const grown = Buffer.allocUnsafeSlow(capacity)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
    this.#isOurs = true
  }
}

const JOINED_BYTES = 16 * 1024

/** Buffer that joins small pieces to larger ones. */
export class SmallPieces {
  #kept = new KeptBytes(JOINED_BYTES)

  /** Adds a piece. Returns the joined bytes once there are enough, and undefined before. */
  joined(piece: Buffer): Buffer | undefined {
    if (this.#kept.length + piece.length < JOINED_BYTES) {
      this.#kept.add(piece)
      return undefined
    }
    const rest = this.take()
    return rest ? Buffer.concat([rest, piece]) : piece
  }

  /** Returns the bytes that are left, or undefined if there are none. */
  take(): Buffer | undefined {
    const { bytes } = this.#kept
    this.#kept = new KeptBytes(JOINED_BYTES)
    return bytes.length > 0 ? bytes : undefined
  }
}
