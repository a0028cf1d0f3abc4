// Plays a scenario: all is well, clocks jump, targets go down and come up, the clocks come back, and targets go down and come up again.
import { setTimeout as pause } from 'node:timers/promises'
import { need, until } from '../../lab/proof.ts'
import { type Fate, HEARTBEAT, type Lab, nameOf } from './lab.ts'
import type { ServerProcess } from './processes.ts'
import { POSTGRES_SEES_MS, type WrongClock } from './wrong-clock.ts'

/** Subject whose clock is wrong. The clock of `one of two webs` stays wrong. */
export type Subject = 'nothing' | 'web' | 'worker' | 'database' | 'agents' | 'one of two webs'

export interface Scenario {
  subject: Subject
  ahead_sec: number
  /** `begun`: the process starts on the wrong clock, which becomes right while it runs. */
  way: 'jumped' | 'begun'
  hold_ms: number
}

/** An alert that must come. Times are in milliseconds since the Unix epoch. */
export interface Change {
  about: string
  label: string
  type: string
  /** Time of the change. */
  at: number
  /** Latest time of the alert. */
  by: number
}

export interface Course {
  scenario: Scenario
  wrong_at: number
  right_at: number
  ended_at: number
  changes: readonly Change[]
  /** Offset of the server in seconds, as the agents with a wrong clock see it. */
  agentsAhead: readonly (number | undefined)[]
}

/** Time of an alert while all clocks are right. A slow machine gets as much as its first alert took. */
const [NORMAL_MS, SLACK_MS, FIRST_TOLD_MS] = [12_000, 5000, 45_000]
/** Time for alerts after the clocks agree. */
export const AGREED_MS = 10_000
const EARLY_MS = 3000
const STEP_MS = 2000
/** Time until the server notes that it accepts pings again. */
const NOTED_MS = 3000
const AHEAD_OF_PING_MS = 500
/** Time until a process that started on a wrong clock shows it. */
const BEGUN_SEES_MS = 5000
const BEAT_MS = (HEARTBEAT.interval_sec + HEARTBEAT.grace_sec) * 1000

export async function play(lab: Lab, scenario: Scenario): Promise<Course> {
  const changes: Change[] = []
  const isTold = () =>
    changes.every(({ about }) => {
      const expected = changes.filter((change) => change.about === about).length
      return lab.receiver.takenAbout(about).length >= expected
    })
  const untilTold = () => until(() => isTold() || Date.now() > Math.max(...changes.map(({ by }) => by)), FIRST_TOLD_MS)
  let normal_ms = FIRST_TOLD_MS
  const turn = (fate: Fate, isUp: boolean): Change[] => {
    const turned = lab.orgs.map((org): Change => {
      const [at, label] = [Date.now(), nameOf(org, fate)]
      lab.site.set(label, isUp)
      return { about: org.guids.get(fate) ?? '', label, type: isUp ? 'check.up' : 'check.down', at, by: at + normal_ms }
    })
    changes.push(...turned)
    return turned
  }
  turn('rises', false)
  await need(isTold, FIRST_TOLD_MS, 'no alert comes while all clocks are right')
  normal_ms = Math.max(NORMAL_MS, Date.now() - (changes[0]?.at ?? 0) + SLACK_MS)
  const clocks = clocksOf(lab, scenario)
  const wrong_at = await set(clocks, scenario, scenario.ahead_sec)
  const restarted = scenario.way === 'begun' ? restart(lab, scenario) : Promise.resolve()
  await pause(EARLY_MS)
  const concerned = turn('falls', false)
  lab.jobs.stops.isActive = false
  await pause(STEP_MS)
  concerned.push(...turn('rises', true))
  await pause(Math.max(0, wrong_at + scenario.hold_ms - STEP_MS - Date.now()))
  lab.jobs.stopsLate.isActive = false
  await pause(STEP_MS)
  await restarted
  if (scenario.way === 'begun') await pause(BEGUN_SEES_MS)
  const agentsAhead = await Promise.all(lab.wrongAgents.map((agent) => agent.readServerAhead()))
  const right_at = returns(scenario) ? await set(clocks, scenario, 0) : Date.now()
  const mayWait = ['web', 'worker', 'database'].includes(scenario.subject)
  if (mayWait) for (const change of concerned) change.by = Math.max(change.by, right_at + AGREED_MS)
  const jobs = ['stops', 'stopsLate'] as const
  changes.push(...jobs.map((name) => ({ ...missedJob(lab, name, mayWait ? right_at : 0), label: name })))
  await pause(AGREED_MS)
  turn('later', false)
  await untilTold()
  turn('falls', true)
  turn('later', true)
  for (const name of jobs) {
    const job = lab.jobs[name]
    job.isActive = true
    changes.push({ about: job.guid, label: name, type: 'heartbeat.up', at: Date.now(), by: Date.now() + normal_ms })
  }
  await untilTold()
  // Alerts that should not come, come soon.
  await pause(STEP_MS)
  return { scenario, wrong_at, right_at, ended_at: Date.now(), changes, agentsAhead }
}

/** Sets clocks. Resolves when all processes have noticed. */
async function set(clocks: readonly WrongClock[], { subject }: Scenario, ahead_sec: number): Promise<number> {
  const begun = Date.now()
  for (const clock of clocks) clock.set(ahead_sec)
  if (subject === 'database') await pause(POSTGRES_SEES_MS)
  return ahead_sec === 0 ? Date.now() : begun
}

/** Returns the alert that a silent job must cause. A heartbeat that a server refused has a whole interval more. */
export function missedJob(
  { jobs }: Lab,
  name: 'stops' | 'stopsLate',
  right_at: number,
): Pick<Change, 'about' | 'type' | 'at' | 'by'> {
  const { taken, guid } = jobs[name]
  const at = (taken.at(-1) ?? 0) + BEAT_MS
  const refused = Object.values(jobs).flatMap(({ refusals }) => refusals.map((refusal) => refusal.at))
  const again = refused.length > 0 ? Math.max(...refused) + NOTED_MS + BEAT_MS : 0
  const by = Math.max(at, again, right_at) + AGREED_MS
  return { about: guid, type: 'heartbeat.down', at: at - AHEAD_OF_PING_MS, by }
}

export function returns({ subject }: Scenario): boolean {
  return subject !== 'one of two webs'
}

function clocksOf(lab: Lab, scenario: Scenario): WrongClock[] {
  if (scenario.subject === 'database') return [lab.clocks.database]
  if (scenario.subject === 'agents') return [lab.clocks.agents]
  return wrongServers(lab, scenario).map(({ clock }) => clock)
}

function wrongServers({ webs, worker }: Lab, { subject }: Scenario): ServerProcess[] {
  if (subject === 'worker') return [worker]
  return subject === 'web' || subject === 'one of two webs' ? webs.slice(0, 1) : []
}

/** Returns the servers that must notice that a clock is wrong. */
export function doubters(lab: Lab, scenario: Scenario): ServerProcess[] {
  return scenario.subject === 'database' ? [...lab.webs, lab.worker] : wrongServers(lab, scenario)
}

async function restart(lab: Lab, scenario: Scenario): Promise<void> {
  const agents = scenario.subject === 'agents' || scenario.subject === 'database' ? lab.wrongAgents : []
  await Promise.all([...wrongServers(lab, scenario), ...agents].map((process) => process.restart()))
}
