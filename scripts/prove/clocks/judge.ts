// Judges a story: whether every result is stored, every alert was sent in time and no other, the history matches the
// results, and the wrong clock could be noticed.
import { listDays, listHours } from '../../../packages/server/dist/store/results/history.js'
import type { Arrival } from '../alerting/receiver.ts'
import { countBy, countedRuns, storedKeys } from '../support/stored.ts'
import { INTERVAL_SEC, type Lab } from './lab.ts'
import type { Look, ServerProcess } from './processes.ts'
import { type Change, doubters, type Played, returns, steadyTargets } from './scenario.ts'

export interface Verdict {
  figures: string[]
  faults: string[]
}

/** From when the clocks agree until all is as before. */
const AGREED_MS = 10_000
/** How far a stamp may be behind what is true: what waited for its upload. And ahead. */
const STAMP_BEHIND_MS = 120_000
const STAMP_AHEAD_MS = 3000
/** A change is dated by the first run that shows it. */
const FOUND_MS = 10_000
/** How precisely an agent must know how wrong its clock is. */
const METRIC_OFF_SEC = 2
const LEAST_RUNS = 0.7
const DAY_MS = 86_400_000

export async function judge(lab: Lab, played: Played): Promise<Verdict> {
  const parts = [
    judgeSight(lab, played),
    await judgeResults(lab, played),
    judgeAlerts(lab, played),
    judgeRuns(lab, played),
    await judgeHistory(lab),
    judgeCallers(lab, played),
    judgeServers(lab),
  ]
  return { figures: parts.flatMap(({ figures }) => figures), faults: parts.flatMap(({ faults }) => faults) }
}

function judgeSight(lab: Lab, played: Played): Verdict {
  if (played.scenario.subject === 'nothing') return { figures: [], faults: [] }
  if (played.scenario.subject === 'agents') return judgeAgentsSight(lab, played)
  const sights = doubters(lab, played.scenario).map((server) => sightOf(server, played))
  const worst = (pick: (sight: Sight) => number | undefined) => {
    const all = sights.map(pick)
    return all.includes(undefined) ? undefined : Math.max(...(all as number[]))
  }
  const [notReady, metric, line, again] = [
    worst(({ notReady_ms }) => notReady_ms),
    worst(({ metric_ms }) => metric_ms),
    worst(({ line_ms }) => line_ms),
    worst(({ again_ms }) => again_ms),
  ]
  const comesBack = returns(played.scenario)
  return {
    figures: [
      `seen by /readyz ${after(notReady)}, metrics ${after(metric)}, log ${after(line)}`,
      ...(comesBack ? [`ready again ${after(again)}`] : []),
    ],
    faults: [
      ...(notReady === undefined ? ['/readyz does not show that the clock is wrong'] : []),
      ...(metric === undefined ? ['no metric shows that the clock is wrong'] : []),
      ...(line === undefined ? ['no line of the log says that the clock is wrong'] : []),
      ...(comesBack && !(again !== undefined && again <= AGREED_MS) ? [`ready again ${after(again)}`] : []),
    ],
  }
}

interface Sight {
  notReady_ms: number | undefined
  metric_ms: number | undefined
  line_ms: number | undefined
  again_ms: number | undefined
}

function sightOf({ looks, clockLines }: ServerProcess, { wrong_at, right_at }: Played): Sight {
  const during = looks.filter(({ at }) => at >= wrong_at && at < right_at)
  const since = (from: number, thing: { at: number } | undefined) => thing && thing.at - from
  const isWell = ({ obstacle }: Look) => obstacle === undefined
  const lastIll = looks.findLast((look) => look.at >= right_at && !isWell(look))
  const again = looks.find((look) => look.at > (lastIll?.at ?? right_at) && isWell(look))
  return {
    notReady_ms: since(
      wrong_at,
      during.find(({ obstacle }) => /clock|time/i.test(obstacle ?? '')),
    ),
    metric_ms: since(
      wrong_at,
      during.find(({ clock }) => clock.length > 0),
    ),
    line_ms: since(
      wrong_at,
      clockLines.find(({ at }) => at >= wrong_at && at < right_at),
    ),
    again_ms: since(right_at, again),
  }
}

function judgeAgentsSight({ wrongAgents }: Lab, { scenario, agentsAhead }: Played): Verdict {
  const lines = wrongAgents.map(({ running }) => running.log.filter(({ event }) => event.startsWith('clock')).length)
  const isTrue = (server_ahead: number | undefined) =>
    server_ahead !== undefined && Math.abs(server_ahead + scenario.ahead_sec) < METRIC_OFF_SEC
  return {
    figures: [
      `by the agents' metrics the server was ahead by ${agentsAhead.map((sec) => `${sec?.toFixed(1) ?? '?'} s`).join(', ')}`,
      `${lines.join(' and ')} lines about it`,
    ],
    faults: [...(agentsAhead.every(isTrue) ? [] : ['the metrics of an agent do not show how wrong its clock is'])],
  }
}

async function judgeResults({ deps, orgs, agents, sdk, stock }: Lab, { wrong_at }: Played): Promise<Verdict> {
  const stored = new Set(
    (await Promise.all(orgs.map(({ org_id }) => storedKeys(deps, org_id)))).flat().map(withoutMonitor),
  )
  const uploads = agents.flatMap(({ door }) =>
    door.passages.filter(({ route, status }) => route.endsWith('/results') && status === 200),
  )
  const results = uploads.flatMap(({ at, body }) => resultsIn(body).map((result) => ({ ...result, at })))
  const lost = results.filter(({ check_guid, ran_at }) => !stored.has(`${check_guid} ${Date.parse(ran_at)}`))
  const strange = results.filter(({ at, ran_at }) => {
    const behind = at - Date.parse(ran_at)
    return behind > STAMP_BEHIND_MS || behind < -STAMP_AHEAD_MS
  })
  const ofSdk = await storedKeys(deps, sdk.org_id)
  const sdkStored = new Set(ofSdk)
  const sdkLost = [...sdk.book.acknowledged].filter((key) => !sdkStored.has(key))
  const untaken = sdk.book.made.size - sdk.book.acknowledged.size
  const kept = (await Promise.all(stock.org_ids.map((org_id) => storedKeys(deps, org_id)))).flat().length
  const acknowledged = results.length + sdk.book.acknowledged.size
  const meanwhile = uploads.filter(({ at }) => at >= wrong_at).length
  return {
    figures: [
      `${acknowledged} results acknowledged, ${lost.length + sdkLost.length} lost`,
      `${kept} of ${stock.count} older ones kept`,
      ...(strange.length > 0 ? [`${strange.length} stamped wrong`] : []),
    ],
    faults: [
      ...(lost.length + sdkLost.length > 0 ? [`${lost.length + sdkLost.length} acknowledged results are lost`] : []),
      ...(kept < stock.count ? [`${stock.count - kept} results of the month before were deleted`] : []),
      ...(strange.length > 0 ? [`${strange.length} results are stamped with a time that is far from true`] : []),
      ...(meanwhile === 0 ? ['no agent uploaded anything any more'] : []),
      ...(untaken > 0 ? [`${untaken} results of the monitor on the SDK were never taken`] : []),
      ...sdk.book.faults,
    ],
  }
}

interface Sent {
  check_guid: string
  ran_at: string
}

function resultsIn(body: string): Sent[] {
  return (JSON.parse(body) as { results: Sent[] }).results
}

function withoutMonitor(key: string): string {
  const [guid, , at] = key.split(' ')
  return `${guid} ${at}`
}

function judgeAlerts(lab: Lab, { changes }: Played): Verdict {
  const { receiver } = lab
  const labels = new Map(changes.map(({ about, label }) => [about, label]))
  const seen = new Set<string>()
  const first = receiver.arrivals.filter(({ answer, webhook_id }) => {
    if (answer !== 'taken' || seen.has(webhook_id)) return false
    return seen.add(webhook_id)
  })
  const wrong: string[] = []
  const missing: string[] = []
  const late: string[] = []
  let slowest_ms = 0
  for (const [about, expected] of Map.groupBy(changes, (change) => change.about)) {
    const told = first.filter((arrival) => arrival.about === about)
    for (const change of expected) {
      const place = told.findIndex(({ type }) => type === change.type)
      const arrival = told[place]
      if (!arrival) {
        missing.push(`${change.label}: ${change.type}`)
        continue
      }
      told.splice(place, 1)
      slowest_ms = Math.max(slowest_ms, arrival.at - change.at)
      wrong.push(...misdated(change, arrival))
      if (arrival.at > change.by)
        late.push(`${change.label}: ${change.type} ${seconds(arrival.at - change.by)} too late`)
    }
    wrong.push(...told.map(({ type }) => `${labels.get(about)}: ${type}, which did not happen`))
  }
  wrong.push(...first.filter(({ about }) => !labels.has(about)).map((arrival) => strangerIn(lab, arrival)))
  const untimely = receiver.faults.filter((fault) => /timestamp/.test(fault)).length
  const others = receiver.faults.filter((fault) => !/timestamp/.test(fault))
  return {
    figures: [
      `${changes.length - missing.length} of ${changes.length} alerts told, ${wrong.length} false, ${late.length} late, slowest ${seconds(slowest_ms)}`,
      ...(untimely > 0 ? [`${untimely} webhooks refused for their timestamp`] : []),
    ],
    faults: [
      ...some(missing, 'never told'),
      ...some(late, 'told late'),
      ...some(wrong, 'false'),
      ...some(others, 'webhooks'),
    ],
  }
}

function misdated(change: Change, { at, type, since, ended_at }: Arrival): string[] {
  if (at < change.at) return [`${change.label}: ${type} ${seconds(change.at - at)} before it happened`]
  const said = type.endsWith('.up') ? ended_at : since
  if (said === undefined) return []
  const off = said - change.at
  return off < -FOUND_MS || said > Math.max(change.at + FOUND_MS, change.by)
    ? [`${change.label}: ${type} says a time that is off by ${seconds(off)}`]
    : []
}

function strangerIn({ orgs, jobs }: Lab, { about, type, body }: Arrival): string {
  const target = orgs.flatMap(({ name, guids }) => [...guids].map(([of, guid]) => ({ name: `${name}-${of}`, guid })))
  const job = Object.entries(jobs).map(([name, { guid }]) => ({ name, guid }))
  const known = [...target, ...job].find(({ guid }) => guid === about)?.name
  return `${known ?? 'monitors'}: ${type}${known === undefined ? ` ${body.slice(0, 120)}` : ''}`
}

function judgeRuns(lab: Lab, { wrong_at, right_at, ended_at }: Played): Verdict {
  const share = (from: number, to: number): number => {
    const due = (to - from) / (INTERVAL_SEC * 1000)
    const shares = steadyTargets(lab).map(
      (name) => lab.targets.visitsOf(name).filter((at) => at >= from && at < to).length / due,
    )
    return Math.min(...shares)
  }
  const [during, afterwards] = [share(wrong_at, right_at), share(right_at, ended_at)]
  const percent = (part: number) => `${Math.round(part * 100)} %`
  return {
    figures: [`least runs of a target ${percent(during)} of those due, afterwards ${percent(afterwards)}`],
    faults: [
      ...(during < LEAST_RUNS ? [`a target was looked at only ${percent(during)} as often as due`] : []),
      ...(afterwards < LEAST_RUNS
        ? [`afterwards a target was looked at only ${percent(afterwards)} as often as due`]
        : []),
    ],
  }
}

async function judgeHistory({ deps, orgs, stock, sdk }: Lab): Promise<Verdict> {
  const { machines } = deps.database.pools
  const faults: string[] = []
  const { rows } = await machines.query<{ ahead: number | null }>(
    'select extract(epoch from hours_until - now())::float8 as ahead from rollup_progress',
  )
  const ahead = rows[0]?.ahead ?? null
  if (ahead !== null && ahead > 0)
    faults.push(`hours are folded that have not been, up to ${seconds(ahead * 1000)} from now`)
  for (const org_id of [...orgs.map((org) => org.org_id), ...stock.org_ids, sdk.org_id]) {
    for (const unit of ['hour', 'day'] as const) {
      const differing = await differingIn(deps, org_id, unit)
      if (differing > 0)
        faults.push(`the history tells ${differing} ${unit}s of org ${org_id} other than the results do`)
    }
  }
  return { figures: faults.length === 0 ? ['history true'] : ['history untrue'], faults }
}

async function differingIn(deps: Lab['deps'], org_id: number, unit: 'hour' | 'day'): Promise<number> {
  const { database } = deps
  const { rows: checks } = await database.pools.machines.query<{ check_id: number }>(
    'select check_id::integer from checks where org_id = $1',
    [org_id],
  )
  const check_ids = checks.map(({ check_id }) => check_id)
  const from = new Date(Math.floor(Date.now() / DAY_MS - 40) * DAY_MS).toISOString()
  const until = new Date(Math.floor(Date.now() / DAY_MS + 500) * DAY_MS).toISOString()
  const told = await (unit === 'hour' ? listHours : listDays)(database, { org_id, check_ids, from, until })
  const tells = new Set(told.map(({ check_id, at, runs, failures }) => `${check_id} ${at} ${runs} ${failures}`))
  const counts = new Set(await countedRuns(deps, org_id, unit))
  return [...counts].filter((one) => !tells.has(one)).length + [...tells].filter((one) => !counts.has(one)).length
}

function judgeCallers({ readings, jobs }: Lab, { wrong_at, right_at }: Played): Verdict {
  const bad = readings.filter(({ at, status }) => at >= wrong_at && status !== 200)
  const afterwards = bad.filter(({ at }) => at > right_at + AGREED_MS)
  const refused = bad.filter(({ status }) => status === 401 || status === 429)
  const missed = jobs.steady.missed.filter((at) => at > right_at + AGREED_MS).length
  const refusals = [...countBy(jobs.steady.refusals, ({ status }) => String(status))]
    .map(([status, count]) => `${count} with ${status}`)
    .join(', ')
  return {
    figures: [
      ...(refusals ? [`pings refused: ${refusals}`] : []),
      ...(bad.length > 0 ? [`${bad.length} of ${readings.length} readings refused`] : []),
    ],
    faults: [
      ...(refused.length > 0 ? [`${refused.length} readings of the account were answered ${refused[0]?.status}`] : []),
      ...(afterwards.length > 0 ? [`${afterwards.length} readings failed after the clocks agreed`] : []),
      ...(missed > 0 ? [`${missed} pings were taken by nobody after the clocks agreed`] : []),
    ],
  }
}

function judgeServers({ webs, worker }: Lab): Verdict {
  const servers = [...webs, worker]
  const errors = servers.flatMap((server) => server.errors)
  return {
    figures:
      errors.length > 0 ? [`${errors.length} other errors in the logs, the last: ${errors.at(-1)?.slice(0, 100)}`] : [],
    faults: servers.flatMap(({ ends }) => ends),
  }
}

function some(all: readonly string[], what: string): string[] {
  if (all.length === 0) return []
  return [`${all.length} ${what}: ${all.slice(0, 4).join('; ')}${all.length > 4 ? '; …' : ''}`]
}

function after(ms: number | undefined): string {
  return ms === undefined ? 'never' : `after ${seconds(ms)}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
