// Plays a scenario: all clocks are right, some jump while targets, checks and heartbeats change state, and then they come back.
// Requires that every result is stored, every alert came in time, and the history fits the results.
import { setTimeout as pause } from 'node:timers/promises'
import { judgeAlerts, readDeliveries } from '../../lab/alerts/judge.ts'
import type { Side, Story } from '../../lab/alerts/stories.ts'
import { tallyFailures } from '../../lab/clients/book.ts'
import { uploadsThrough } from '../../lab/clients/door.ts'
import { differingHistory } from '../../lab/history.ts'
import { type Outcome, until } from '../../lab/proof.ts'
import { numberOf, storedKeys } from '../../lab/world.ts'
import { INTERVAL_SEC, type Lab } from './lab.ts'
import { POSTGRES_SEES_MS, type WrongClock } from './wrong-clock.ts'

export type Subject = 'nothing' | 'web' | 'worker' | 'database' | 'agents' | 'database and servers'

export interface Scenario {
  subject: Subject
  ahead_sec: number
  hold_ms: number
  /** Whether the process starts with a wrong clock, which is corrected while the process runs. */
  isBegun: boolean
}

/** Maximum time until alerts arrive after the clocks are right again, in milliseconds. */
const AGREED_MS = 10_000
const AFTER_MS = 15_000
/**
 * Maximum time of an alert while all clocks are right, in milliseconds. On a slow machine, the slowest alert from before the jump
 * sets the maximum, plus the second number.
 */
const [NORMAL_MS, SLACK_MS] = [12_000, 5000]
/**
 * Time until a silent job's heartbeat is down, in milliseconds: its interval, its grace period, and the time until the server
 * notes that it accepts pings again.
 */
const SILENT_MS = 13_000
/** Tolerance for the time in an alert, in milliseconds. That time is the time of the first run that shows the change. */
const FOUND_MS = 10_000
/** Tolerances for the time of a result, in milliseconds. The result may have waited for its upload. */
const [STAMP_BEHIND_MS, STAMP_AHEAD_MS] = [120_000, 3000]
const LEAST_RUNS = 0.7
const WELL_MS = 90_000

interface Times {
  wrong_at: number
  right_at: number
  ended_at: number
}

export async function play(lab: Lab, scenario: Scenario): Promise<Outcome> {
  const { subject, ahead_sec, hold_ms } = scenario
  const { fleet, targets, stock, deps } = lab
  const clocks = clocksOf(lab, subject)
  const set = async (sec: number): Promise<void> => {
    for (const clock of clocks) clock.set(sec)
    if (clocks.includes(lab.clocks.database)) await pause(POSTGRES_SEES_MS)
  }
  const wrong_at = Date.now()
  await set(ahead_sec)
  if (scenario.isBegun) await restart(lab, subject)
  await pause(hold_ms)
  await set(0)
  const right_at = Date.now()
  await pause(AFTER_MS)
  const kept = (await storedKeys(deps, stock.org_id)).length
  const ofStock: Outcome = {
    figures: [`${kept} of ${stock.count} older results kept`],
    faults: [kept < stock.count && `${stock.count - kept} results of the month before were deleted`],
  }
  if (subject === 'database and servers') return merge([ofStock, await judgeGoesOn(lab, right_at)])
  await Promise.all([fleet.finish(), ...targets.map((one) => one.finish())])
  const times = { wrong_at, right_at, ended_at: Date.now() }
  await Promise.all(targets.flatMap(({ agents }) => agents.map(({ running }) => running.stop())))
  return merge([
    ofStock,
    judgeSight(lab, subject, times),
    await judgeAlertsOf(lab, scenario, times),
    await judgeResults(lab, times),
    judgeRuns(lab, times),
    await judgeHistory(lab),
  ])
}

function sidesOf({ fleet, targets }: Lab): Side[] {
  return [fleet, ...targets.map(({ side }) => side)]
}

function merge(parts: readonly Outcome[]): Outcome {
  return { figures: parts.flatMap(({ figures }) => figures), faults: parts.flatMap(({ faults }) => faults) }
}

function clocksOf({ clocks, servers }: Lab, subject: Subject): WrongClock[] {
  const own = servers.map(({ clock }) => clock)
  if (subject === 'database and servers') return [clocks.database, ...own]
  if (subject === 'database' || subject === 'agents') return [clocks[subject]]
  return subject === 'nothing' ? [] : own.slice(subject === 'web' ? 0 : 2).slice(0, 1)
}

/** Restarts the process with the wrong clock. If the database's clock is wrong, restarts agents. */
async function restart({ servers, targets }: Lab, subject: Subject): Promise<void> {
  if (subject === 'web' || subject === 'worker') return servers[subject === 'web' ? 0 : 2]?.restart()
  const agents = targets.flatMap((one) => one.agents.filter(({ isWrong }) => isWrong))
  await Promise.all(agents.map((agent) => agent.restart()))
}

/**
 * Requires that every target and job changes state again, and causes alerts, although all clocks are wrong together and so
 * nothing contradicts them. Ignores the results of clients on the SDK, which seem too old then.
 */
async function judgeGoesOn(lab: Lab, right_at: number): Promise<Outcome> {
  const stories = sidesOf(lab).flatMap((side) =>
    side.stories.filter(({ name, isSteady }) => !isSteady && !name.startsWith('shop')),
  )
  const told = ({ side, guid }: Story) =>
    side.hearers.every((hearer) =>
      ['.down', '.up'].every((end) =>
        hearer.takenAbout(guid).some(({ type, at }) => type.endsWith(end) && at > right_at),
      ),
    )
  await until(() => stories.every(told), WELL_MS)
  const deaf = stories.filter((story) => !told(story)).map(({ side, name }) => `${side.name} ${name}`)
  return {
    figures: [`${stories.length} subjects alerted afterwards, within ${seconds(Date.now() - right_at)}`],
    faults: deaf.map((subject) => `${subject} is not alerted afterwards`),
  }
}

/** Requires that each server that can notice the wrong clock reported it, and was ready again soon after the clock was right. */
function judgeSight({ servers }: Lab, subject: Subject, { wrong_at, right_at }: Times): Outcome {
  const doubters = { web: servers.slice(0, 1), worker: servers.slice(2), database: servers }
  const sights = (doubters[subject as keyof typeof doubters] ?? []).map(({ looks }) => {
    const seen = looks.find(({ at, obstacle = '' }) => at >= wrong_at && at < right_at && /clock|time/i.test(obstacle))
    const lastIll = looks.findLast(({ at, obstacle }) => at >= right_at && obstacle !== undefined)
    const again = looks.find(({ at, obstacle }) => at > (lastIll?.at ?? right_at) && obstacle === undefined)
    return [(seen?.at ?? Infinity) - wrong_at, (again?.at ?? Infinity) - right_at] as const
  })
  const [seen_ms, again_ms] = ([0, 1] as const).map((n) => Math.max(0, ...sights.map((sight) => sight[n])))
  const figure = `not ready after ${seconds(seen_ms ?? 0)}, ready again after ${seconds(again_ms ?? 0)}`
  const errors = servers.flatMap((server) => server.errors)
  return {
    figures: [sights.length > 0 && figure],
    faults: [
      (seen_ms === Infinity || (again_ms ?? 0) > AGREED_MS) && figure,
      errors.length > 0 && `${errors.length} other errors in the logs, the last: ${errors.at(-1)}`,
    ],
  }
}

/**
 * Requires one alert for each change, with its time. The alert must come soon, or soon after the clocks are right again if a
 * clock of the service was wrong.
 */
async function judgeAlertsOf(lab: Lab, { subject, hold_ms }: Scenario, times: Times): Promise<Outcome> {
  const { deps, fleet, targets } = lab
  const { wrong_at, right_at } = times
  const mayWait = subject === 'web' || subject === 'worker' || subject === 'database'
  const tolerance_ms = mayWait ? hold_ms + FOUND_MS : FOUND_MS
  const ofFleet = await fleet.judge(() => true, tolerance_ms)
  const ofTargets = await Promise.all(
    targets.map(async ({ side }) => judgeAlerts(side, await readDeliveries(deps, side.org_id), tolerance_ms)),
  )
  const waits = sidesOf(lab).flatMap(({ stories }) => stories.flatMap(waitsOf))
  const before = waits.filter(({ told_at }) => told_at < wrong_at).map(({ due, told_at }) => told_at - due)
  const normal_ms = Math.max(NORMAL_MS, Math.max(0, ...before) + SLACK_MS)
  const late = waits.filter(({ due, told_at, slack_ms }) => {
    const isInDoubt = mayWait && due + normal_ms > wrong_at && due < right_at + slack_ms
    return told_at > Math.max(due + normal_ms, isInDoubt ? right_at + slack_ms + AGREED_MS : 0)
  })
  const after = Math.max(
    0,
    ...waits
      .filter(({ due }) => due >= wrong_at)
      .map(({ due, told_at }) => told_at - Math.max(due, mayWait ? right_at : 0)),
  )
  return {
    figures: [
      ...ofFleet.figures,
      `${waits.length} alerts, the slowest ${seconds(after)}${mayWait ? ' after the clocks agreed' : ''}`,
    ],
    faults: [
      ...ofFleet.faults,
      ...ofTargets.flat(),
      ...late.slice(0, 5).map(({ what, due, told_at }) => `${what} was alerted after ${seconds(told_at - due)}`),
    ],
  }
}

/**
 * Returns when the alerts of a story were due, and when they came. After a server refused pings, a job has its whole interval
 * again.
 */
function waitsOf({ side, guid, changes, isSilent }: Story) {
  return side.hearers.flatMap((hearer) =>
    hearer.takenAbout(guid).flatMap(({ type, at }, n) => {
      const [change, previous] = [changes[n], changes[n - 1]]
      const isSilence = isSilent && type.endsWith('.down')
      const since = isSilence ? previous?.to : change?.to
      const slack_ms = isSilence ? SILENT_MS : 0
      return since === undefined
        ? []
        : [{ what: `${side.name}: ${type}`, due: since + slack_ms, told_at: at, slack_ms }]
    }),
  )
}

async function judgeResults({ deps, targets, fleet }: Lab, { wrong_at, right_at }: Times): Promise<Outcome> {
  const keys = (await Promise.all(targets.map(({ side }) => storedKeys(deps, side.org_id)))).flat()
  const stored = new Set(keys.map((key) => key.replace(/ \S+ /, ' ')))
  const uploads = targets.flatMap(({ agents }) => agents.flatMap(({ door }) => uploadsThrough(door)))
  const results = uploads.flatMap(({ at, results: own }) =>
    own.map(({ check_guid, ran_at }) => ({ check_guid, ran_at: Date.parse(ran_at), at })),
  )
  const missing = results.filter(({ check_guid, ran_at }) => !stored.has(`${check_guid} ${ran_at}`)).length
  const strange = results.filter(
    ({ at, ran_at }) => at - ran_at > STAMP_BEHIND_MS || ran_at - at > STAMP_AHEAD_MS,
  ).length
  const failures = fleet.book.failures.filter(({ at }) => at > right_at + AGREED_MS)
  return {
    figures: [`${results.length} results of agents acknowledged, ${missing} lost`],
    faults: [
      missing > 0 && `${missing} acknowledged results of agents are lost`,
      strange > 0 && `${strange} results have a time that is far from true`,
      uploads.every(({ at }) => at < wrong_at) && 'no agent uploaded a result after the jump',
      failures.length > 0 && `after the clocks agreed, calls failed: ${tallyFailures(failures)}`,
    ],
  }
}

function judgeRuns({ site, targets }: Lab, { wrong_at, right_at, ended_at }: Times): Outcome {
  const shareBetween = (from: number, to: number) => {
    const counts = targets.flatMap(({ steady }) =>
      steady.map((name) => site.visitsOf(name).filter((at) => at >= from && at < to).length),
    )
    return Math.min(...counts) / ((to - from) / (INTERVAL_SEC * 1000))
  }
  const shares = [shareBetween(wrong_at, right_at), shareBetween(right_at, ended_at)]
  const figure = `a target ran at least ${shares.map((share) => `${Math.round(share * 100)} %`).join(' and then ')} as often as due`
  return { figures: [figure], faults: [Math.min(...shares) < LEAST_RUNS && figure] }
}

async function judgeHistory(lab: Lab): Promise<Outcome> {
  const { deps, stock } = lab
  const ahead = await numberOf(deps, 'select coalesce(extract(epoch from hours_until - now()), 0) from rollup_progress')
  const all = [...sidesOf(lab), stock]
  const differing = (await Promise.all(all.map(({ org_id }) => differingHistory(deps, org_id)))).flat()
  return { figures: [], faults: [ahead > 0 && `hours are folded up to ${ahead} s from now`, ...differing.slice(0, 5)] }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
