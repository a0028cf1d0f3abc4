// What people would have been told of a check under other rules, by the results that are stored.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { fromDate, isDateTime, toMicroseconds } from '../../runtime/timestamps.ts'
import { listCases, listResultsAfter } from '../../store/checks/check-health.ts'
import { listCheckPlaces, findCheck } from '../../store/checks/checks.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { toStorable } from '../text.ts'
import type { CheckFields } from './check.ts'
import { gapMs, horizonOf, rulesOf } from './health.ts'
import { patienceMs } from './unmonitored.ts'
import { AlertReplay, type AlertRules, type Told, type ToldType } from './replay-rule.ts'

/** The fields that decide when people are told. */
export const ALERT_FIELDS = [
  'down_interval_sec',
  'down_majority',
  'down_places',
  'up_successes',
  'alert_every_change',
  'resend_interval_sec',
] as const
export type AlertFields = Pick<CheckFields, (typeof ALERT_FIELDS)[number]>

export interface Replayed {
  /** The rules that it was replayed by. */
  rules: AlertFields
  /** How many alerts people would have received. */
  told: number
  counts: Partial<Record<ToldType, number>>
  /** The newest of them, oldest first. */
  newest: Told[]
}

export interface ReplayOfCheck {
  guid: string
  name: string
  from: string
  until: string
  results: number
  present: Replayed
  given: Replayed
}

/** Results in one read: memory does not grow with the history. */
const CHUNK = 5000

/** Alert rules as a file or form gives them; what is left out stays as it is. */
export function readAlertRules(given: unknown, present: AlertFields): AlertFields {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new DomainError('invalid', 'the rules must be an object')
  }
  for (const [field, value] of Object.entries(given)) {
    const known = ALERT_FIELDS.find((one) => one === field)
    if (!known) throw new DomainError('invalid', `the rules must name only ${ALERT_FIELDS.join(', ')}`)
    const [fault] = faultsOfValue(known, value)
    if (fault) throw new DomainError('invalid', `check.${field} ${fault.must}`)
  }
  const { down_interval_sec, down_majority, down_places, up_successes, alert_every_change, resend_interval_sec } =
    present
  return {
    ...{ down_interval_sec, down_majority, down_places, up_successes, alert_every_change, resend_interval_sec },
    ...(given as Partial<AlertFields>),
  }
}

/**
 * Replays the stored results of a check under its present rules and under the given ones. `org_id`: of that organisation
 * alone. Results count in the order in which they ran, as if none had come late and the check had always been as it is.
 */
export async function replayCheck(
  deps: Deps,
  { guid, org_id }: { guid: string; org_id?: number },
  { from, until }: { from: string; until?: string | undefined },
  given: unknown,
): Promise<ReplayOfCheck> {
  const span = spanOf(from, until, deps.clock.now())
  const { people } = deps.database
  const [place] = toStorable(guid) === guid ? await listCheckPlaces(people, [guid]) : []
  const check = place && (org_id ?? place.org_id) === place.org_id && (await findCheck(people, place.org_id, guid))
  const [one] = place && check ? await listCases(people, [place]) : []
  if (!check || !one) throw new DomainError('missing', 'no check with that guid')
  const present = readAlertRules({}, check)
  const fields = [present, readAlertRules(given, present)]
  const replays = fields.map(
    (rules) => new Tally(rules, toRules(rules, { ...check, monitors: one.monitors }), span.from),
  )
  // Earlier results show how each monitor saw the check when the span began.
  const before_ms = 2 * (gapMs(one) + one.interval_sec * one.monitors * 1000)
  let after = { at: fromDate(new Date(Math.max(0, Date.parse(span.from) - before_ms))), monitor_id: '' }
  let results = 0
  for (let count = CHUNK; count === CHUNK; ) {
    const chunk = await listResultsAfter(people, one, after, span.until, CHUNK)
    for (const replay of replays) for (const result of chunk) replay.take(result)
    results += chunk.filter(({ at }) => at >= span.from).length
    count = chunk.length
    after = chunk.at(-1) ?? after
  }
  const [byPresent, byGiven] = replays.map((replay) => replay.finish(span.until))
  if (!byPresent || !byGiven) throw new Error('there are two rules')
  return { guid, name: check.name, ...span, results, present: byPresent, given: byGiven }
}

function spanOf(from: string, until: string | undefined, now: Date): { from: string; until: string } {
  for (const [name, at] of Object.entries({ from, until })) {
    if (at !== undefined && !isDateTime(at)) throw new DomainError('invalid', `${name} must be an RFC 3339 date-time`)
  }
  const end = until === undefined ? horizonOf(now) : toMicroseconds(until)
  const span = { from: toMicroseconds(from), until: end < fromDate(now) ? end : fromDate(now) }
  if (span.from >= span.until) throw new DomainError('invalid', 'from must be before until, and in the past')
  return span
}

function toRules(
  fields: AlertFields,
  one: { interval_sec: number; timeout_sec: number; monitors: number },
): AlertRules {
  const { down_interval_sec, resend_interval_sec, alert_every_change, ...confirm } = fields
  return {
    rules: rulesOf({ ...one, ...confirm, threshold: Math.max(down_interval_sec, 1) }),
    resend_interval_sec,
    alert_every_change,
    patience_ms: patienceMs(one),
  }
}

/** A replay under one of the rules. */
class Tally {
  readonly #fields: AlertFields
  readonly #replay: AlertReplay

  constructor(fields: AlertFields, rules: AlertRules, from: string) {
    this.#fields = fields
    this.#replay = new AlertReplay(rules, from)
  }

  take(result: Parameters<AlertReplay['take']>[0]): void {
    this.#replay.take(result)
  }

  finish(until: string): Replayed {
    this.#replay.finish(until)
    const { counts, newest } = this.#replay
    const told = [...counts.values()].reduce((sum, count) => sum + count, 0)
    return { rules: this.#fields, told, counts: Object.fromEntries(counts), newest }
  }
}
