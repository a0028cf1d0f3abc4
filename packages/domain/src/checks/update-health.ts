// Judges checks by their stored results, and records what changed in the transaction of the caller.

import { isOutOfReach } from '@dogwatch/runtime/database-faults'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { type CheckCase, listActiveMonitors, lockCases } from '@dogwatch/store/checks/check-health'
import {
  endCheckIncident,
  insertIncidents,
  listIncidentsSince,
  type NewIncident,
  updateIncidentRules,
  updateIncidentsEnded,
  updateMoved,
  type Verdict,
} from '@dogwatch/store/checks/incidents'
import {
  claimChecksToRejudge,
  forgetPutOff,
  judgeOtherQuorums,
  judgeSoon,
  putOffJudging,
  putOffRejudging,
  readNextRejudging,
  updateQuorums,
  updateRejudgeAt,
} from '@dogwatch/store/checks/rejudging'
import type { Db, Trx } from '@dogwatch/store/database'
import { type LatestResult, listAway, type ResultStorage, type ResultToJudge } from '@dogwatch/store/results/to-judge'
import type { Deps } from '../deps.ts'
import { raise } from '../events/raise.ts'
import { checkData, subjectOf } from './event-data.ts'
import {
  type Before,
  correct,
  countingResults,
  type HealthChange,
  type Judgement,
  judge,
  judgedUntil,
  mayCorrect,
  oldestNew,
} from './health.ts'
import { EVER, OVERLAP_MS, PUT_OFF_MS, type ToJudge, VIEW } from './judging.ts'
import { nameOfRules, rowMs, rulesOf } from './places.ts'
import { hasQuorum, isSameQuorum, leftBy, quorumSince, rulesNow, turnsBefore } from './quorum.ts'
import { byCheck, LONGEST_LATE, readLatest, readOlder, readRecent, waitsForLate } from './read-to-judge.ts'
import { takeAllUnjudged } from './take-unjudged.ts'
import { judgeDegraded, readDegraded } from './update-degraded.ts'
import { type ChangeToTell, nextSettling, rememberChanges, settle } from './update-flapping.ts'

interface JudgedCase extends CheckCase, Judgement {
  /** Start of the new results. Undefined if there are none, or some have not arrived yet. */
  from: string | undefined
}
type ChangedCase = CheckCase & {
  change: Exclude<HealthChange, { kind: 'none' }>
  incident_id: string
  latest: LatestResult[]
}

/** Maximum number of results to search for the beginning of a row of failures. */
const LONGEST_STREAK = 2000
const REJUDGED_AT_ONCE = 200
const RETRY_MS = 60_000

/**
 * Judges checks by their stored results and writes what changed: incidents, events, deliveries. The caller must store the results
 * before the call. While the time is in doubt, only marks the checks for a process that trusts it.
 */
export async function judgeChecks(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  checks: readonly ToJudge[],
): Promise<void> {
  if (checks.length === 0) return
  const { cases: all, stored } = await lockCases(trx, checks, fromDate(deps.clock.now()))
  const now = deps.clock.now()
  // A process that trusts the time judges them within seconds.
  if (!deps.clock.isTrusted()) return noteToJudge(trx, checks, fromDate(now))
  const from = new Map(checks.map((check) => [check.check_id, check.from]))
  const cases = all.filter(({ is_live }) => is_live)
  const paused = all.filter(({ is_live }) => !is_live)
  await endQuietly(trx, paused, fromDate(now))
  const waiting = cases.filter((one) => waitsForLate(one, now))
  await keepForLater(trx, waiting, from, fromDate(now))
  const judged = await judgeCases(trx, cases, from, { now, stored })
  const changed = await describeChanges(trx, deps, judged, now)
  await writeChanges(trx, deps, changed)
  await writeCorrections(trx, deps, judged)
  await writeRules(trx, judged)
  await writeQuorums(trx, judged, fromDate(now))
  const unchanged = cases.filter(({ check_id }) => !changed.some((one) => one.check_id === check_id))
  await settle(trx, deps, unchanged)
  const caughtUp = [...cases, ...paused].filter((one) => one.late_from !== null && !waiting.includes(one))
  await forgetPutOff(trx, caughtUp)
  const turned = new Map(changed.map(({ check_id, change }) => [check_id, change.kind === 'down']))
  const isDown = ({ check_id, down_since }: CheckCase) => turned.get(check_id) ?? down_since !== null
  const settling = nextSettling([...unchanged, ...changed], now, isDown)
  const unplanned = new Set(all.flatMap(({ check_id, is_planned }) => (is_planned ? [] : [check_id])))
  await writeRejudgeAt(trx, checks, { changed, waiting, settling, unplanned }, now)
}

/** Adds the new results of checks that wait for late ones to the results that are judged later. */
async function keepForLater(
  trx: Trx,
  waiting: readonly CheckCase[],
  given: ReadonlyMap<number, string | undefined>,
  now: string,
): Promise<void> {
  const earlier = waiting.flatMap(({ org_id, check_id, late_from }) => {
    const from = given.get(check_id)
    return from !== undefined && (late_from === null || from < late_from) ? [{ org_id, check_id, from }] : []
  })
  if (earlier.length > 0) await putOffJudging(trx, earlier, now)
}

async function noteToJudge(trx: Trx, checks: readonly ToJudge[], now: string): Promise<void> {
  const fresh = checks.flatMap(({ from, ...key }) => (from === undefined ? [] : [{ ...key, from }]))
  if (fresh.length > 0) await putOffJudging(trx, fresh, now)
  await judgeSoon(trx, checks)
}

/** Ends the open incidents of paused checks without an alert. */
async function endQuietly(trx: Trx, paused: readonly CheckCase[], now: string): Promise<void> {
  for (const one of paused) if (one.incident_id !== null) await endCheckIncident(trx, one, now, 'disabled')
}

/** Returns the milliseconds until a check must be judged again: 0 or less if one is due, Infinity if none is. */
export async function untilNextRejudging({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const at = await readNextRejudging(database.machines)
  if (at === undefined) return Infinity
  return at === EVER ? 0 : Date.parse(at) - clock.now().getTime()
}

/**
 * Runs the chore once: judges checks that are due again, and returns their number. After a failed batch, judges each check on its
 * own. Postpones all checks of an organisation whose node does not respond, so that no one waits for it twice.
 */
export async function rejudgeChecks(deps: Deps): Promise<number> {
  await takeAllUnjudged(deps).catch((err: unknown) =>
    deps.log.error({ err }, 'could not pick up checks to judge; will retry'),
  )
  if (deps.clock.isTrusted()) await judgeOtherQuorums(deps.database.machines)
  let judged = 0
  const away = new Set<number>()
  for (let count = REJUDGED_AT_ONCE; count === REJUDGED_AT_ONCE; judged += count) {
    if (away.size > 0) {
      count = await rejudgeEach(deps, away)
      continue
    }
    try {
      count = await rejudge(deps)
    } catch (error) {
      deps.log.error({ err: error }, 'could not judge a batch of checks; judging each on its own')
      count = await rejudgeEach(deps, away)
    }
  }
  return judged
}

/** Judges checks as up or down, and then as degraded or not. */
async function judgeAll(trx: Trx, deps: Deps, keys: readonly CheckKey[]): Promise<void> {
  const degraded = await readDegraded(trx, deps, keys)
  await judgeChecks(trx, deps, keys)
  await judgeDegraded(trx, deps, degraded)
}

function rejudge(deps: Deps): Promise<number> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const keys = await claimChecksToRejudge(trx, fromDate(deps.clock.now()), REJUDGED_AT_ONCE)
    const away = await listAway(trx, orgsOf(keys))
    const [waiting, reached] = [keys.filter((key) => away.has(key.org_id)), keys.filter((key) => !away.has(key.org_id))]
    await retryLater(trx, deps, waiting)
    await judgeAll(trx, deps, reached)
    return keys.length
  })
}

async function rejudgeEach(deps: Deps, away: Set<number>): Promise<number> {
  const { machines } = deps.database
  const keys = await machines
    .transaction()
    .execute((trx) => claimChecksToRejudge(trx, fromDate(deps.clock.now()), REJUDGED_AT_ONCE))
  for (const org_id of await listAway(machines, orgsOf(keys))) away.add(org_id)
  const put_off: CheckKey[] = []
  for (const key of keys) {
    const { org_id, check_id } = key
    if (away.has(org_id)) {
      put_off.push(key)
      continue
    }
    try {
      await machines.transaction().execute((trx) => judgeAll(trx, deps, [key]))
    } catch (error) {
      put_off.push(key)
      const isAway = isOutOfReach(error)
      if (isAway) away.add(org_id)
      deps.log.error(
        { err: error, org_id, check_id },
        isAway
          ? 'could not judge a check; will retry it and the other checks of its organisation'
          : 'could not judge a check; will retry',
      )
    }
  }
  await retryLater(machines, deps, put_off)
  return keys.length
}

async function retryLater(db: Db, { clock }: Pick<Deps, 'clock'>, keys: readonly CheckKey[]): Promise<void> {
  if (keys.length > 0) await putOffRejudging(db, keys, fromDate(new Date(clock.now().getTime() + RETRY_MS)))
}

function orgsOf(keys: readonly CheckKey[]): Set<number> {
  return new Set(keys.map(({ org_id }) => org_id))
}

async function judgeCases(
  trx: Trx,
  cases: readonly CheckCase[],
  given: ReadonlyMap<number, string | undefined>,
  { now, stored }: { now: Date; stored: ResultStorage },
): Promise<JudgedCase[]> {
  const until = judgedUntil(now)
  const fromOf = new Map(
    cases.map((one) => [
      one.check_id,
      waitsForLate(one, now) ? undefined : oldestNew(given.get(one.check_id), one.late_from),
    ]),
  )
  const recent = await readRecent(trx, cases, fromOf, { until, now, stored })
  const verdicts = new Map<number, Judgement>()
  const judgeWith = async (some: readonly CheckCase[], limit: number): Promise<void> => {
    const older = await readOlder(trx, some, recent, { until, now, stored, limit })
    const resultsOf = ({ check_id }: CheckCase) => [
      ...(recent.results.get(check_id) ?? []),
      ...(older.results.get(check_id) ?? []),
    ]
    const recorded = await readRecorded(trx, some, resultsOf, now)
    for (const one of some) {
      const results = resultsOf(one)
      const before = {
        from: fromOf.get(one.check_id),
        recorded: recorded.get(one.check_id) ?? [],
        hasOtherRules: hasOtherRules(one),
        quorum_since: quorumSince(one, fromDate(now)),
      }
      const late = new Set(waitsForLate(one, now) ? one.late_monitors : [])
      const counting = countingResults(one, results, late)
      verdicts.set(one.check_id, judge(one, counting, rulesNow(one, now), now, older.whole.has(one.check_id), before))
    }
  }
  const verdictOf = (one: CheckCase): Judgement => {
    const verdict = verdicts.get(one.check_id)
    if (!verdict) throw new Error('the check was not judged')
    return verdict
  }
  await judgeWith(cases, 0)
  const wanting = cases.filter((one) => verdictOf(one).wantsOlder)
  await judgeWith(wanting, LONGEST_STREAK)
  const unsure = wanting.filter((one) => verdictOf(one).isUnsure)
  await judgeWith(unsure, LONGEST_LATE)
  return cases.map((one) => ({ ...one, ...verdictOf(one), from: fromOf.get(one.check_id) }))
}

/** Reads the incidents of checks that are open or ended since shortly before their oldest result, if their rules have `confirm`. */
async function readRecorded(
  trx: Trx,
  cases: readonly CheckCase[],
  resultsOf: (one: CheckCase) => readonly ResultToJudge[],
  now: Date,
): Promise<Map<number, Before['recorded'][number][]>> {
  const wanted = cases.flatMap((one) => {
    const rules = rulesNow(one, now)
    const oldest = resultsOf(one).at(-1)?.at
    if (!rules.confirm || oldest === undefined) return []
    return [{ ...one, since: fromDate(new Date(Date.parse(oldest) - rowMs(rules))) }]
  })
  return byCheck(await listIncidentsSince(trx, wanted))
}

function hasOtherRules(one: CheckCase): boolean {
  return one.down_since !== null && one.judged_by !== nameOfRules(rulesOf(one))
}

/** Returns the checks that went down or came up, with the data for their messages. */
async function describeChanges(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  judged: readonly JudgedCase[],
  now: Date,
): Promise<ChangedCase[]> {
  const moving = judged.filter(({ change }) => change.kind !== 'none')
  if (moving.length === 0) return []
  // Enough results for a view of all its monitors, which the few that decide may not show.
  const limits = moving.map(({ threshold }) => Math.max(threshold, VIEW))
  const latest = byCheck(await readLatest(trx, moving, limits, now))
  return moving.flatMap((one): ChangedCase[] => {
    const { change } = one
    if (change.kind === 'none') return []
    // The correction of recorded incidents needs its id, too.
    one.incident_id ??= newGuid(deps.random)
    return [{ ...one, change, incident_id: one.incident_id, latest: latest.get(one.check_id) ?? [] }]
  })
}

async function writeChanges(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  changed: readonly ChangedCase[],
): Promise<void> {
  if (changed.length === 0) return
  const told_at = fromDate(deps.clock.now())
  const monitors = byCheck(await listActiveMonitors(trx, changed))
  const events: ChangeToTell[] = []
  const opened = []
  const ended = []
  for (const one of changed) {
    const { org_id, check_id, change, incident_id } = one
    if (change.kind === 'down') {
      opened.push({ org_id, check_id, incident_id, began_at: change.since, told_at, verdict: verdictOf(one) })
    } else ended.push({ org_id, incident_id, ended_at: change.ended_at, end_reason: change.reason })
    const type = change.kind === 'down' ? 'check.down' : 'check.up'
    const data = checkData(one, one.latest, monitors.get(check_id) ?? [], change)
    events.push({ one, event: { org_id, type, subject: subjectOf(one), check_id, incident_id, data: { ...data } } })
  }
  const told = await rememberChanges(trx, deps, events)
  const heard = new Set(told.map(({ check_id }) => check_id))
  await insertIncidents(
    trx,
    opened.map((one) => ({ ...one, held_by: heard.has(one.check_id) ? null : 'flapping' })),
  )
  await updateIncidentsEnded(trx, ended)
  await raise(trx, deps, told)
}

/** Returns the reason why a check is down, as its incident stores it. */
function verdictOf({ change, ...one }: ChangedCase): Verdict | undefined {
  if (change.kind !== 'down') return undefined
  const { failures, places, turned_at } = change
  return { failures, ...(places && { places }), turned_at, rules: nameOfRules(rulesOf(one)) }
}

/** Records the current rules in the incidents of checks that are down by these rules, too. */
async function writeRules(trx: Trx, judged: readonly JudgedCase[]): Promise<void> {
  const others = judged.filter((one) => one.change.kind === 'none' && hasOtherRules(one))
  await updateIncidentRules(
    trx,
    others.flatMap((one) =>
      one.incident_id === null
        ? []
        : [{ org_id: one.org_id, incident_id: one.incident_id, rules: nameOfRules(rulesOf(one)) }],
    ),
  )
}

/** Records which monitors counted, for checks whose monitors have changed. */
async function writeQuorums(trx: Trx, judged: readonly JudgedCase[], now: string): Promise<void> {
  const others = judged.filter((one) => hasQuorum(one) && !isSameQuorum(one))
  const rows = others.map((one) => ({
    ...one,
    since: quorumSince(one, now),
    turns: turnsBefore(one),
    left: leftBy(one, now),
  }))
  await updateQuorums(trx, rows)
}

/** Records what late results show about the past. Sends no alert, because it is over. */
async function writeCorrections(trx: Trx, deps: Pick<Deps, 'random'>, judged: readonly JudgedCase[]): Promise<void> {
  for (const one of judged) {
    if (one.from === undefined || !mayCorrect(one, one.down_since, one.from)) continue
    const { org_id, check_id, spans, from } = one
    const recorded = await listIncidentsSince(trx, [{ org_id, check_id, since: from }])
    const { missed, moved } = correct(spans, recorded, from)
    await updateMoved(trx, 'incidents', org_id, moved)
    await insertIncidents(
      trx,
      missed.map((span): NewIncident => {
        const incident_id = newGuid(deps.random)
        return { org_id, check_id, incident_id, told_at: span.ended_at, ...span, end_reason: 'recovered' }
      }),
    )
  }
}

interface Coming {
  changed: readonly CheckKey[]
  waiting: readonly CheckCase[]
  /** Times of the next look at flapping checks, in milliseconds since the Unix epoch. */
  settling: ReadonlyMap<number, number>
  /** Checks without a planned judgement. */
  unplanned: ReadonlySet<number>
}

async function writeRejudgeAt(
  trx: Trx,
  keys: readonly CheckKey[],
  { changed, waiting, settling, unplanned }: Coming,
  now: Date,
): Promise<void> {
  const moved = new Set(changed.map(({ check_id }) => check_id))
  const late = new Map(waiting.map(({ check_id, late_since }) => [check_id, Date.parse(late_since ?? '') + PUT_OFF_MS]))
  const checks = keys.map(({ org_id, check_id }) => {
    const until = late.get(check_id)
    const settles = settling.get(check_id)
    const times = [
      ...(moved.has(check_id) ? [now.getTime() + OVERLAP_MS] : []),
      ...(until === undefined ? [] : [until]),
      ...(settles === undefined ? [] : [settles]),
    ]
    return { org_id, check_id, rejudge_at: times.length > 0 ? fromDate(new Date(Math.min(...times))) : null }
  })
  const moving = checks.filter(({ check_id, rejudge_at }) => rejudge_at !== null || !unplanned.has(check_id))
  if (moving.length > 0) await updateRejudgeAt(trx, moving, fromDate(now))
}
