// An agent's clocks, sync, schedule and stamps on simulated time, beside a server whose clocks a test bends.
import type { Check } from '@dogwatch/monitor-sdk'
import { turnOf } from '@dogwatch/monitor-sdk/agent'
import { Schedule } from '../../../src/schedule/schedule.ts'
import { Stamps } from '../../../src/schedule/stamps.ts'
import { Sync } from '../../../src/sync/sync.ts'
import { Timekeeper } from '../../../src/sync/timekeeper.ts'
import { FakeTime, settled } from './fake-time.ts'
import { checkRow } from './scripted-api.ts'

export interface Server {
  /** What its clock is ahead of the true time, in milliseconds. */
  ahead_ms: number
  /** The cursor; undefined: as the clock. */
  cursor: string | undefined
  /** Whether answers have `now`, and whether they have a Date. */
  tellsNow: boolean
  tellsDate: boolean
  /** How long an answer takes, and in which part of that the clock is read. */
  rtt_ms: number
  readAt: number
  /** The next answer tells a time that is off by so much. */
  lie_ms: number
  /** The next answers are lost. */
  lost: number
}

export interface Machine {
  interval_sec?: number
  /** What its wall clock is ahead of the true time when the agent starts. */
  wall_ahead_ms?: number
  /** By how much its oscillator is fast. */
  drift?: number
  random?: () => number
}

export interface SimulatedRun {
  /** The true time, and what the server's clock said then. */
  at: number
  server_at: number
  ran_at: string
}

const CHECK = '8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11'

export function simulatedAgent({ interval_sec = 30, wall_ahead_ms = 0, drift = 0, random = () => 0.5 }: Machine = {}) {
  const time = new FakeTime()
  const began = time.now
  const check = checkRow({ guid: CHECK, interval_sec })
  const server: Server = {
    ahead_ms: 0,
    cursor: undefined,
    tellsNow: true,
    tellsDate: false,
    rtt_ms: 20,
    readAt: 0.5,
    lie_ms: 0,
    lost: 0,
  }
  const machine = { wall_ahead_ms }
  const runs: SimulatedRun[] = []
  const steps: { at: number; by_ms: number }[] = []
  const logged: string[] = []
  const syncs: { at: number; server_ahead_ms: number; isHonest: boolean; rtt_ms: number }[] = []
  const mono = () => (time.now - began) * (1 + drift)
  const write = (facts: unknown, event?: string) => void logged.push(`${event} ${JSON.stringify(facts)}`)
  const keeper = new Timekeeper({
    mono,
    wall: () => time.now + machine.wall_ahead_ms,
    log: { debug: write, info: write, warn: write, error: write },
    onSet: (by_ms) => {
      steps.push({ at: time.now, by_ms })
      schedule.timeWasSet()
    },
  })
  const stamps = new Stamps()
  const schedule = new Schedule({
    now: () => keeper.now(),
    timer: time.timer,
    run: async () => {
      const ran_at = stamps.next(CHECK, keeper.now())
      runs.push({ at: time.now, server_at: time.now + server.ahead_ms, ran_at })
    },
  })

  const pass = (ms: number) => new Promise<void>((resolve) => time.timer(resolve, ms))
  const sync = new Sync({
    mono,
    random,
    hear: (answered) => keeper.hear(answered),
    onSynced: async () => undefined,
    onRefused: async () => 60_000,
    client: {
      sync: async (_since, options) => {
        const { rtt_ms, readAt, lie_ms } = server
        await pass(rtt_ms * readAt)
        const server_ahead_ms = server.ahead_ms
        const told = time.now + server_ahead_ms + lie_ms
        await pass(rtt_ms * (1 - readAt))
        if (server.lost > 0) {
          server.lost -= 1
          throw new Error('the answer was lost')
        }
        server.lie_ms = 0
        syncs.push({
          at: time.now,
          server_ahead_ms,
          isHonest: lie_ms === 0 && server.tellsNow,
          rtt_ms,
        })
        if (server.tellsDate) options?.onHeaders?.(new Headers({ date: new Date(told).toUTCString() }))
        const server_time = (server.cursor ?? textOf(told)) as never
        return { checks: [check] as Check[], server_time, ...(server.tellsNow && { now: textOf(told) }) }
      },
    },
  })

  let hasBegun = false
  const loop = async (): Promise<void> => {
    const wait = await sync.step(new AbortController().signal)
    if (!sync.isTimeDoubted && !hasBegun) {
      hasBegun = true
      schedule.plan([{ guid: CHECK, turn: turnOf(check), cost: 'plain' }])
    }
    time.timer(() => void loop(), wait)
  }
  void loop()

  return {
    time,
    began,
    server,
    machine,
    runs,
    steps,
    syncs,
    logged,
    now: () => keeper.now(),
    turn: turnOf(check),
    /** Lets the agent work for so long. */
    pass: async (ms: number) => {
      await settled()
      await time.pass(ms)
    },
  }
}

export type SimulatedAgent = ReturnType<typeof simulatedAgent>

function textOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}
