// What the worker does beside everything else, each by the clock. Every run may run in several processes at once.
import type { Deps } from './domain/deps.ts'
import { forgetFullBuckets } from './domain/limits/forget.ts'
import { ensurePartitions } from './domain/results/partitions.ts'

interface Chore {
  name: string
  every_ms: number
  runOnce(deps: Deps): Promise<unknown>
}

const CHORES: readonly Chore[] = [
  { name: 'partitions', every_ms: 3_600_000, runOnce: ensurePartitions },
  { name: 'rate limits', every_ms: 60_000, runOnce: forgetFullBuckets },
]

/** Runs every chore now and then again and again. The function returned stops them and waits for those under way. */
export function runChores(deps: Deps): () => Promise<void> {
  const stops = CHORES.map((chore) => loop(deps, chore))
  return async () => void (await Promise.all(stops.map((stop) => stop())))
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
