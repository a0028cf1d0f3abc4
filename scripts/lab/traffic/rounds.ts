// Which results an agent has at which time. They can be computed again, so that acknowledged results can be compared
// with the database without keeping them.
import type { Unit } from './units.ts'

/** How often an agent uploads its new results. */
export const UPLOAD_MS = 2000
const INTERVAL_MS = 60_000
/** An unsteady check fails for this many minutes, and then succeeds for as many. */
const MINUTES_DOWN = 5
const MINUTES_WELL = 5
/** One result of this many fails alone. */
const LONE_FAILURE = 1000
const ERROR = 'status 503 is not below 400; body does not contain "ready"'
const SAMPLE =
  '<html><head><title>503 Service Unavailable</title></head><body>The server is busy, try again.</body></html>'

/** What one monitor of a unit runs. */
export interface Share {
  monitor_id: string
  /**
   * The checks of each of its uploads, in turn: each check once in two intervals, alternating with the other monitor.
   */
  slices: Slice[]
}

interface Slice {
  /** The beginning of each result. */
  heads: string[]
  guids: string[]
  /** The minute at which an unsteady check begins to fail; NaN for others. */
  phases: number[]
}

export interface Found {
  guid: string
  ran_at: string
  success: boolean
}

export function sharesOf({ monitors, guids, unsteady }: Unit): Share[] {
  const slices = (INTERVAL_MS / UPLOAD_MS) * monitors.length
  const moving = new Map(unsteady.map((guid, place) => [guid, place % (MINUTES_DOWN + MINUTES_WELL)]))
  return monitors.map(({ id }, rank) => {
    const share = Array.from({ length: slices }, (): Slice => ({ heads: [], guids: [], phases: [] }))
    for (const [place, guid] of guids.entries()) {
      const slice = share[(place + (rank * slices) / monitors.length) % slices] as Slice
      slice.heads.push(`{"check_guid":"${guid}","monitor_id":"${id}","ran_at":"`)
      slice.guids.push(guid)
      slice.phases.push(moving.get(guid) ?? Number.NaN)
    }
    return { monitor_id: id, slices: share }
  })
}

/** The body of the upload with this number, due at a time in milliseconds since the Unix epoch. */
export function bodyOf({ slices }: Share, number: number, due: number): string {
  const slice = slices[number % slices.length] as Slice
  const moment = momentOf(due)
  let body = '{"results":['
  for (let place = 0; place < slice.heads.length; place++) {
    const success = isWell(slice, place, number, due)
    const latency_ms = 40 + ((number + place * 7) % 400)
    const verdict = success
      ? `"success":true,"http_status":200,"latency_ms":${latency_ms}}`
      : `"success":false,"http_status":503,"latency_ms":${latency_ms},${FAILURE}}`
    body += `${place > 0 ? ',' : ''}${slice.heads[place]}${moment}",${verdict}`
  }
  return `${body}]}`
}

const FAILURE = `"error":${JSON.stringify(ERROR)},"response_sample":${JSON.stringify(SAMPLE)}`

/** The same results, for comparing them with the database. */
export function foundIn({ slices }: Share, number: number, due: number): Found[] {
  const slice = slices[number % slices.length] as Slice
  const ran_at = momentOf(due)
  return slice.guids.map((guid, place) => ({ guid, ran_at, success: isWell(slice, place, number, due) }))
}

function momentOf(due: number): string {
  return new Date(due).toISOString()
}

function isWell({ phases }: Slice, place: number, number: number, due: number): boolean {
  const phase = phases[place] ?? Number.NaN
  if (Number.isNaN(phase)) return (number * 7919 + place * 104_729) % LONE_FAILURE !== 0
  return (Math.floor(due / 60_000) + phase) % (MINUTES_DOWN + MINUTES_WELL) >= MINUTES_DOWN
}
