// Stores rows with COPY ... FROM STDIN, the cheapest way to insert them. None of the rows may be in the table already.
import type pg from 'pg'
import { runQuery, type Wire, WireQuery } from './postgres/wire.ts'

/** Type of the message that contains the rows. A length of four bytes follows it, which includes these four bytes. */
const COPY_DATA = 'd'.charCodeAt(0)
const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1')
const LENGTH_BYTES = 4

class CopyIn extends WireQuery {
  readonly #rows: Buffer
  readonly #waits: boolean

  constructor(text: string, rows: Buffer, waits: boolean) {
    super(text)
    this.#rows = rows
    this.#waits = waits
  }

  /**
   * Sends the statement and its rows. With `waits`, sends the rows later, when Postgres is ready for them. If the statement fails,
   * Postgres ignores the rows.
   */
  override submit(connection: Wire): Error | null {
    if (this.#waits) return super.submit(connection)
    connection.stream.cork()
    const refusal = super.submit(connection)
    this.#send(connection)
    connection.stream.uncork()
    return refusal
  }

  handleCopyInResponse(connection: Wire): void {
    if (this.#waits) this.#send(connection)
  }

  /** Sends the rows without copying them in memory. pg's own message would copy them. */
  #send({ stream }: Wire): void {
    const head = Buffer.alloc(1 + LENGTH_BYTES)
    head.writeUInt8(COPY_DATA)
    head.writeUInt32BE(LENGTH_BYTES + this.#rows.length, 1)
    stream.cork()
    for (const part of [head, this.#rows, COPY_DONE]) stream.write(part)
    stream.uncork()
  }
}

/**
 * Runs one COPY with all its rows, in the format of {@link CopyRows}. With `waits`, sends the rows only when Postgres is ready for
 * them.
 */
export async function copyIn(
  client: Pick<pg.ClientBase, 'query'>,
  text: string,
  rows: Buffer,
  { waits = true } = {},
): Promise<void> {
  await runQuery(client, new CopyIn(text, rows, waits))
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const NONE = -1
const TWO_32 = 2 ** 32
const EPOCH_MS = Date.UTC(2000, 0, 1)
/** Maximum distance from Postgres' epoch, in milliseconds, that a number can express exactly in microseconds. */
const EXACT_MS = Number.MAX_SAFE_INTEGER / 1000 - 1
const HOUR_CHARS = 'YYYY-MM-DDTHH'.length
const DIGIT_0 = '0'.charCodeAt(0)

/**
 * Writer of rows in the binary format of COPY, so that neither side converts numbers and times to text. The caller must use the
 * method of each column's type, because Postgres converts nothing.
 */
export class CopyRows {
  readonly #columns: number
  #bytes: Buffer
  #view: DataView
  #at: number
  /** Maximum size of the present row in bytes, without its texts. */
  #row_bytes = 0
  /** Hour of the last time that was written. `#hour_ms` is its beginning. */
  #hour = ''
  #hour_ms = 0

  /** Starts without rows. `columns`: number of columns. `bytes`: approximate size of all rows. */
  constructor(columns: number, bytes: number) {
    this.#columns = columns
    this.#bytes = Buffer.allocUnsafeSlow(SIGNATURE.length + bytes)
    this.#view = viewOf(this.#bytes)
    this.#at = SIGNATURE.copy(this.#bytes)
  }

  /** Begins a row. The caller then writes its values in order. `bytes`: maximum size of these values, without texts. */
  begin(bytes: number): void {
    this.#row_bytes = bytes
    this.#room(2 + bytes)
    this.#view.setInt16(this.#at, this.#columns)
    this.#at += 2
  }

  none(): void {
    this.#view.setInt32(this.#at, NONE)
    this.#at += 4
  }

  bigint(value: number): void {
    this.#long(Math.floor(value / TWO_32), value)
  }

  integer(value: number): void {
    this.#view.setInt32(this.#at, 4)
    this.#view.setInt32(this.#at + 4, value)
    this.#at += 8
  }

  smallint(value: number | null): void {
    if (value === null) return this.none()
    this.#view.setInt32(this.#at, 2)
    this.#view.setInt16(this.#at + 4, value)
    this.#at += 6
  }

  boolean(value: boolean): void {
    this.#view.setInt32(this.#at, 1)
    this.#view.setUint8(this.#at + 4, value ? 1 : 0)
    this.#at += 5
  }

  text(value: string | null): void {
    if (value === null) return this.none()
    // Also reserves space for the values after the text, because their methods reserve none.
    this.#room(4 + 3 * value.length + this.#row_bytes)
    const length = this.#bytes.write(value, this.#at + 4)
    this.#view.setInt32(this.#at, length)
    this.#at += 4 + length
  }

  /** Writes a time in UTC with six digits after the second. */
  instant(text: string | null): void {
    if (text === null) return this.none()
    const digit = (place: number): number => text.charCodeAt(place) - DIGIT_0
    const two = (place: number): number => 10 * digit(place) + digit(place + 1)
    // Parses the hour only when it changes, because nearly all rows are of one hour.
    if (text.slice(0, HOUR_CHARS) !== this.#hour) {
      this.#hour = text.slice(0, HOUR_CHARS)
      this.#hour_ms = Date.parse(`${this.#hour}:00:00.000Z`) - EPOCH_MS
    }
    const ms = this.#hour_ms + (60 * two(14) + two(17)) * 1000 + digit(20) * 100 + two(21)
    const us = digit(23) * 100 + two(24)
    if (Math.abs(ms) < EXACT_MS) return this.bigint(ms * 1000 + us)
    const far = BigInt(ms) * 1000n + BigInt(us)
    this.#long(Number(far >> 32n), Number(BigInt.asUintN(32, far)))
  }

  /** Returns all rows. The caller must not write more of them. */
  end(): Buffer {
    this.#room(2)
    this.#view.setInt16(this.#at, NONE)
    return this.#bytes.subarray(0, this.#at + 2)
  }

  #long(high: number, low: number): void {
    this.#view.setInt32(this.#at, 8)
    this.#view.setInt32(this.#at + 4, high)
    this.#view.setUint32(this.#at + 8, low)
    this.#at += 12
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const wider = Buffer.allocUnsafeSlow(2 * (this.#at + bytes))
    this.#bytes.copy(wider, 0, 0, this.#at)
    this.#bytes = wider
    this.#view = viewOf(wider)
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
