// Judges by stored results whether checks are degraded, and records what changed in the transaction that stored them.
import { schemeOf } from '@dogwatch/check-rules/schemes'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { listActiveMonitors } from '@dogwatch/store/checks/check-health'
import {
  type DegradationKind,
  type DegradedCase,
  type EndedDegradation,
  insertDegradations,
  listDegradedCases,
  listLastCertificateEvents,
  listSlowSince,
  listToldCertificates,
  type NewDegradation,
  updateDegradationsEnded,
} from '@dogwatch/store/checks/degradations'
import { listDown, updateMoved } from '@dogwatch/store/checks/incidents'
import { judgeSoon, updateRejudgeAt } from '@dogwatch/store/checks/rejudging'
import type { Trx } from '@dogwatch/store/database'
import type { Span } from '@dogwatch/store/results/to-judge'
import { type CertificateRow, listCertificates, listSpeeds, type SpeedRow } from '@dogwatch/store/results/to-judge'
import type { Deps } from '../deps.ts'
import { type EventToRaise, raise } from '../events/raise.ts'
import type { CheckFields } from './check.ts'
import { certificateOf, judgeCertificate, judgeSpeed } from './degraded.ts'
import { certificateEvent, certificateReason, renewedEvent, slowEvent, slowReason } from './degraded-data.ts'
import { correct, type Judgement, judgedUntil, mayCorrect, oldestNew } from './health.ts'
import { EVER, isPutOff, OVERLAP_MS, RECENT_MS, type ToJudge } from './judging.ts'
import { gapMs } from './places.ts'

/** Number of results to read at first, beyond the necessary ones. More are read only if they decide. */
const FIRST_LOOK = 20
const LONGEST = 2000
/** Maximum time since a monitor last saw a certificate that counts, in milliseconds. It is longer if the check has long turns. */
const CERTIFICATE_MS = 86_400_000
const ROUNDS = 4
/**
 * Time after which people are warned at once about a certificate that is back after its renewal, in milliseconds. Before that, it
 * must last for `LASTING_MS`.
 */
const QUIET_MS = 86_400_000
const LASTING_MS = 3_600_000

/** Changes to record, and the events about them. */
interface DegradationChanges {
  begun: NewDegradation[]
  ended: EndedDegradation[]
  events: EventToRaise[]
}

/** Checks with the data to judge them, and the start of each check's new results. */
export interface DegradedCases {
  cases: readonly DegradedCase[]
  from: ReadonlyMap<number, string | undefined>
}

/**
 * Reads the data to judge whether checks are degraded. Call it after the results were stored, in their transaction, with the
 * checks locked, and before `judgeChecks` forgets what it has postponed.
 */
export async function readDegraded(
  trx: Trx,
  { clock }: Pick<Deps, 'clock'>,
  checks: readonly ToJudge[],
): Promise<DegradedCases> {
  if (checks.length === 0) return { cases: [], from: new Map() }
  // A process that trusts the time judges them within seconds.
  if (!clock.isTrusted()) {
    await judgeSoon(trx, checks)
    return { cases: [], from: new Map() }
  }
  const now = clock.now()
  const given = new Map(checks.map((check) => [check.check_id, check.from]))
  const found = await listDegradedCases(trx, checks)
  // Checks whose late results are still to come are judged when these have come.
  const cases = found.filter(
    (one) => given.get(one.check_id) !== undefined || !isPutOff(one.late_since, one.is_catching_up, now),
  )
  const from = new Map(cases.map((one) => [one.check_id, oldestNew(given.get(one.check_id), one.late_from)]))
  return { cases, from }
}

/**
 * Judges by stored results whether checks are degraded, and writes what changed: degradations, events, deliveries. Call it in the
 * same transaction after `judgeChecks`, because a check that is down does not become slow.
 */
export async function judgeDegraded(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  { cases, from }: DegradedCases,
): Promise<void> {
  if (cases.length === 0) return
  const now = deps.clock.now()
  const judged = await judgeSpeeds(trx, cases, from, now)
  const all = [
    await describeSpeeds(trx, deps, await withoutDown(trx, judged)),
    await judgeCertificates(trx, deps, cases, now),
  ]
  const [begun, ended] = [all.flatMap((found) => found.begun), all.flatMap((found) => found.ended)]
  await updateDegradationsEnded(trx, ended)
  await insertDegradations(trx, begun)
  await writeCorrections(trx, deps, judged, from)
  await raise(
    trx,
    deps,
    all.flatMap(({ events }) => events),
  )
  const ids = new Set([...begun, ...ended].map(({ check_id }) => check_id))
  const soon = fromDate(new Date(now.getTime() + OVERLAP_MS))
  const again = cases.flatMap(({ org_id, check_id, ...one }) => {
    const rejudge_at = ids.has(check_id) ? soon : lastsFrom(one, now)
    return rejudge_at === undefined ? [] : [{ org_id, check_id, rejudge_at }]
  })
  if (again.length > 0) await updateRejudgeAt(trx, again, fromDate(now))
}

/**
 * Returns the verdicts without those that make a check slow while it is down. Such a check becomes slow once it is up and still
 * slow.
 */
async function withoutDown(trx: Trx, judged: readonly JudgedSpeed[]): Promise<JudgedSpeed[]> {
  const beginning = judged.filter(({ judgement }) => judgement.change.kind === 'down')
  const down = await listDown(trx, beginning)
  const ids = new Set(down.map(({ check_id }) => check_id))
  return judged.filter(({ check_id, judgement }) => judgement.change.kind !== 'down' || !ids.has(check_id))
}

type DegradedRules = Pick<CheckFields, 'enabled' | 'url' | 'degraded_over_ms' | 'cert_warn_days' | 'cert_warn_percent'>

/** Returns the kinds of degradation that a check has no rule for. While it is paused, returns all. */
export function unfoundedKinds(rules: DegradedRules): DegradationKind[] {
  const { enabled, url, degraded_over_ms, cert_warn_days, cert_warn_percent } = rules
  const kinds: DegradationKind[] = []
  if (!enabled || degraded_over_ms === 0) kinds.push('slow')
  if (!enabled || (cert_warn_days === 0 && cert_warn_percent === 0)) kinds.push('certificate')
  if (!enabled || schemeOf(url) !== 'composite') kinds.push('members')
  if (!enabled || schemeOf(url) !== 'domain') kinds.push('registration')
  return kinds
}

// ---- speed ----------------------------------------------------------------------------------------------------------

interface JudgedSpeed extends DegradedCase {
  judgement: Judgement
  speeds: SpeedRow[]
}

async function judgeSpeeds(
  trx: Trx,
  all: readonly DegradedCase[],
  from: ReadonlyMap<number, string | undefined>,
  now: Date,
): Promise<JudgedSpeed[]> {
  const cases = all.filter(({ degraded_over_ms }) => degraded_over_ms > 0)
  if (cases.length === 0) return []
  const first = await readSpeeds(trx, cases, FIRST_LOOK, now)
  const judgeBy = (one: DegradedCase, { speeds, isWhole }: SpeedHistory): JudgedSpeed => {
    const { slow_since: down_since, slow_ended_at: last_ended_at, degraded_over_ms: over_ms } = one
    const rules = { threshold: one.degraded_after, gap_ms: gapMs(one), over_ms }
    return { ...one, speeds, judgement: judgeSpeed({ down_since, last_ended_at }, speeds, rules, now, isWhole) }
  }
  const judged = cases.map((one) => judgeBy(one, first.get(one.check_id) ?? NOTHING))
  const wanting = judged.filter(({ check_id, judgement, speeds }) => {
    const since = from.get(check_id)
    const oldest = speeds.at(-1)
    const lacksNew = since !== undefined && oldest !== undefined && oldest.at > since
    return !first.get(check_id)?.isWhole && (judgement.wantsOlder || lacksNew)
  })
  if (wanting.length === 0) return judged
  const second = await readSpeeds(trx, wanting, LONGEST, now)
  return judged.map((old) => {
    const read = second.get(old.check_id)
    return read ? judgeBy(old, read) : old
  })
}

interface SpeedHistory {
  speeds: SpeedRow[]
  /** Whether `speeds` contains all results that count. */
  isWhole: boolean
}
const NOTHING: SpeedHistory = { speeds: [], isWhole: true }

async function readSpeeds(
  trx: Trx,
  cases: readonly DegradedCase[],
  more: number,
  now: Date,
): Promise<Map<number, SpeedHistory>> {
  const spans = cases.map((one): Span => {
    const { org_id, check_id, judged_from, degraded_after } = one
    return { org_id, check_id, since: judged_from ?? EVER, before: judgedUntil(now), limit: degraded_after + more }
  })
  const lately = fromDate(new Date(now.getTime() - RECENT_MS))
  const found = Map.groupBy(await listSpeeds(trx, spans, lately), ({ check_id }) => check_id)
  const lacking = spans.filter(({ check_id, limit }) => (found.get(check_id) ?? []).length < limit)
  const further = lacking.filter(({ since }) => since === EVER || since < lately)
  for (const [check_id, own] of Map.groupBy(await listSpeeds(trx, further, EVER), (row) => row.check_id))
    found.set(check_id, own)
  return new Map(
    spans.map(({ check_id, limit }) => {
      const speeds = found.get(check_id) ?? []
      return [check_id, { speeds, isWhole: speeds.length < limit }]
    }),
  )
}

async function describeSpeeds(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  judged: readonly JudgedSpeed[],
): Promise<DegradationChanges> {
  const found: DegradationChanges = { begun: [], ended: [], events: [] }
  const changing = judged.filter(({ judgement }) => judgement.change.kind !== 'none')
  const names = await namesOfMonitors(trx, changing)
  for (const one of changing) {
    const { change } = one.judgement
    const [newest] = one.speeds
    if (change.kind === 'none' || !newest) continue
    const { org_id, check_id } = one
    const degradation_id = one.slow_id ?? newGuid(deps.random)
    if (change.kind === 'down') {
      const reason = slowReason(one)
      found.begun.push({ org_id, check_id, degradation_id, kind: 'slow', began_at: change.since, reason })
    } else {
      const end_reason = change.reason === 'threshold' ? 'rules' : 'recovered'
      found.ended.push({ org_id, check_id, degradation_id, ended_at: change.ended_at, end_reason })
    }
    found.events.push(slowEvent({ ...one, degradation_id }, change, newest, names))
  }
  return found
}

/** Records what late results show about the past. Sends no alert, because the degradation is over. */
async function writeCorrections(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  judged: readonly JudgedSpeed[],
  given: ReadonlyMap<number, string | undefined>,
): Promise<void> {
  for (const one of judged) {
    const { org_id, check_id, judgement } = one
    const from = given.get(check_id)
    if (from === undefined || !mayCorrect(judgement, one.slow_since, from)) continue
    const { missed, moved } = correct(judgement.spans, await listSlowSince(trx, one, from), from)
    await updateMoved(trx, 'degradations', org_id, moved)
    const reason = slowReason(one)
    await insertDegradations(
      trx,
      missed.map((span): NewDegradation => {
        const degradation_id = newGuid(deps.random)
        return { org_id, check_id, degradation_id, kind: 'slow', reason, ...span, end_reason: 'recovered' }
      }),
    )
  }
}

// ---- certificates ---------------------------------------------------------------------------------------------------

/** A check and the certificate that counts for it. */
interface SeenCertificate extends DegradedCase {
  row: CertificateRow
}

async function judgeCertificates(
  trx: Trx,
  deps: Pick<Deps, 'random'>,
  all: readonly DegradedCase[],
  now: Date,
): Promise<DegradationChanges> {
  const found: DegradationChanges = { begun: [], ended: [], events: [] }
  const cases = all.filter(({ cert_warn_days }) => cert_warn_days > 0)
  if (cases.length === 0) return found
  const seen = await readCertificates(trx, cases, now)
  const beginning: SeenCertificate[] = []
  const lasting: SeenCertificate[] = []
  const ending: (SeenCertificate & { reason: 'renewed' | 'rules' })[] = []
  for (const one of cases) {
    const row = certificateOf(seen.get(one.check_id) ?? [], gapMs(one))
    const change = judgeCertificate(one, row)
    if (change === 'none' && row && hasLasted(one, now)) lasting.push({ ...one, row })
    if (change === 'none' || !row) continue
    if (one.certificate_id !== null) {
      const end_reason = ({ end: 'recovered', rules: 'rules', replace: 'replaced', begin: 'replaced' } as const)[change]
      const { org_id, check_id, certificate_id: degradation_id } = one
      found.ended.push({ org_id, check_id, degradation_id, ended_at: row.at, end_reason })
    }
    if (change === 'begin' || change === 'replace') beginning.push({ ...one, row })
    else ending.push({ ...one, row, reason: change === 'end' ? 'renewed' : 'rules' })
  }
  found.events.push(...(await describeRenewed(trx, ending, lasting)))
  if (beginning.length === 0) return found
  const told = await listToldCertificates(
    trx,
    beginning.map(({ row, cert_warn_days }) => ({ ...row, warn_days: cert_warn_days })),
    fromDate(new Date(now.getTime() - QUIET_MS)),
  )
  const names = await namesOfMonitors(trx, beginning)
  for (const one of beginning) {
    const { org_id, check_id, cert_warn_days: warn_days, row } = one
    const { cert_expires_at, at: began_at } = row
    const degradation_id = newGuid(deps.random)
    const reason = certificateReason(row)
    const begun = { org_id, check_id, degradation_id, began_at, reason, cert_expires_at, warn_days }
    found.begun.push({ ...begun, kind: 'certificate' })
    // People are warned once about each certificate and number of days, however often it comes and goes. A warning that no one
    // received is repeated.
    if (told.some((old) => old.check_id === check_id)) continue
    found.events.push(certificateEvent({ ...one, degradation_id }, row, names))
  }
  return found
}

/**
 * Builds a renewal event for each ended certificate that people received a warning about, and a new warning for each of `lasting`
 * that was last reported as renewed. `lasting`: certificates that are back.
 */
async function describeRenewed(
  trx: Trx,
  ending: readonly (SeenCertificate & { reason: 'renewed' | 'rules' })[],
  lasting: readonly SeenCertificate[],
): Promise<EventToRaise[]> {
  const cases = [...ending, ...lasting]
  if (cases.length === 0) return []
  const [events, names] = [await listLastCertificateEvents(trx, cases), await namesOfMonitors(trx, cases)]
  const last = new Map(events.map((event) => [event.check_id, event]))
  const renewed = ending.flatMap(({ reason, ...one }) => {
    const before = last.get(one.check_id)
    if (before !== undefined && before.type !== 'check.certificate') return []
    // The earlier events are no longer stored, so that everyone is notified.
    const degradation_id = before?.incident_id ?? one.certificate_id ?? ''
    return [renewedEvent({ ...one, degradation_id }, one.row, { names, reason })]
  })
  const back = lasting.flatMap((one) => {
    const isRenewed = last.get(one.check_id)?.type === 'check.renewed'
    return isRenewed ? [certificateEvent({ ...one, degradation_id: one.certificate_id ?? '' }, one.row, names)] : []
  })
  return [...renewed, ...back]
}

type Untold = Pick<DegradedCase, 'is_certificate_untold' | 'certificate_since'>

/**
 * Whether a certificate without an alert has been back for long. A target with several servers may show now one certificate and
 * now another.
 */
function hasLasted({ is_certificate_untold, certificate_since }: Untold, now: Date): boolean {
  return (
    is_certificate_untold && certificate_since !== null && Date.parse(certificate_since) <= now.getTime() - LASTING_MS
  )
}

/**
 * Returns when {@link hasLasted} will become true. Returns undefined if there is no such certificate, or it has already lasted.
 */
function lastsFrom(one: Untold, now: Date): string | undefined {
  if (!one.is_certificate_untold || one.certificate_since === null || hasLasted(one, now)) return undefined
  return fromDate(new Date(Date.parse(one.certificate_since) + LASTING_MS))
}

async function readCertificates(
  trx: Trx,
  cases: readonly DegradedCase[],
  now: Date,
): Promise<Map<number, CertificateRow[]>> {
  const spans = cases.map((one): Span => {
    const { org_id, check_id, judged_from, monitors } = one
    const edge = fromDate(new Date(now.getTime() - Math.max(CERTIFICATE_MS, 2 * gapMs(one))))
    const since = judged_from !== null && judged_from > edge ? judged_from : edge
    return { org_id, check_id, since, before: judgedUntil(now), limit: ROUNDS * monitors + FIRST_LOOK }
  })
  const oldest = spans.reduce((least, { since }) => (since < least ? since : least), judgedUntil(now))
  return Map.groupBy(await listCertificates(trx, spans, oldest), ({ check_id }) => check_id)
}

/** Returns the names of the monitors that run these checks, by id. */
async function namesOfMonitors(trx: Trx, keys: readonly CheckKey[]): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const monitors = await listActiveMonitors(trx, keys)
  return new Map(monitors.map(({ id, name }) => [id, name]))
}
