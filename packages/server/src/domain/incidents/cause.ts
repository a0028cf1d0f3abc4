// Why something is or was down, in a few words. Pure.
import { failureWords } from '../../channels/failure-words.ts'
import { count, duration } from '../../channels/wording.ts'
import type { Verdict } from '../../store/checks/incidents.ts'
import type { MonitorView } from '../events/event.ts'
import { holdWords } from '../routing/words.ts'

/** What is recorded of why an incident began. */
export interface Recorded {
  kind: 'check' | 'heartbeat'
  began_at: string
  verdict: Partial<Verdict> | null
  /** What the first alert said: the error of a check, or why a heartbeat went down. */
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

/** `HTTP status 503`. What is not stored any more is said so. */
export function causeOf(one: Recorded): string {
  if (one.kind === 'heartbeat') {
    if (one.reason === 'exit_code') return `Job exited with code ${one.exit_code ?? 'unknown'}`
    return REASONS.get(one.reason ?? '') ?? 'No ping received'
  }
  if (one.error !== null && one.error !== '') return failureWords(one.error)
  const why = verdictWords(one.verdict, one.began_at)
  return why === '' ? 'Cause unknown' : `${why.slice(0, 1).toUpperCase()}${why.slice(1)}`
}

/** `failing from 2 of 3 monitors for 2 min`, or `3 failures in a row`. Empty when it was not recorded. */
export function verdictWords(verdict: Partial<Verdict> | null, began_at: string): string {
  if (verdict?.failures === undefined) return ''
  const { failures, places, turned_at } = verdict
  if (!places) return failures === 1 ? '1 failure' : `${failures} failures in a row`
  const sec = (Date.parse(turned_at ?? began_at) - Date.parse(began_at)) / 1000
  return `failing from ${places.failing} of ${count(places.of, 'monitor')}${sec >= 1 ? ` for ${duration(sec)}` : ''}`
}

/** When the alert about an incident is sent that nobody was told of yet: `after the quiet hours`. */
export function heldWords(held_by: string): string {
  if (held_by === 'flapping') return 'when the check stops flapping'
  if (held_by.startsWith('grouping'))
    return 'when another monitor confirms the failure (many checks fail from this monitor only)'
  return holdWords(held_by)
}

/** What each monitor of a check sees, as far as it looked lately; by name. */
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

/** Returns `Failing from 2 of 3 monitors: fra-1, sgp-1. Passing: nyc-2`. Empty when no monitor looked lately. */
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
