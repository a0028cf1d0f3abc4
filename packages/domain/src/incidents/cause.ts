// Says in a few words why something is or was down. Pure.
import { failureWords } from '@dogwatch/channels/failure-words'
import { count, duration } from '@dogwatch/channels/wording'
import type { Verdict } from '@dogwatch/store/checks/incidents'
import type { MonitorView } from '../events/event.ts'
import { holdWords } from '../routing/words.ts'

/** Stored facts about why an incident began. */
export interface IncidentRecord {
  kind: 'check' | 'heartbeat'
  began_at: string
  verdict: Partial<Verdict> | null
  /** Error of a check in the first alert. A heartbeat has a `reason` instead. */
  error: string | null
  reason: string | null
  exit_code: number | null
}

const REASONS = new Map(
  Object.entries({
    overdue: 'No ping received in time',
    fail: 'Job reported a failure',
  }),
)

/** Returns the cause in words, such as `HTTP status 503`. Says so if the cause is no longer stored. */
export function causeOf(one: IncidentRecord): string {
  if (one.kind === 'heartbeat') {
    if (one.reason === 'exit_code') return `Job exited with code ${one.exit_code ?? 'unknown'}`
    return REASONS.get(one.reason ?? '') ?? 'No ping received'
  }
  if (one.error !== null && one.error !== '') return failureWords(one.error)
  const why = verdictWords(one.verdict, one.began_at)
  return why === '' ? 'Cause unknown' : `${why.slice(0, 1).toUpperCase()}${why.slice(1)}`
}

/**
 * Returns words such as `failing from 2 of 3 monitors for 2 min` or `3 failures in a row`. Returns an empty text if the verdict
 * was not recorded.
 */
export function verdictWords(verdict: Partial<Verdict> | null, began_at: string): string {
  if (verdict?.failures === undefined) return ''
  const { failures, places, turned_at } = verdict
  if (!places) return failures === 1 ? '1 failure' : `${failures} failures in a row`
  const sec = (Date.parse(turned_at ?? began_at) - Date.parse(began_at)) / 1000
  return `failing from ${places.failing} of ${count(places.of, 'monitor')}${sec >= 1 ? ` for ${duration(sec)}` : ''}`
}

/** Returns when a held alert about an incident will be sent, in words: `after the quiet hours`. */
export function heldWords(held_by: string): string {
  if (held_by === 'flapping') return 'when the check stops flapping'
  if (held_by.startsWith('grouping'))
    return 'when another monitor confirms the failure (many checks fail from this monitor only)'
  return holdWords(held_by)
}

/** Names of the monitors that ran a check lately, grouped by whether their result was a failure. */
export interface Sight {
  failing: string[]
  fine: string[]
}

export function sightOf(monitors: readonly MonitorView[]): Sight {
  const names = (failing: boolean) =>
    monitors
      .filter((one) => one.failing === failing)
      .map(({ id, name }) => (name.trim() === '' ? id : name))
      .toSorted()
  return { failing: names(true), fine: names(false) }
}

/**
 * Returns words such as `Failing from 2 of 3 monitors: fra-1, sgp-1. Passing: nyc-2`. Returns an empty text if no monitor ran the
 * check lately.
 */
export function sightWords({ failing, fine }: Sight): string {
  const of = failing.length + fine.length
  if (of === 0) return ''
  const others = fine.length === 0 ? '' : `. Passing: ${named(fine)}`
  if (failing.length === 0) return `No longer failing from ${of === 1 ? named(fine) : `any of ${of} monitors`}`
  if (of === 1) return `Failing from ${named(failing)}`
  return `Failing from ${fine.length === 0 ? `all ${of}` : `${failing.length} of ${of}`} monitors: ${named(failing)}${others}`
}

const NAMED = 5

function named(names: readonly string[]): string {
  return names.length <= NAMED
    ? names.join(', ')
    : `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more`
}
