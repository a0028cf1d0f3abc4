// Monitors of one check over simulated hours, each with the schedule and the clock of a real agent on a machine of its own:
// its wall clock is wrong, its timers are not exact, and its syncs come when they come.

import { type ScheduledCheck, turnOf } from '@dogwatch/monitor-sdk/agent'
import { Schedule } from '../../../src/schedule/schedule.ts'
import { ServerClock } from '@dogwatch/monitor-sdk/agent'
import { SYNC_MS } from '../../../src/sync/sync.ts'
import { checkRow } from './scripted-api.ts'

/**
 * A change of the fleet: a monitor leaves it or joins it, its running agent is refused or admitted (disable, enable), or the
 * agent of one is not there for `down_ms`.
 */
export type Change = { at: number; member: number } & (
  | { kind: 'leave' | 'join' | 'disable' | 'enable' }
  | { kind: 'restart'; down_ms: number }
)

export interface Simulation {
  guid: string
  interval_sec: number
  /** Milliseconds of server time, which is the true one. */
  from: number
  to: number
  /** What the wall clock of each machine is ahead. Those of `joined` are in the fleet from the beginning. */
  skews_ms: readonly number[]
  joined: readonly number[]
  changes: readonly Change[]
  /** A number from 0 up to 1. */
  random: () => number
  /** The server notifies waiting agents of changes. Default: false. */
  notifies?: boolean
}

/** How often a disabled monitor asks whether it still is. */
const DISABLED_MS = 60_000
/** An agent waits at the server again within a second after each response. */
const HOLD_MS = 25_000
const GAP_MS = 1000
const RTT_MS = { min: 1, max: 200 }

/** When runs began, in server time. */
export async function runFleet(simulation: Simulation): Promise<number[]> {
  const fleet = new Fleet(simulation)
  await fleet.run()
  return fleet.runs
}

class Fleet {
  readonly runs: number[] = []
  readonly random: () => number
  readonly #simulation: Simulation
  readonly #members: Member[]
  readonly #active: Set<number>
  now: number
  /** When the turns last changed, in server time. */
  changedAt: number

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.random = simulation.random
    this.now = simulation.from
    this.changedAt = simulation.from - 3_600_000
    this.#active = new Set(simulation.joined)
    this.#members = simulation.skews_ms.map((skew_ms, index) => new Member(this, index, skew_ms))
  }

  /** What the server tells a monitor of its turn; undefined when it will not have it. */
  viewOf(index: number): ScheduledCheck | undefined {
    const order = [...this.#active].sort((a, b) => a - b)
    const monitor_rank = order.indexOf(index)
    const { guid, interval_sec } = this.#simulation
    return monitor_rank < 0 ? undefined : { guid, interval_sec, monitor_count: order.length, monitor_rank }
  }

  async run(): Promise<void> {
    for (const index of this.#simulation.joined) this.#members[index]?.start()
    const changes = [...this.#simulation.changes]
    for (;;) {
      const next = this.#nextMember()
      const change = changes[0]
      const at = Math.min(next.at, change?.at ?? Number.POSITIVE_INFINITY)
      if (at >= this.#simulation.to) return
      this.now = Math.max(this.now, at)
      const before = this.runs.length
      if (change && change.at <= next.at) this.#make(changes.shift() as Change)
      else next.wake()
      // The end of a run is heard of a moment later.
      if (this.runs.length > before) await new Promise(setImmediate)
    }
  }

  #nextMember(): Member {
    return this.#members.reduce((first, member) => (member.at < first.at ? member : first))
  }

  #make(change: Change): void {
    const member = this.#members[change.member]
    if (change.kind === 'restart') return member?.restart(change.down_ms)
    const isJoining = change.kind === 'join' || change.kind === 'enable'
    if (isJoining) this.#active.add(change.member)
    else this.#active.delete(change.member)
    this.changedAt = this.now
    if (change.kind === 'join') member?.start()
    if (this.#simulation.notifies) for (const one of this.#members) one.notify()
  }

  /** Records a run, unless the server would refuse its result. */
  note(index: number): void {
    if (this.#active.has(index)) this.runs.push(this.now)
  }
}

/** A machine and, while it runs, its agent. */
class Member {
  readonly #fleet: Fleet
  readonly #index: number
  readonly #bootedAt: number
  readonly #skew_ms: number
  #clock: ServerClock | undefined
  #schedule: Schedule | undefined
  #timer: { at: number; fire: () => void } | undefined
  #syncAt = Number.POSITIVE_INFINITY
  #startAt = Number.POSITIVE_INFINITY
  #view: ScheduledCheck | undefined
  /** What is on disk. */
  #saved: { view: ScheduledCheck; clock_ahead_ms: number } | undefined

  constructor(fleet: Fleet, index: number, skew_ms: number) {
    this.#fleet = fleet
    this.#index = index
    this.#skew_ms = skew_ms
    this.#bootedAt = fleet.now - fleet.random() * 1e9
  }

  /** When something is to be done here next. */
  get at(): number {
    return Math.min(this.#timer?.at ?? Number.POSITIVE_INFINITY, this.#syncAt, this.#startAt)
  }

  wake(): void {
    const { now } = this.#fleet
    const timer = this.#timer
    if (timer && timer.at <= now) {
      this.#timer = undefined
      timer.fire()
    } else if (this.#syncAt <= now) this.#sync()
    else if (this.#startAt <= now) this.start()
  }

  start(): void {
    this.#stop()
    const clock = new ServerClock(() => this.#mono(), this.#wall() - this.#mono())
    this.#clock = clock
    this.#schedule = new Schedule({
      now: () => clock.now(),
      timer: (fire, ms) => this.#setTimer(fire, ms),
      run: async () => this.#fleet.note(this.#index),
    })
    if (this.#saved) this.#takeUp(clock, this.#saved)
    this.#syncAt = this.#fleet.now + 50 + this.#fleet.random() * 450
  }

  /** The server rings for what waits there. Between two waits, the next one is answered at once. */
  notify(): void {
    if (this.#syncAt === Number.POSITIVE_INFINITY) return
    const { now, random } = this.#fleet
    const gap_ms = random() < GAP_MS / HOLD_MS ? random() * GAP_MS : 0
    this.#syncAt = Math.min(this.#syncAt, now + gap_ms + RTT_MS.max)
  }

  restart(down_ms: number): void {
    this.#stop()
    this.#startAt = this.#fleet.now + down_ms
  }

  #stop(): void {
    this.#schedule?.stop()
    this.#timer = undefined
    this.#view = undefined
    this.#syncAt = Number.POSITIVE_INFINITY
    this.#startAt = Number.POSITIVE_INFINITY
  }

  #takeUp(clock: ServerClock, { view, clock_ahead_ms }: { view: ScheduledCheck; clock_ahead_ms: number }): void {
    clock.assume(this.#wall() + clock_ahead_ms - this.#mono())
    this.#plan(view)
  }

  #sync(): void {
    const { random, now } = this.#fleet
    const rtt = RTT_MS.min + random() ** 4 * (RTT_MS.max - RTT_MS.min)
    const received = this.#mono()
    const server_ms = Math.floor(now - random() * rtt)
    const learnt = this.#clock?.learn({ sent: received - rtt, received, server_ms, unit_ms: 1 })
    if (learnt?.kind === 'doubted') {
      this.#syncAt = now + 1000 * (1 + random())
      return
    }
    if (learnt?.kind === 'set') this.#schedule?.timeWasSet()
    const view = this.#fleet.viewOf(this.#index)
    if (!view) {
      this.#schedule?.plan([])
      this.#view = undefined
      this.#saved = undefined
      this.#syncAt = now + DISABLED_MS
      return
    }
    if (view.monitor_count !== this.#view?.monitor_count || view.monitor_rank !== this.#view?.monitor_rank) {
      this.#plan(view)
      const clock_ahead_ms = (this.#clock?.offset ?? 0) + this.#mono() - this.#wall()
      this.#saved = { view, clock_ahead_ms }
    }
    this.#syncAt = now + SYNC_MS * (0.9 + random() * 0.2)
  }

  #plan(view: ScheduledCheck): void {
    this.#view = view
    const check = checkRow({ ...view, updated_at: new Date(this.#fleet.changedAt).toISOString() })
    this.#schedule?.plan([{ guid: view.guid, turn: turnOf(view), cost: 'plain', check }])
  }

  #setTimer(fire: () => void, ms: number): () => void {
    // Timers of Node come up to half a millisecond early, and later than asked when there is much to do.
    const timer = { at: this.#fleet.now + Math.max(0.1, ms - 0.4 + this.#fleet.random() * 3), fire }
    this.#timer = timer
    return () => {
      if (this.#timer === timer) this.#timer = undefined
    }
  }

  #mono(): number {
    return this.#fleet.now - this.#bootedAt
  }

  #wall(): number {
    return this.#fleet.now + this.#skew_ms
  }
}
