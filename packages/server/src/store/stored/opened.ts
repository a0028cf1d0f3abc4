// Opens sealed rows in Node, for whoever reads whole hours: Postgres need not unpack them. It gives the same as `unsealed` of
// sealed-form.ts, as results are shown; test/store/sealed-form.test.ts compares them.
import { OFF_PLACE } from './sealed-form.ts'
import type { TimingColumns } from './timings.ts'

/** A sealed row as `OPENED` selects it. */
export interface SealedRow {
  /** The beginning of its hour. */
  since: string
  runs: number
  first_us: number
  step_us: number
  monitors: string[]
  numbers: Uint8Array
  errors: (string | null)[] | null
  samples: (string | null)[] | null
  retries: (number | null)[] | null
  cert_expires_at: string | null
  times_us: number[] | null
  latencies: number[] | null
  certs: (string | null)[] | null
}

/** Selects what `openRuns` takes, of a sealed row `h`. */
export const OPENED = `wire_time(h.since) as since, h.runs, h.first_us, h.step_us, to_json(h.monitors) as monitors, h.numbers,
  to_json(h.errors) as errors, to_json(h.samples) as samples, to_json(h.retries) as retries,
  wire_time(h.cert_expires_at) as cert_expires_at, to_json(h.times_us) as times_us, to_json(h.latencies) as latencies,
  case when h.certs is not null then (
    select json_agg(wire_time(c.at) order by c.n) from unnest(h.certs) with ordinality as c(at, n)) end as certs`

/** A run as it is shown. */
export interface OpenedRun extends TimingColumns {
  ran_at: string
  monitor_id: string
  success: boolean
  latency_ms: number
  http_status: number
  error: string | null
  response_sample: string | null
  retries: number | null
  cert_expires_at: string | null
  monitor_name: string
}

export interface Shown {
  /** Of texts, so many characters. */
  max_chars: number
  /** What monitors are called; those that are not named are gone. */
  names: ReadonlyMap<string, string>
}

/** The runs of a sealed row in the order of their key. */
export function openRuns(row: SealedRow, { max_chars, names }: Shown): OpenedRun[] {
  const { numbers, runs, monitors, first_us, step_us, times_us, latencies } = row
  const [errors, samples] = [row.errors ?? [], row.samples ?? []]
  const monitor_names = monitors.map((id) => names.get(id) ?? '')
  // "2026-11-20T09:"
  const hour = row.since.slice(0, -HOUR_REST.length)
  const numberAt = (place: number, run: number): number =>
    (numbers[(1 + 2 * place) * runs + run] ?? 0) | ((numbers[(2 + 2 * place) * runs + run] ?? 0) << 8)
  const opened: OpenedRun[] = []
  for (let run = 0; run < runs; run++) {
    const flags = numbers[run] ?? 0
    const off_ms = (numberAt(OFF_PLACE, run) << 16) >> 16
    const monitor = numberAt(OFF_PLACE + 1, run) - 1
    opened.push({
      ran_at: hour + toRest(times_us?.[run] ?? first_us + step_us * run + off_ms * 1000),
      monitor_id: monitors[monitor] ?? '',
      success: (flags & 1) === 1,
      latency_ms: latencies?.[run] ?? numberAt(1, run),
      http_status: numberAt(0, run),
      error: cut(errors[run], max_chars),
      response_sample: cut(samples[run], max_chars),
      dns_ms: flags & 2 ? null : numberAt(2, run),
      connect_ms: flags & 4 ? null : numberAt(3, run),
      tls_ms: flags & 8 ? null : numberAt(4, run),
      first_byte_ms: flags & 16 ? null : numberAt(5, run),
      transfer_ms: flags & 32 ? null : numberAt(6, run),
      retries: row.retries?.[run] ?? null,
      cert_expires_at: row.cert_expires_at ?? row.certs?.[run] ?? null,
      monitor_name: monitor_names[monitor] ?? '',
    })
  }
  return opened
}

const HOUR_REST = '00:00.000000Z'
const DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))
const TWO = DIGITS.slice(0, 60).map((digits) => digits.slice(1))

/** Microseconds of an hour as the rest of an instant: `59:58.123456Z`. */
function toRest(us: number): string {
  const ms = Math.floor(us / 1000)
  const sec = Math.floor(ms / 1000)
  return `${TWO[Math.floor(sec / 60)]}:${TWO[sec % 60]}.${DIGITS[ms % 1000]}${DIGITS[us % 1000]}Z`
}

/** As Postgres cuts: by characters, of which some are two units here. */
function cut(text: string | null | undefined, max_chars: number): string | null {
  if (text === null || text === undefined || text === '' || max_chars === 0) return null
  return text.length <= max_chars ? text : Array.from(text).slice(0, max_chars).join('')
}
