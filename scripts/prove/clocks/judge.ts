// Judges a scenario: every result is stored, every alert came in time and no other, the history is what the results say, and the wrong clock
// was visible.
import { listDays, listHours } from '../../../packages/server/dist/store/results/history.js'
import type { Arrival } from '../../lab/alerts/receiver.ts'
import { uploadsThrough } from '../../lab/clients/door.ts'
import { countBy, tally } from '../../lab/proof.ts'
import { numberOf, query, storedKeys } from '../../lab/world.ts'
import { INTERVAL_SEC, type Lab, steadyTargets } from './lab.ts'
import type { ServerProcess } from './processes.ts'
import { AGREED_MS, type Change, doubters, type Course, returns } from './scenario.ts'

export interface Verdict {
  figures: string[]
  faults: string[]
}

/** Tolerances of a time stamp. A result may have waited for its upload. */
const [STAMP_BEHIND_MS, STAMP_AHEAD_MS] = [120_000, 3000]
/** Tolerance of the time in an alert, which is that of the first run that shows the change. */
const FOUND_MS = 10_000
/** Precision of the offset that an agent measures. */
const METRIC_OFF_SEC = 2
const LEAST_RUNS = 0.7
const DAY_MS = 86_400_000

export async function judge(lab: Lab, played: Course): Promise<Verdict> {
  const servers = [...lab.webs, lab.worker]
  const errors = servers.flatMap((server) => server.errors)
  const parts = [
    judgeSight(lab, played),
    await judgeResults(lab, played),
    judgeAlerts(lab, played),
    judgeRuns(lab, played),
    await judgeHistory(lab),
    judgeCallers(lab, played),
    verdict([errors.length > 0 && `${errors.length} other errors in the logs, the last: ${errors.at(-1)}`], []),
  ]
  return {
    figures: parts.flatMap(({ figures }) => figures),
    faults: [...parts.flatMap(({ faults }) => faults), ...servers.flatMap(({ ends }) => ends)],
  }
}

function verdict(figures: readonly (string | false)[], faults: readonly (string | false)[]): Verdict {
  const isText = (text: string | false) => text !== false
  return { figures: figures.filter(isText), faults: faults.filter(isText) }
}

function judgeSight(lab: Lab, played: Course): Verdict {
  const { scenario, agentsAhead } = played
  if (scenario.subject === 'nothing') return verdict([], [])
  if (scenario.subject === 'agents') {
    const isTrue = (ahead?: number) => ahead !== undefined && Math.abs(ahead + scenario.ahead_sec) < METRIC_OFF_SEC
    const figure = `agents saw the server ahead by ${agentsAhead.map((sec) => `${sec?.toFixed(1) ?? '?'} s`).join(', ')}`
    return verdict(
      [figure],
      [!agentsAhead.every(isTrue) && 'the metrics of an agent do not show how wrong its clock is'],
    )
  }
  const sights = doubters(lab, scenario).map((server) => sightOf(server, played))
  const worst = (name: keyof Sight) => Math.max(...sights.map((sight) => sight[name] ?? Infinity))
  const after = (name: keyof Sight) => (worst(name) === Infinity ? 'never' : `after ${seconds(worst(name))}`)
  const isBack = returns(scenario)
  return verdict(
    [
      `seen by /readyz ${after('readyz')}, metrics ${after('metric')}, log ${after('line')}`,
      isBack && `ready again ${after('again')}`,
    ],
    [
      worst('readyz') === Infinity && '/readyz does not show that the clock is wrong',
      worst('metric') === Infinity && 'no metric shows that the clock is wrong',
      worst('line') === Infinity && 'no line of the log says that the clock is wrong',
      isBack && worst('again') > AGREED_MS && `ready again ${after('again')}`,
    ],
  )
}

/** Times in milliseconds until a server showed the wrong clock, and until it was well again. */
type Sight = Record<'readyz' | 'metric' | 'line' | 'again', number | undefined>

function sightOf({ looks, clockLines }: ServerProcess, { wrong_at, right_at }: Course): Sight {
  const during = <Thing extends { at: number }>(things: readonly Thing[]) =>
    things.filter(({ at }) => at >= wrong_at && at < right_at)
  const since = (from: number, thing?: { at: number }) => thing && thing.at - from
  const lastIll = looks.findLast(({ at, obstacle }) => at >= right_at && obstacle !== undefined)
  const again = looks.find(({ at, obstacle }) => at > (lastIll?.at ?? right_at) && obstacle === undefined)
  const notReady = during(looks).find(({ obstacle }) => /clock|time/i.test(obstacle ?? ''))
  return {
    readyz: since(wrong_at, notReady),
    metric: since(
      wrong_at,
      during(looks).find(({ showsClock }) => showsClock),
    ),
    line: since(wrong_at, during(clockLines)[0]),
    again: since(right_at, again),
  }
}

async function judgeResults({ deps, orgs, agents, sdk, stock }: Lab, { wrong_at }: Course): Promise<Verdict> {
  const keysOf = async (org_ids: readonly number[]) =>
    (await Promise.all(org_ids.map((org_id) => storedKeys(deps, org_id)))).flat()
  const withoutMonitor = (key: string) => key.replace(/ \S+ /, ' ')
  const stored = new Set((await keysOf(orgs.map(({ org_id }) => org_id))).map(withoutMonitor))
  const uploads = agents.flatMap(({ door }) => uploadsThrough(door))
  const results = uploads.flatMap(({ at, results: own }) => own.map((result) => ({ ...result, at })))
  const missing = results.filter(({ check_guid, ran_at }) => !stored.has(`${check_guid} ${Date.parse(ran_at)}`))
  const strange = results.filter(({ at, ran_at }) => {
    const behind = at - Date.parse(ran_at)
    return behind > STAMP_BEHIND_MS || behind < -STAMP_AHEAD_MS
  })
  const { acknowledged, made, faults } = sdk.book
  const ofSdk = new Set(await storedKeys(deps, sdk.org_id))
  const lost = missing.length + [...acknowledged].filter((key) => !ofSdk.has(key)).length
  const kept = (await keysOf(stock.org_ids)).length
  return verdict(
    [
      `${results.length + acknowledged.size} results acknowledged, ${lost} lost`,
      `${kept} of ${stock.count} older ones kept`,
      strange.length > 0 && `${strange.length} with a wrong time`,
    ],
    [
      lost > 0 && `${lost} acknowledged results are lost`,
      kept < stock.count && `${stock.count - kept} results of the month before were deleted`,
      strange.length > 0 && `${strange.length} results have a time that is far from true`,
      uploads.every(({ at }) => at < wrong_at) && 'no agent uploaded a result after the jump',
      made.size > acknowledged.size && `${made.size - acknowledged.size} results of the SDK were never accepted`,
      ...faults,
    ],
  )
}

function judgeAlerts(lab: Lab, { changes }: Course): Verdict {
  const { receiver } = lab
  const labels = new Map(changes.map(({ about, label }) => [about, label]))
  const taken = receiver.arrivals.filter(({ answer }) => answer === 'accepted')
  const first = taken.filter(({ webhook_id }, n) => taken.findIndex((one) => one.webhook_id === webhook_id) === n)
  const [wrong, missing, late]: [string[], string[], string[]] = [[], [], []]
  let slowest_ms = 0
  for (const [about, expected] of Map.groupBy(changes, (change) => change.about)) {
    const left = first.filter((arrival) => arrival.about === about)
    for (const change of expected) {
      const position = left.findIndex(({ type }) => type === change.type)
      const [arrival] = position < 0 ? [] : left.splice(position, 1)
      if (!arrival) {
        missing.push(`${change.label}: ${change.type}`)
        continue
      }
      slowest_ms = Math.max(slowest_ms, arrival.at - change.at)
      wrong.push(...misdated(change, arrival))
      if (arrival.at > change.by)
        late.push(`${change.label}: ${change.type} ${seconds(arrival.at - change.by)} too late`)
    }
    wrong.push(...left.map(({ type }) => `${labels.get(about)}: ${type}, which did not happen`))
  }
  const strangers = first.filter(({ about }) => !labels.has(about))
  wrong.push(...strangers.map(({ type, body }) => `${type} ${body.slice(0, 160)}`))
  const untimely = receiver.faults.filter((fault) => /timestamp/.test(fault))
  const others = receiver.faults.filter((fault) => !untimely.includes(fault))
  const some = (all: readonly string[], what: string) =>
    all.length > 0 && `${all.length} ${what}: ${all.slice(0, 4).join('; ')}`
  return verdict(
    [
      `${changes.length - missing.length} of ${changes.length} alerts came, ${wrong.length} false, ${late.length} late, slowest ${seconds(slowest_ms)}`,
      untimely.length > 0 && `${untimely.length} webhooks refused for their timestamp`,
    ],
    [some(missing, 'never came'), some(late, 'late'), some(wrong, 'false'), some(others, 'webhooks')],
  )
}

function misdated(change: Change, { at, type, since, ended_at }: Arrival): string[] {
  if (at < change.at) return [`${change.label}: ${type} ${seconds(change.at - at)} before it happened`]
  const said = type.endsWith('.up') ? ended_at : since
  const isRight =
    said === undefined || (said >= change.at - FOUND_MS && said <= Math.max(change.at + FOUND_MS, change.by))
  return isRight ? [] : [`${change.label}: ${type} has a time that is off by ${seconds(said - change.at)}`]
}

function judgeRuns(lab: Lab, { wrong_at, right_at, ended_at }: Course): Verdict {
  const share = (from: number, to: number): number => {
    const due = (to - from) / (INTERVAL_SEC * 1000)
    const counts = steadyTargets(lab).map(
      (name) => lab.site.visitsOf(name).filter((at) => at >= from && at < to).length,
    )
    return Math.min(...counts) / due
  }
  const [during, afterwards] = [share(wrong_at, right_at), share(right_at, ended_at)]
  const percent = (part: number) => `${Math.round(part * 100)} %`
  return verdict(
    [`least runs of a target ${percent(during)} of those due, afterwards ${percent(afterwards)}`],
    [
      during < LEAST_RUNS && `a target ran only ${percent(during)} as often as due`,
      afterwards < LEAST_RUNS && `afterwards a target ran only ${percent(afterwards)} as often as due`,
    ],
  )
}

async function judgeHistory({ deps, orgs, stock, sdk }: Lab): Promise<Verdict> {
  const ahead = await numberOf(deps, 'select coalesce(extract(epoch from hours_until - now()), 0) from rollup_progress')
  const faults = ahead > 0 ? [`hours are folded up to ${seconds(ahead * 1000)} from now`] : []
  for (const org_id of [...orgs.map((org) => org.org_id), ...stock.org_ids, sdk.org_id]) {
    for (const unit of ['hour', 'day'] as const) {
      const differing = await countDiffering(deps, org_id, unit)
      if (differing > 0) faults.push(`${differing} ${unit}s of org ${org_id} differ from the results`)
    }
  }
  return verdict([faults.length === 0 ? 'history true' : 'history untrue'], faults)
}

const RUNS = `
  select check_id || ' ' || wire_time(date_trunc($2, ran_at, 'UTC')) || ' ' || count(*) || ' ' ||
    count(*) filter (where not success) as key
  from stored_results where org_id = $1 group by check_id, date_trunc($2, ran_at, 'UTC')`

async function countDiffering(deps: Lab['deps'], org_id: number, unit: 'hour' | 'day'): Promise<number> {
  const checks = await query<{ check_id: number }>(
    deps,
    'select check_id::integer from checks where org_id = $1',
    org_id,
  )
  const dayFrom = (days: number) => new Date(Math.floor(Date.now() / DAY_MS + days) * DAY_MS).toISOString()
  const span = { org_id, check_ids: checks.map(({ check_id }) => check_id), from: dayFrom(-40), until: dayFrom(500) }
  const listed = await (unit === 'hour' ? listHours : listDays)(deps.database, span)
  const history = new Set(listed.map(({ check_id, at, runs, failures }) => `${check_id} ${at} ${runs} ${failures}`))
  const counts = new Set((await query<{ key: string }>(deps, RUNS, org_id, unit)).map(({ key }) => key))
  return [...history].filter((one) => !counts.has(one)).length + [...counts].filter((one) => !history.has(one)).length
}

function judgeCallers({ readings, jobs }: Lab, { wrong_at, right_at }: Course): Verdict {
  const bad = readings.filter(({ at, status }) => at >= wrong_at && status !== 200)
  const afterwards = bad.filter(({ at }) => at > right_at + AGREED_MS).length
  const refused = bad.filter(({ status }) => status === 401 || status === 429)
  const missed = jobs.steady.missed.filter((at) => at > right_at + AGREED_MS).length
  const refusals = tally(countBy(jobs.steady.refusals, ({ status }) => `with ${status}`))
  return verdict(
    [
      refusals !== 'none' && `pings refused: ${refusals}`,
      bad.length > 0 && `${bad.length} of ${readings.length} readings refused`,
    ],
    [
      refused.length > 0 && `${refused.length} readings of the account had the status ${refused[0]?.status}`,
      afterwards > 0 && `${afterwards} readings failed after the clocks agreed`,
      missed > 0 && `no server accepted ${missed} pings after the clocks agreed`,
    ],
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
