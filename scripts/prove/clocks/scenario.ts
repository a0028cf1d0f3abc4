// One story: all is well, clocks jump, targets go down and come up, the clocks come back, and targets go down and come
// up again.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../lab/world.ts'
import { FATES, type Fate, HEARTBEAT, type Lab, nameOf } from './lab.ts'
import type { ServerProcess } from './processes.ts'
import { POSTGRES_SEES_MS, type WrongClock } from './wrong-clock.ts'

export const SUBJECTS = ['nothing', 'web', 'worker', 'database', 'agents', 'one of two webs'] as const
/** Whose clock is wrong. `one of two webs`: for good, as far as the story goes. */
export type Subject = (typeof SUBJECTS)[number]

export interface Scenario {
  subject: Subject
  ahead_sec: number
  /**
   * `begun`: the process ends and begins on the wrong clock; the right one comes while it runs. Of the database: agents begin
   * while its clock is wrong.
   */
  way: 'jumped' | 'begun'
  hold_ms: number
}

/** The alert that must be sent, in milliseconds since the Unix epoch. */
export interface Change {
  about: string
  /** For people. */
  label: string
  type: string
  /** When it happened: it must not be alerted sooner. */
  at: number
  /** When it must have been alerted. */
  by: number
}

export interface Played {
  scenario: Scenario
  /** When the clocks went wrong, and when they were right again; the end of the story where they never are. */
  wrong_at: number
  right_at: number
  ended_at: number
  changes: readonly Change[]
  /** By how many seconds the agents whose clocks are wrong say that the server is ahead of them, shortly before it is over. */
  agentsAhead: readonly (number | undefined)[]
}

/**
 * From when a target changes until its org has heard, where no clock is wrong; on a machine that is slow by itself, so much more
 * than the first change took.
 */
const NORMAL_MS = 12_000
const SLACK_MS = 5000
/** From when the clocks agree. */
const AGREED_MS = 10_000
const FIRST_TOLD_MS = 45_000
const EARLY_MS = 3000
const RISES_AFTER_MS = 2000
const LATE_JOB_MS = 2000
/** Until it is noted that pings are taken again. */
const NOTED_MS = 3000
const AHEAD_OF_PING_MS = 500
/** In which a process that began on a wrong clock must show it. */
const BEGUN_SEES_MS = 5000

export async function play(lab: Lab, scenario: Scenario): Promise<Played> {
  const changes: Change[] = []
  const isTold = () =>
    changes.every(({ about }) => countAbout(lab, about) >= changes.filter((c) => c.about === about).length)
  /** Where the wrong clock matters to alerting. `right_at` is known later. */
  const concerned: Change[] = []
  let normal_ms = FIRST_TOLD_MS
  const turn = (fate: Fate, isUp: boolean): Change[] =>
    lab.orgs.map((org) => {
      const at = Date.now()
      lab.targets.set(nameOf(org, fate), isUp)
      const [about, label] = [org.guids.get(fate) ?? '', nameOf(org, fate)]
      const change = { about, label, type: isUp ? 'check.up' : 'check.down', at, by: at + normal_ms }
      changes.push(change)
      return change
    })
  turn('rises', false)
  if (!(await until(isTold, FIRST_TOLD_MS))) throw new Error('nothing is told while all clocks are right')
  normal_ms = Math.max(NORMAL_MS, Date.now() - (changes[0]?.at ?? 0) + SLACK_MS)
  const clocks = clocksOf(lab, scenario)
  const wrong_at = await set(clocks, scenario, scenario.ahead_sec)
  const restarted = scenario.way === 'begun' ? restart(lab, scenario) : Promise.resolve()
  await pause(EARLY_MS)
  concerned.push(...turn('falls', false))
  lab.jobs.stops.rest()
  await pause(RISES_AFTER_MS)
  concerned.push(...turn('rises', true))
  await pause(Math.max(0, wrong_at + scenario.hold_ms - LATE_JOB_MS - Date.now()))
  lab.jobs.stopsLate.rest()
  await pause(LATE_JOB_MS)
  await restarted
  // On a busy machine, a process that ends and begins takes longer than clocks are wrong.
  if (scenario.way === 'begun') await pause(BEGUN_SEES_MS)
  const agentsAhead = await Promise.all(lab.wrongAgents.map((agent) => agent.readServerAhead()))
  const right_at = returns(scenario) ? await set(clocks, scenario, 0) : Date.now()
  if (isServer(scenario)) for (const change of concerned) change.by = Math.max(change.by, right_at + AGREED_MS)
  const jobs = ['stops', 'stopsLate'] as const
  changes.push(...jobs.map((name) => missedJob(lab, name, scenario, right_at)))
  await pause(AGREED_MS)
  turn('later', false)
  await until(() => isTold() || Date.now() > latest(changes), FIRST_TOLD_MS)
  turn('falls', true)
  turn('later', true)
  for (const name of jobs) {
    lab.jobs[name].resume()
    const at = Date.now()
    changes.push({ about: lab.jobs[name].guid, label: name, type: 'heartbeat.up', at, by: at + normal_ms })
  }
  await until(() => isTold() || Date.now() > latest(changes), FIRST_TOLD_MS)
  // Whoever gets too many alerts gets them soon.
  await pause(RISES_AFTER_MS)
  return { scenario, wrong_at, right_at, ended_at: Date.now(), changes, agentsAhead }
}

/** Returns when all have seen it. */
async function set(clocks: readonly WrongClock[], { subject }: Scenario, ahead_sec: number): Promise<number> {
  const begun = Date.now()
  for (const clock of clocks) clock.set(ahead_sec)
  // When it goes wrong counts from the first that sees it, and when it is right again from the last.
  if (subject === 'database') await pause(POSTGRES_SEES_MS)
  return ahead_sec === 0 ? Date.now() : begun
}

function missedJob(lab: Lab, name: 'stops' | 'stopsLate', scenario: Scenario, right_at: number): Change {
  const { taken, guid } = lab.jobs[name]
  const { interval_sec, grace_sec } = HEARTBEAT
  const at = (taken.at(-1) ?? 0) + (interval_sec + grace_sec) * 1000
  // A heartbeat that was due while a server refused pings has a whole interval more: that is nobody's silence.
  const refused = Object.values(lab.jobs).flatMap(({ refusals }) => refusals.map((refusal) => refusal.at))
  const again = refused.length > 0 ? Math.max(...refused) + NOTED_MS + (interval_sec + grace_sec) * 1000 : 0
  const by = Math.max(at, again, isServer(scenario) ? right_at : 0) + AGREED_MS
  return { about: guid, label: name, type: 'heartbeat.down', at: at - AHEAD_OF_PING_MS, by }
}

function latest(changes: readonly Change[]): number {
  return Math.max(...changes.map(({ by }) => by))
}

/** Messages about it, each once. */
export function countAbout({ receiver }: Lab, about: string): number {
  return receiver.takenAbout(about).length
}

/** Whether alerts may wait until the clocks agree. */
function isServer({ subject }: Scenario): boolean {
  return subject === 'web' || subject === 'worker' || subject === 'database'
}

export function returns({ subject }: Scenario): boolean {
  return subject !== 'one of two webs'
}

function clocksOf(lab: Lab, scenario: Scenario): WrongClock[] {
  if (scenario.subject === 'database') return [lab.clocks.database]
  if (scenario.subject === 'agents') return [lab.clocks.agents]
  return wrongServers(lab, scenario).map(({ clock }) => clock)
}

/** Those whose own clocks are wrong. */
function wrongServers({ webs, worker }: Lab, { subject }: Scenario): ServerProcess[] {
  if (subject === 'worker') return [worker]
  return subject === 'web' || subject === 'one of two webs' ? webs.slice(0, 1) : []
}

/** Those that are to see that a clock is wrong, their own or the database's. */
export function doubters(lab: Lab, scenario: Scenario): ServerProcess[] {
  return scenario.subject === 'database' ? [...lab.webs, lab.worker] : wrongServers(lab, scenario)
}

async function restart(lab: Lab, scenario: Scenario): Promise<void> {
  const agents = scenario.subject === 'agents' || scenario.subject === 'database' ? lab.wrongAgents : []
  await Promise.all([...wrongServers(lab, scenario), ...agents].map((process) => process.restart()))
}

/** Names of targets that are up all the while and that any of the agents can judge, by org. */
export function steadyTargets(lab: Lab): string[] {
  const others: readonly string[] = [...FATES, 'secure']
  return lab.orgs.flatMap((org) =>
    [...org.guids.keys()].filter((name) => !others.includes(name)).map((name) => nameOf(org, name)),
  )
}
