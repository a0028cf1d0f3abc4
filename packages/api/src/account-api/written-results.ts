// Writes the results of an export as bytes. They equal the JSON of `toResult` in wire.ts, which written-results.test.ts
// verifies.
import type { ResultsChunk } from '@dogwatch/domain/export'

type ResultRow = ResultsChunk['rows'] extends Iterable<infer Row> ? Row : never

/** Estimated size of a result in bytes. If results are longer, the buffer has to grow. */
const RESULT_BYTES = 640
/** Upper bound for the bytes of a result, without its texts and the name of its monitor. */
const LEAST_BYTES = 640
/** Maximum number of UTF-8 bytes for one UTF-16 unit of a text. */
const BYTES_OF_UNIT = 3

/** Writes `before`, then the results with commas between them. */
export function writeResults(before: string, rows: ResultsChunk['rows']): Uint8Array {
  const out = new JsonBytes(BYTES_OF_UNIT * before.length + LEAST_BYTES + rows.length * RESULT_BYTES)
  out.text(before)
  let isFirst = true
  for (const row of rows) {
    out.reserve(LEAST_BYTES)
    if (!isFirst) out.ascii(',')
    isFirst = false
    writeResult(out, row)
  }
  return out.written()
}

function writeResult(out: JsonBytes, row: ResultRow): void {
  const { http_status, error, response_sample, cert_expires_at, retries } = row
  out.ascii('{"ran_at":"')
  out.ascii(row.ran_at)
  out.ascii('","monitor_id":')
  out.monitor(row)
  out.ascii(row.success ? ',"success":true,"latency_ms":' : ',"success":false,"latency_ms":')
  out.number(row.latency_ms)
  if (http_status) {
    out.ascii(',"http_status":')
    out.number(http_status)
  }
  if (error) {
    out.ascii(',"error":')
    out.text(JSON.stringify(error))
  }
  if (response_sample) {
    out.ascii(',"response_sample":')
    out.text(JSON.stringify(response_sample))
  }
  writeTimings(out, row)
  if (cert_expires_at !== null) {
    out.ascii(',"cert_expires_at":"')
    out.ascii(cert_expires_at)
    out.ascii('"')
  }
  if (retries !== null) {
    out.ascii(',"retries":')
    out.number(retries)
  }
  out.ascii('}')
}

function writeTimings(out: JsonBytes, { dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms }: ResultRow): void {
  let before = ',"timings":{'
  before = writeTiming(out, before, '"dns_ms":', dns_ms)
  before = writeTiming(out, before, '"connect_ms":', connect_ms)
  before = writeTiming(out, before, '"tls_ms":', tls_ms)
  before = writeTiming(out, before, '"first_byte_ms":', first_byte_ms)
  before = writeTiming(out, before, '"transfer_ms":', transfer_ms)
  if (before === ',') out.ascii('}')
}

/** Writes a timing unless it is null. Returns the text to write before the next timing. */
function writeTiming(out: JsonBytes, before: string, name: string, ms: number | null): string {
  if (ms === null) return before
  out.ascii(before)
  out.ascii(name)
  out.number(ms)
  return ','
}

/**
 * Buffer for JSON. An export writes millions of results, and would take twice the time if it joined each as a text first or called
 * the runtime for each short part.
 */
class JsonBytes {
  #bytes: Buffer
  #end = 0
  /** Written JSON of monitors, by their ids. */
  readonly #monitors = new Map<string, { name: string; written: string }>()

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafe(bytes)
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#end)
  }

  /** Reserves space, which `ascii` and `number` need. After `text`, as much space is reserved as before. */
  reserve(bytes: number): void {
    const least = this.#end + bytes
    if (least <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(least, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  /** Writes a short ASCII text, such as a field name, a time or a number. */
  ascii(text: string): void {
    const bytes = this.#bytes
    const at = this.#end
    const { length } = text
    for (let n = 0; n < length; n++) bytes[at + n] = text.charCodeAt(n)
    this.#end = at + length
  }

  number(value: number): void {
    if (value < 0 || value > 999) return this.ascii(String(value))
    const bytes = this.#bytes
    const hundreds = Math.floor(value / 100)
    const tens = Math.floor(value / 10)
    if (hundreds > 0) bytes[this.#end++] = ZERO + hundreds
    if (tens > 0) bytes[this.#end++] = ZERO + tens - 10 * hundreds
    bytes[this.#end++] = ZERO + value - 10 * tens
  }

  /** Writes a text of any length and any characters. */
  text(text: string): void {
    this.reserve(BYTES_OF_UNIT * text.length + LEAST_BYTES)
    this.#end += this.#bytes.write(text, this.#end)
  }

  monitor({ monitor_id, monitor_name }: ResultRow): void {
    let known = this.#monitors.get(monitor_id)
    if (known?.name !== monitor_name) {
      const name = monitor_name ? `,"monitor_name":${JSON.stringify(monitor_name)}` : ''
      known = { name: monitor_name, written: JSON.stringify(monitor_id) + name }
      this.#monitors.set(monitor_id, known)
    }
    this.text(known.written)
  }
}

const ZERO = 48
