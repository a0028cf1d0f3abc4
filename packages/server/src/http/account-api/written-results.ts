// Writes the results of an export as bytes. They are what `toResult` of wire.ts has, as JSON; written-results.test.ts compares them.
import type { ResultsChunk } from '../../domain/export.ts'

type ResultRow = ResultsChunk['rows'][number]

/** About what a result takes. Only longer ones cost another buffer. */
const RESULT_BYTES = 640
const LEAST_BYTES = 256
/** UTF-8 has no more for one unit of a text. */
const BYTES_OF_UNIT = 3

/**
 * `before`, then the results with commas between them. Each is encoded by itself: an export writes millions, and joining them to a text of
 * a page first takes twice the time.
 */
export function writeResults(before: string, rows: readonly ResultRow[]): Uint8Array {
  let bytes = Buffer.allocUnsafe(BYTES_OF_UNIT * before.length + LEAST_BYTES + rows.length * RESULT_BYTES)
  let end = bytes.write(before)
  for (const [index, row] of rows.entries()) {
    const text = index === 0 ? writeResult(row) : `,${writeResult(row)}`
    const most = end + BYTES_OF_UNIT * text.length
    if (most > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(most, 2 * bytes.length))
      bytes.copy(larger, 0, 0, end)
      bytes = larger
    }
    end += bytes.write(text, end)
  }
  return bytes.subarray(0, end)
}

function writeResult(row: ResultRow): string {
  const { latency_ms, http_status, error, response_sample, cert_expires_at, retries } = row
  let text = `{"ran_at":"${row.ran_at}","monitor_id":${JSON.stringify(row.monitor_id)}`
  if (row.monitor_name) text += `,"monitor_name":${JSON.stringify(row.monitor_name)}`
  text += row.success ? ',"success":true' : ',"success":false'
  text += `,"latency_ms":${latency_ms}`
  if (http_status) text += `,"http_status":${http_status}`
  if (error) text += `,"error":${JSON.stringify(error)}`
  if (response_sample) text += `,"response_sample":${JSON.stringify(response_sample)}`
  text += writeTimings(row)
  if (cert_expires_at !== null) text += `,"cert_expires_at":"${cert_expires_at}"`
  if (retries !== null) text += `,"retries":${retries}`
  return `${text}}`
}

function writeTimings({ dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms }: ResultRow): string {
  let text = ''
  if (dns_ms !== null) text += `,"dns_ms":${dns_ms}`
  if (connect_ms !== null) text += `,"connect_ms":${connect_ms}`
  if (tls_ms !== null) text += `,"tls_ms":${tls_ms}`
  if (first_byte_ms !== null) text += `,"first_byte_ms":${first_byte_ms}`
  if (transfer_ms !== null) text += `,"transfer_ms":${transfer_ms}`
  return text === '' ? '' : `,"timings":{${text.slice(1)}}`
}
