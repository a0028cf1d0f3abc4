// Keeps the clock of a long-running process right: sets it from the database before anything else runs, and corrects it
// later. Logs when the clock is wrong.
import type { DatabaseClock } from '@dogwatch/runtime/database-clock'
import type { Log } from '@dogwatch/runtime/log'
import type { Metrics } from '@dogwatch/runtime/metrics'
import { openSparePool, type SparePool, type SparePoolOptions } from '@dogwatch/store/postgres/spare-pool'
import { deleteProcess, type ServerProcess } from '@dogwatch/store/processes/processes'
import { followDatabase, setByDatabase } from '@dogwatch/store/processes/time'

const ANSWER_MS = 2_000
/** Maximum number of attempts to set the clock at the start, because a busy database may respond late once. */
const START_TRIES = 5
const LOOK_MS = 500

/**
 * Settings of the connection. Commits do not wait for a disk or a standby, because losing this process's report does no harm.
 */
const RELAXED = { synchronous_commit: 'off' }

/**
 * Sets the clock, and corrects it until the caller calls the returned function. Also reports the state of this process's clock to
 * the other processes.
 */
export async function keepTime(
  { url, pooler }: { url: string } & Pick<SparePoolOptions, 'pooler'>,
  clock: DatabaseClock,
  { log, self }: { log: Log; self: ServerProcess },
): Promise<() => Promise<void>> {
  // A separate connection, because waiting for another statement would falsify the measured time.
  const sparePool = openSparePool(url, ANSWER_MS, { connections: 1, pooler, settings: RELAXED })
  const tell = teller(clock, log)
  await setAtStart(sparePool, clock)
  tell()
  const end = followDatabase(sparePool, clock, { onAnswer: tell, self })
  const looking = setInterval(() => clock.look(), LOOK_MS)
  return async () => {
    clearInterval(looking)
    await end()
    // If deleting fails, the other processes notice later that this one has ended.
    await deleteProcess(sparePool, self.process_id).catch(() => {})
    await sparePool.end()
  }
}

async function setAtStart(sparePool: SparePool, clock: DatabaseClock): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await setByDatabase(sparePool, clock)
    } catch (error) {
      if (tries === START_TRIES) throw error
    }
  }
}

/** Adds metrics for the clock of this process. */
export function observeClock(metrics: Metrics, clock: DatabaseClock): void {
  metrics.observeOne(
    'clock_skew_seconds',
    "Seconds by which this machine's clock is ahead of the database clock",
    () => clock.state().skew_ms / 1000,
  )
  metrics.observeOne('clock_in_doubt', '1 while this process does not trust the time', () =>
    Number(clock.state().doubt !== undefined),
  )
  const others = {
    clock_processes: ['processes', 'Other server processes that reported their clock within the last 15 s'],
    clock_processes_disagreeing: [
      'processes_off',
      'Other server processes whose clock disagrees with the database clock',
    ],
    clock_monitors: ['monitors', 'Monitors that contacted this process within the last three minutes'],
    clock_monitors_disagreeing: [
      'monitors_off',
      'Monitors whose clock differs from the database clock by more than 5 s',
    ],
  } as const
  for (const [name, [key, help]] of Object.entries(others))
    metrics.observeOne(name, help, () => clock.state().tally[key])
}

/** Returns a function that logs when doubt or a difference between clocks begins and when it ends, but nothing in between. */
function teller(clock: DatabaseClock, log: Log): () => void {
  let [isInDoubt, isOff, areOthersOff] = [false, false, false]
  return () => {
    const { skew_ms, jump_ms, doubt, note, others, tally } = clock.state()
    const facts = {
      skew_ms: Math.round(skew_ms),
      ...(jump_ms !== undefined && { jump_ms: Math.round(jump_ms) }),
      ...tally,
    }
    if (doubt !== undefined && !isInDoubt) {
      log.error(
        { ...facts, doubt },
        'the time is in doubt: this process stops judging checks, deleting data and accepting pings',
      )
    } else if (doubt === undefined && isInDoubt) log.info(facts, 'the time is trusted again')
    else if (doubt === undefined && note !== undefined && !isOff) {
      log.warn({ ...facts, note }, "this machine's clock and the database clock differ")
    } else if (doubt === undefined && note === undefined && isOff) {
      log.info(facts, "this machine's clock and the database clock agree again")
    }
    if (others !== undefined && !areOthersOff) log.warn(facts, others)
    else if (others === undefined && areOthersOff)
      log.info(facts, 'the other processes agree with the database clock again')
    isInDoubt = doubt !== undefined
    isOff = note !== undefined
    areOthersOff = others !== undefined
  }
}
