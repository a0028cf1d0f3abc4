// Replays the stored results of a check under other rules, and counts the alerts that people would have received.
import { faultsOfValue } from '@dogwatch/check-rules/definition'
import { appliesTo, pick } from '@dogwatch/check-rules/fields'
import { isTargetOfServer, schemeOf } from '@dogwatch/check-rules/schemes'
import { fromDate, isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { listChannels } from '@dogwatch/store/alerting/channels'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { type CheckCase, listCases } from '@dogwatch/store/checks/check-health'
import { findCheck, listCheckPlaces, listChecks } from '@dogwatch/store/checks/checks'
import type { Db } from '@dogwatch/store/database'
import { listResultsAfter, type ResultToJudge } from '@dogwatch/store/results/to-judge'
import { listRoutes } from '@dogwatch/store/routing/routes'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { replayedStates, STATE_MS } from '../judged/replayed.ts'
import { requireWindow } from '../maintenance/window.ts'
import { endOf } from '../routing/holds.ts'
import type { ReplayedRouting } from '../routing/replayed.ts'
import type { AlertRoute, Subject } from '../routing/route.ts'
import { routeOf } from '../routing/routing.ts'
import { requireRoute } from '../routing/validate.ts'
import { toStorable } from '../text.ts'
import type { CheckFields } from './check.ts'
import { horizonOf } from './health.ts'
import { gapMs, rulesOf } from './places.ts'
import { type Dependency, findDependency, readPast, type TriedWindow } from './replay-holds.ts'
import { AlertReplay, type AlertRules, type ReplayedAlert, type ToldType } from './replay-rule.ts'
import { patienceMs } from './unmonitored.ts'

/** Fields of a check that decide when people are notified. */
export const ALERT_FIELDS = [
  'down_interval_sec',
  'down_majority',
  'down_places',
  'up_successes',
  'alert_every_change',
  'resend_interval_sec',
] as const
type AlertField = (typeof ALERT_FIELDS)[number]
export type AlertFields = Pick<CheckFields, AlertField>

export interface ReplayOutcome {
  /** Rules of the replay. */
  rules: AlertFields
  /** Number of alerts that people would have received. */
  told: number
  counts: Partial<Record<ToldType, number>>
  /** Newest alerts, oldest first. */
  newest: ReplayedAlert[]
  /** Alerts that each enabled channel would have received, given the routes and holds. */
  channels: HeardBy[]
}

export interface HeardBy {
  id: number
  name: string
  told: number
  counts: Partial<Record<string, number>>
}

export interface ReplayOfCheck {
  guid: string
  name: string
  from: string
  until: string
  results: number
  present: ReplayOutcome
  given: ReplayOutcome
}

/** Number of results in one read, so that memory does not grow with the history. */
const CHUNK = 5000
const ROUTE: Omit<AlertRoute, 'route_id' | 'guid'> = {
  name: 'tried',
  scope: { all: true },
  events: [],
  severity: null,
  quiet: null,
  delay_sec: 0,
  steps: [],
  enabled: true,
}

/** Content of a file or form: fields of the check, and optional replacements. */
interface ReplayInput {
  fields: Record<string, unknown>
  /** Routes that replace the organisation's own. */
  routes: readonly AlertRoute[] | undefined
  /** Windows that replace the maintenance windows that existed. */
  windows: readonly TriedWindow[] | undefined
  /** Interval of the check at that time, if it differs from the current one. */
  interval_sec: number | undefined
}

function readTried(given: unknown, now: Date): ReplayInput {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new DomainError('invalid', 'the rules must be an object')
  }
  const { routes, windows, interval_sec, ...fields } = given as Record<string, unknown>
  const [fault] = interval_sec === undefined ? [] : faultsOfValue('interval_sec', interval_sec)
  if (fault) throw new FieldError('invalid', 'check.interval_sec', fault.must)
  return {
    fields,
    interval_sec: interval_sec as number | undefined,
    routes: readList('routes', routes, (one, n) => {
      return { ...requireRoute({ ...ROUTE, ...one }), route_id: n, guid: `tried-${n}` }
    }),
    windows: readList('windows', windows, (one) => {
      const wanted = { name: 'tried', scope: { all: true }, rule: null, is_public: false, ...one }
      return requireWindow(wanted as Parameters<typeof requireWindow>[0], now)
    }),
  }
}

function readList<One>(name: string, given: unknown, read: (one: object, n: number) => One): One[] | undefined {
  if (given === undefined) return undefined
  if (!Array.isArray(given)) throw new FieldError('invalid', name, 'must be a list')
  return given.map((one: unknown, n) => {
    const misfit = () =>
      new FieldError('invalid', `${name}[${n}]`, 'must have all required fields, each with a value of the correct type')
    if (typeof one !== 'object' || one === null) throw misfit()
    try {
      return read(one, n)
    } catch (error) {
      // A value in the entry has another type than it should have.
      throw error instanceof TypeError ? misfit() : error
    }
  })
}

/** Reads the alert rules in a file or form. Omitted rules stay as they are. */
function readAlertRules(given: Record<string, unknown>, present: AlertFields): AlertFields {
  for (const [field, value] of Object.entries(given)) {
    const known = ALERT_FIELDS.find((one) => one === field)
    if (!known) {
      throw new DomainError('invalid', `the rules may contain only ${ALERT_FIELDS.join(', ')}, routes and windows`)
    }
    const [fault] = faultsOfValue(known, value)
    if (fault) throw new FieldError('invalid', `check.${field}`, fault.must)
  }
  return { ...pick(present, ALERT_FIELDS), ...(given as Partial<AlertFields>) }
}

/**
 * Replays the stored results of a check under its current rules and under the given ones, and takes the alerts through routes,
 * maintenance, mutes and dependencies. With `org_id`, refuses checks of other organisations.
 */
export async function replayCheck(
  deps: Deps,
  { guid, org_id }: { guid: string; org_id?: number },
  { from, until }: { from: string; until?: string | undefined },
  given: unknown,
): Promise<ReplayOfCheck> {
  const now = deps.clock.now()
  const span = spanOf(from, until, now)
  const { people } = deps.database
  const [place] = toStorable(guid) === guid ? await listCheckPlaces(people, [guid]) : []
  const check = place && (org_id ?? place.org_id) === place.org_id && (await findCheck(people, place.org_id, guid))
  const [found] = place && check ? await listCases(people, [place]) : []
  if (!check || !found) throw new DomainError('missing', 'no check with that guid')
  const tried = readTried(given, now)
  const isJudged = isTargetOfServer(check.url)
  const interval_sec = isJudged ? STATE_MS / 1000 : (tried.interval_sec ?? check.interval_sec)
  const one = { ...found, interval_sec }
  const present = readAlertRules({}, check)
  const givenRules = rulesFor(check.url, readAlertRules(tried.fields, present), present)
  const dependency = await findDependency(people, one.org_id, { ...check, interval_sec: isJudged ? 1 : interval_sec })
  // Earlier results show how each monitor saw the check when the span began.
  const before_ms = 2 * (gapMs(one) + one.interval_sec * one.monitors * 1000)
  const start = { at: fromDate(new Date(Math.max(0, Date.parse(span.from) - before_ms))), monitor_id: '' }
  const context = { one, check, dependency, span: { from: start.at, until: span.until } }
  const today = await readRoutingOf(people, context, {})
  const other = tried.routes || tried.windows ? await readRoutingOf(people, context, tried) : today
  // Results count in the order of their runs, as if none had come late and the check had always been as it is. No one
  // acknowledges anything, and no monitor fails as a whole.
  const replayUnder = (fields: AlertFields, routing: RoutingOf) => {
    const rules = toRules(fields, { ...check, interval_sec, monitors: one.monitors })
    // The routing reads `down_since` once there is an alert.
    const replay: AlertReplay = new AlertReplay(
      isJudged ? { ...rules, patience_ms: STATE_MS } : rules,
      span.from,
      routing.through?.(() => replay.down_since),
    )
    return replay
  }
  const byPresent = replayUnder(present, today)
  const byGiven = replayUnder(givenRules, other)
  const replays = [byPresent, byGiven]
  let results = 0
  for await (const { result, isOwn } of inOrder(people, { own: one, other: dependency?.other }, start, span.until)) {
    for (const replay of replays) replay.advance(result.at)
    if (isOwn) {
      dependency?.note(result.at)
      for (const replay of replays) replay.take(result)
      if (result.at >= span.from) results++
    } else dependency?.take(result)
  }
  for (const replay of replays) replay.advance(span.until)
  return {
    ...{ guid, name: check.name, ...span, results },
    present: outcomeOf(byPresent, present, today),
    given: outcomeOf(byGiven, givenRules, other),
  }
}

export interface ReplayOfOrganisation {
  org_id: number
  from: string
  until: string
  results: number
  present: Pick<ReplayOutcome, 'told' | 'counts'>
  given: Pick<ReplayOutcome, 'told' | 'counts'>
  checks: { guid: string; name: string; present: number; given: number }[]
}

/** Replays all checks of an organisation, each under its own current rules and under the given ones. */
export async function replayOrganisation(
  deps: Deps,
  org_id: number,
  { from, until = fromDate(deps.clock.now()) }: { from: string; until?: string | undefined },
  given: unknown,
): Promise<ReplayOfOrganisation> {
  const all: ReplayOfCheck[] = []
  for (const { guid } of await listChecks(deps.database.people, org_id)) {
    all.push(await replayCheck(deps, { guid, org_id }, { from, until }, given))
  }
  const sum = (which: 'present' | 'given'): Pick<ReplayOutcome, 'told' | 'counts'> => {
    const counts: ReplayOutcome['counts'] = {}
    for (const one of all) {
      for (const [type, count] of Object.entries(one[which].counts)) {
        counts[type as ToldType] = (counts[type as ToldType] ?? 0) + count
      }
    }
    return { told: all.reduce((told, one) => told + one[which].told, 0), counts }
  }
  return {
    org_id,
    from: all[0]?.from ?? from,
    until: all[0]?.until ?? until,
    results: all.reduce((results, one) => results + one.results, 0),
    present: sum('present'),
    given: sum('given'),
    checks: all.map(({ guid, name, present, given: other }) => {
      return { guid, name, present: present.told, given: other.told }
    }),
  }
}

/** Returns the tried rules that apply to a target, and the current ones for the rest. */
function rulesFor(url: string, tried: AlertFields, present: AlertFields): AlertFields {
  const others = ALERT_FIELDS.filter((field) => !alertFieldsOf(url).includes(field))
  return { ...tried, ...Object.fromEntries(others.map((field) => [field, present[field]])) }
}

/** Returns the alert rules that apply to a target. */
export function alertFieldsOf(url: string): AlertField[] {
  const scheme = schemeOf(url)
  return ALERT_FIELDS.filter((field) => scheme === undefined || appliesTo(field, scheme))
}

/**
 * Reads the results of a check and of the one that it depends on, in the order of their runs. At the same instant, those of the
 * other check come first.
 */
async function* inOrder(
  db: Db,
  { own, other }: { own: ReplayedCheck; other: ReplayedCheck | undefined },
  start: { at: string; monitor_id: string },
  until: string,
): AsyncGenerator<{ result: ResultToJudge; isOwn: boolean }> {
  const others = other ? resultsOf(db, other, start, until) : undefined
  let next = await others?.next()
  for await (const result of resultsOf(db, own, start, until)) {
    while (others && next?.done === false && next.value.at <= result.at) {
      yield { result: next.value, isOwn: false }
      next = await others.next()
    }
    yield { result, isOwn: true }
  }
  for (; others && next?.done === false; next = await others.next()) yield { result: next.value, isOwn: false }
}

type ReplayedCheck = CheckKey & { url: string }

async function* resultsOf(
  db: Db,
  check: ReplayedCheck,
  start: { at: string; monitor_id: string },
  until: string,
): AsyncGenerator<ResultToJudge> {
  if (isTargetOfServer(check.url)) {
    yield* replayedStates(db, check, start.at, until)
    return
  }
  let after = start
  for (let count = CHUNK; count === CHUNK; ) {
    const chunk = await listResultsAfter(db, check, after, until, CHUNK)
    yield* chunk
    count = chunk.length
    after = chunk.at(-1) ?? after
  }
}

interface Context {
  one: CheckCase
  check: { guid: string; tags: readonly string[] }
  dependency: Dependency | undefined
  span: { from: string; until: string }
}

interface RoutingOf {
  channels: readonly { id: number; name: string }[]
  /** Routing of the alerts. Undefined if every alert goes to every channel at once. */
  through: ((down_since: () => string | null) => ReplayedRouting) | undefined
}

async function readRoutingOf(
  db: Db,
  { one: { org_id, check_id }, check, dependency, span }: Context,
  { routes, windows }: Partial<Pick<ReplayInput, 'routes' | 'windows'>>,
): Promise<RoutingOf> {
  const channels = (await listChannels(db, org_id)).filter(({ enabled }) => enabled)
  const subject: Subject = { kind: 'check', guid: check.guid, tags: check.tags }
  const present = (routes ?? (await listRoutes(db, org_id)).map(routeOf)).filter(({ enabled }) => enabled)
  const past = await readPast(db, { org_id, check_id, subject, windows }, span)
  if (present.length === 0 && past.isNone && !dependency) return { channels, through: undefined }
  const through = (down_since: () => string | null): ReplayedRouting => ({
    routes: present,
    channel_ids: channels.map(({ id }) => id),
    subject,
    holdAt(now) {
      const held = past.holdAt(now.getTime())
      const depending = dependency?.holdAt(now, down_since())
      // Returns the hold that lasts longer, or the one without a known end.
      if (!held || depending?.until === null) return depending ?? held
      return depending && endOf(depending) > endOf(held) ? depending : held
    },
  })
  return { channels, through }
}

function spanOf(from: string, until: string | undefined, now: Date): { from: string; until: string } {
  for (const [name, at] of Object.entries({ from, until })) {
    if (at !== undefined && !isDateTime(at)) throw new FieldError('invalid', name, 'must be an RFC 3339 date-time')
  }
  const end = until === undefined ? horizonOf(now) : toMicroseconds(until)
  const span = { from: toMicroseconds(from), until: end < fromDate(now) ? end : fromDate(now) }
  if (span.from >= span.until) throw new FieldError('invalid', 'from', 'must be earlier than "until", and in the past')
  return span
}

function toRules(
  fields: AlertFields,
  one: { interval_sec: number; timeout_sec: number; monitors: number },
): AlertRules {
  const { down_interval_sec, resend_interval_sec, alert_every_change, ...confirm } = fields
  return {
    rules: rulesOf({ ...one, ...confirm, threshold: down_interval_sec }),
    resend_interval_sec,
    alert_every_change,
    patience_ms: patienceMs(one),
  }
}

function outcomeOf({ counts, newest, heard }: AlertReplay, rules: AlertFields, routing: RoutingOf): ReplayOutcome {
  const channels = routing.channels.map(({ id, name }): HeardBy => {
    const own: ReadonlyMap<string, number> = routing.through ? (heard.get(id) ?? new Map()) : counts
    return { id, name, told: sumOf(own), counts: Object.fromEntries(own) }
  })
  return { rules, told: sumOf(counts), counts: Object.fromEntries(counts), newest, channels }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
