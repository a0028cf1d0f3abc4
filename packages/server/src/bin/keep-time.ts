// The clock of a process that stays: set by the database before anything else runs, kept by it, and told of when it is off.
import type { DatabaseClock } from '../runtime/database-clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { followDatabase, setByDatabase } from '../store/time.ts'
import { openWatch, type WatchOptions } from '../store/watch.ts'

const ANSWER_MS = 2_000
const LOOK_MS = 250

/** Sets the clock and keeps it until the returned function is called. */
export async function keepTime(
  { url, pooler }: { url: string } & Pick<WatchOptions, 'pooler'>,
  clock: DatabaseClock,
  log: Log,
): Promise<() => Promise<void>> {
  // A connection of its own: one that waits for others would tell the time late.
  const watch = openWatch(url, ANSWER_MS, { connections: 1, pooler })
  const tell = teller(clock, log)
  await setByDatabase(watch, clock)
  tell()
  const end = followDatabase(watch, clock, { onAnswer: tell })
  const looking = setInterval(() => clock.look(), LOOK_MS)
  return async () => {
    clearInterval(looking)
    await end()
    await watch.end()
  }
}

/** Adds what the clock of this process is worth. */
export function observeClock(metrics: Metrics, clock: DatabaseClock): void {
  metrics.observeOne(
    'clock_skew_seconds',
    "How far this machine's clock is ahead of the database's",
    () => clock.state().skew_ms / 1000,
  )
  metrics.observeOne('clock_in_doubt', '1 while this process does not trust the time', () =>
    Number(clock.state().doubt !== undefined),
  )
}

/** Logs when something begins and when it ends, and nothing in between. */
function teller(clock: DatabaseClock, log: Log): () => void {
  let [isInDoubt, isOff] = [false, false]
  return () => {
    const { skew_ms, jump_ms, doubt, note } = clock.state()
    const facts = { skew_ms: Math.round(skew_ms), ...(jump_ms !== undefined && { jump_ms: Math.round(jump_ms) }) }
    if (doubt !== undefined && !isInDoubt) {
      log.error({ ...facts, doubt }, 'the time is in doubt: nothing is judged or deleted here, and no pings are taken')
    } else if (doubt === undefined && isInDoubt) log.info(facts, 'the time is trusted again')
    else if (doubt === undefined && note !== undefined && !isOff) {
      log.warn({ ...facts, note }, 'the clocks of this machine and of the database differ')
    } else if (doubt === undefined && note === undefined && isOff) {
      log.info(facts, 'the clocks of this machine and of the database agree again')
    }
    isInDoubt = doubt !== undefined
    isOff = note !== undefined
  }
}
