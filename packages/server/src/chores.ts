// What the worker does beside everything else, each by the clock. Every run may run in several processes at once.
import { remind } from './domain/alerts/remind.ts'
import { PRESENCE_MS, tellPresenceByTrueClock } from './domain/availability.ts'
import { sweepCoverage } from './domain/checks/coverage.ts'
import { rejudgeChecks } from './domain/checks/judge.ts'
import type { Deps } from './domain/deps.ts'
import { sweepHeartbeats } from './domain/heartbeats/sweep.ts'
import { forgetFullBuckets } from './domain/limits/forget.ts'
import { sweepPresence } from './domain/monitors/presence.ts'
import { wipeResults } from './domain/results/wipe.ts'
import { foldHistory } from './domain/results/history.ts'
import { forgetExpired } from './domain/people/forget.ts'
import { ensurePartitions } from './domain/results/partitions.ts'

interface Chore {
  name: string
  every_ms: number
  runOnce(deps: Deps): Promise<unknown>
}

const CHORES: readonly Chore[] = [
  { name: 'partitions', every_ms: 3_600_000, runOnce: ensurePartitions },
  { name: 'wipes', every_ms: 10_000, runOnce: wipeResults },
  { name: 'rejudge', every_ms: 5_000, runOnce: rejudgeChecks },
  { name: 'heartbeats', every_ms: 1_000, runOnce: sweepHeartbeats },
  { name: 'reminders', every_ms: 5_000, runOnce: remind },
  { name: 'presence', every_ms: 15_000, runOnce: sweepPresence },
  { name: 'coverage', every_ms: 30_000, runOnce: sweepCoverage },
  { name: 'history', every_ms: 60_000, runOnce: foldHistory },
  { name: 'sessions', every_ms: 3_600_000, runOnce: forgetExpired },
  { name: 'rate limits', every_ms: 60_000, runOnce: forgetFullBuckets },
]

/** Runs every chore now and then again and again. The function returned stops them and waits for those under way. */
export function runChores(deps: Deps): () => Promise<void> {
  const stops = CHORES.map((chore) => loop(deps, chore))
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/** For a process that takes requests: tells that the service can be called, until it is stopped. */
export function runPresence(deps: Deps): () => Promise<void> {
  return loop(deps, { name: 'own presence', every_ms: PRESENCE_MS, runOnce: (given) => tellPresenceByTrueClock(given) })
}

function loop(deps: Deps, chore: Chore): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const run = async (): Promise<void> => {
    try {
      await chore.runOnce(deps)
    } catch (error) {
      deps.log.error({ err: error, chore: chore.name }, 'a chore failed, and will be tried again')
    }
    if (!stopped) timer = setTimeout(() => (running = run()), chore.every_ms)
  }
  let running = run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
