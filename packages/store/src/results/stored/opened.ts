// Opens sealed rows in Node for readers of whole hours, so that Postgres need not unpack them. The runs equal those of `unsealed` in
// sealed-form.ts, in the form that pages show; test/store/sealed-form.test.ts compares them.

import type { TimingColumns } from '../timings.ts'
import { OFF_PLACE } from './sealed-form.ts'

/** A sealed row, as `OPENED` selects it. */
export interface SealedRow {
  /** Start of its hour. */
  since: string
  runs: number
  first_us: number
  step_us: number
  monitors: string[]
  numbers: Uint8Array
  /** Texts of the runs from `from_run` on, separated by `BETWEEN`. A missing text is empty. */
  errors: string | null
  samples: string | null
  retries: (number | null)[] | null
  cert_expires_at: string | null
  times_us: number[] | null
  latencies: number[] | null
  certs: (string | null)[] | null
  /** Index of the first wanted run, from 0. `until_run` is the index after the last one. */
  from_run: number
  until_run: number
}

/** Separator of texts that are sent as one. If a text contains it, only SQL can separate the texts ({@link openRuns}). */
const BETWEEN = '\u001f'

/**
 * Columns of {@link SealedRow} except `numbers`, from a sealed row `h` with `from_run` and `until_run`. Texts are not sent as
 * JSON, because writing and reading that takes longer than all the rest.
 */
export const OPENED_BUT_NUMBERS = `wire_time(h.since) as since, h.runs, h.first_us, h.step_us, to_json(h.monitors) as monitors,
  ${['errors', 'samples'].map((name) => `array_to_string(h.${name}[h.from_run + 1 : h.until_run], e'\\x1f', '') as ${name}`).join(', ')},
  to_json(h.retries) as retries, wire_time(h.cert_expires_at) as cert_expires_at, to_json(h.times_us) as times_us,
  to_json(h.latencies) as latencies,
  case when h.certs is not null then (
    select json_agg(wire_time(c.at) order by c.n) from unnest(h.certs) with ordinality as c(at, n)) end as certs,
  h.from_run, h.until_run`

export const OPENED = `${OPENED_BUT_NUMBERS}, h.numbers`

/** A run in the form that pages show. */
export interface ResultRow extends TimingColumns {
  ran_at: string
  monitor_id: string
  monitor_name: string
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
  response_sample: string | null
  /** Number of repeated runs before this result. Null if there were none. */
  retries: number | null
  cert_expires_at: string | null
}

export interface DisplayOptions {
  /** Maximum characters of a text. */
  max_chars: number
  /** Names of monitors by id. A monitor without an entry no longer exists. */
  names: ReadonlyMap<string, string>
}

/** Rows that an iterator makes one by one, because all rows of a page at once would outlive a collection of young objects. */
export interface RowsToCome extends Iterable<ResultRow> {
  readonly length: number
}

/** Opens the wanted runs of a sealed row, in the order of their key. Returns undefined if only SQL can separate its texts. */
export function openRuns(row: SealedRow, shown: DisplayOptions): RowsToCome | undefined {
  const length = row.until_run - row.from_run
  if (!areAsMany(row.errors, length) || !areAsMany(row.samples, length)) return undefined
  return { length, [Symbol.iterator]: () => runsOf(row, shown) }
}

function* runsOf(row: SealedRow, { max_chars, names }: DisplayOptions): Generator<ResultRow> {
  const { numbers, runs, monitors, first_us, step_us, times_us, latencies, from_run, until_run } = row
  const [errors, samples] = [textsOf(row.errors), textsOf(row.samples)]
  const monitor_names = monitors.map((id) => names.get(id) ?? '')
  // "2026-11-20T09:"
  const hour = row.since.slice(0, -HOUR_REST.length)
  const numberAt = (place: number, run: number): number =>
    (numbers[(1 + 2 * place) * runs + run] ?? 0) | ((numbers[(2 + 2 * place) * runs + run] ?? 0) << 8)
  for (let run = from_run; run < until_run; run++) {
    const flags = numbers[run] ?? 0
    const off_ms = (numberAt(OFF_PLACE, run) << 16) >> 16
    const monitor = numberAt(OFF_PLACE + 1, run) - 1
    yield {
      ran_at: hour + toRest(times_us?.[run] ?? first_us + step_us * run + off_ms * 1000),
      monitor_id: monitors[monitor] ?? '',
      success: (flags & 1) === 1,
      latency_ms: latencies?.[run] ?? numberAt(1, run),
      http_status: numberAt(0, run),
      error: cut(errors[run - from_run], max_chars),
      response_sample: cut(samples[run - from_run], max_chars),
      dns_ms: flags & 2 ? null : numberAt(2, run),
      connect_ms: flags & 4 ? null : numberAt(3, run),
      tls_ms: flags & 8 ? null : numberAt(4, run),
      first_byte_ms: flags & 16 ? null : numberAt(5, run),
      transfer_ms: flags & 32 ? null : numberAt(6, run),
      retries: row.retries?.[run] ?? null,
      cert_expires_at: row.cert_expires_at ?? row.certs?.[run] ?? null,
      monitor_name: monitor_names[monitor] ?? '',
    }
  }
}

const textsOf = (texts: string | null): string[] => (texts ? texts.split(BETWEEN) : [])

/** Whether the texts can be separated, because none of them contains the separator. */
function areAsMany(texts: string | null, count: number): boolean {
  if (!texts || count === 0) return true
  let found = 1
  for (let at = texts.indexOf(BETWEEN); at >= 0; at = texts.indexOf(BETWEEN, at + 1)) found++
  return found === count
}

const HOUR_REST = '00:00.000000Z'
const DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
const TWO = DIGITS.slice(0, 60).map((digits) => digits.slice(1))

/** Converts microseconds of an hour to the rest of an instant: `59:58.123456Z`. */
function toRest(us: number): string {
  const ms = Math.floor(us / 1000)
  const sec = Math.floor(ms / 1000)
  return `${TWO[Math.floor(sec / 60)]}:${TWO[sec % 60]}.${DIGITS[ms % 1000]}${DIGITS[us % 1000]}Z`
}

/** Cuts a text by characters, like Postgres. Some characters are two units in JavaScript. */
function cut(text: string | undefined, max_chars: number): string | null {
  if (text === undefined || text === '' || max_chars === 0) return null
  return text.length <= max_chars ? text : Array.from(text).slice(0, max_chars).join('')
}
