// Compares the database's clock with other clocks: those of the server's other processes, and of monitors. If the
// database's clock and this machine's disagree, they decide which of the two has moved.
import { MOST_SKEW_MS } from './clock.ts'

/** Report of another process about its clocks, as of the moment of writing. */
export interface Other {
  process_id: string
  host: string
  /** Number of its reports. A higher number means a newer report. */
  reports: number
  /** The clock of its machine minus the time that it carries. */
  skew_ms: number
  /** The database's clock minus the time that it carries. */
  ahead_ms: number
  /** Time since the last break of the carried time, in milliseconds. */
  steady_ms: number
  isInDoubt: boolean
  /** Whether it reported within the last seconds, by the database's clock. */
  isFresh: boolean
}

/** Clock of one monitor, as its latest requests showed it. */
interface MonitorClock {
  /** Lead over the time that this process carries. */
  offset_ms: number
  /** The new part of the lead. */
  shift_ms: number
  at_ms: number
  period: number
}

/** Number of other clocks, and of those that disagree with the database's. */
export interface Tally {
  processes: number
  processes_off: number
  monitors: number
  monitors_off: number
}

/** A difference between the database's clock and the time that this process carries. */
export interface Parting {
  /** Lead of the database's clock. */
  jump_ms: number
  /** Time since the two last agreed, by this machine, in milliseconds. */
  since_ms: number
}

/** Maximum difference that is noise between two processes that both follow the database. */
const TOLD_SKEW_MS = 1_000
/** Time without requests after which a monitor and its clock no longer count. */
const HEARD_MS = 180_000
const MOST_HEARD = 10_000
/** Difference below which the network is the cause and not a clock. */
const NOISE_MS = 2_000
/** Minimum number of monitors, because a single one can be wrong. */
const LEAST_MONITORS = 2

export class Witnesses {
  readonly #host: string
  #others: readonly Other[] = []
  /** Number of reports of each other process when the two clocks were first seen to disagree. */
  #at_parting: Map<string, number> | undefined
  readonly #monitors = new Map<string, MonitorClock>()
  /** Number of responses of the database that matched. */
  #period = 0

  /** Creates the witnesses. `host` is the name of this machine, whose processes stand still together. */
  constructor(host = '') {
    this.#host = host
  }

  /** Stores the reports of the other processes. `isParted` means that they were read after the two clocks disagreed. */
  readOthers(others: readonly Other[], isParted: boolean): void {
    this.#others = others
    if (!isParted) this.#at_parting = undefined
    else this.#at_parting ??= new Map(others.map(({ process_id, reports }) => [process_id, reports]))
  }

  /**
   * Records the offset of a monitor's clock. `usual_ms` is the offset known before. Only its first request since the database
   * last agreed counts, because it can set its clock by our response.
   */
  hear(
    monitor_id: string,
    { offset_ms, usual_ms, at_ms }: { offset_ms: number; usual_ms: number; at_ms: number },
  ): void {
    if (this.#monitors.get(monitor_id)?.period === this.#period) return
    this.#monitors.delete(monitor_id)
    this.#monitors.set(monitor_id, { offset_ms, shift_ms: offset_ms - usual_ms, at_ms, period: this.#period })
    const [oldest] = this.#monitors.keys()
    if (this.#monitors.size > MOST_HEARD && oldest !== undefined) this.#monitors.delete(oldest)
  }

  /** Records that the database's clock matches. */
  agree(): void {
    this.#period++
  }

  /**
   * Whether this machine stood still, so that the database's clock is right. First asks the processes that carried their time
   * since before the disagreement, with one vote per machine. If none can decide, asks the monitors.
   */
  sayOursAlone(parting: Parting): boolean {
    const votes = this.#votesOfHosts(parting)
    if (votes.length > 0) return votes.filter((isSteady) => isSteady).length * 2 > votes.length
    const shifts = this.#shiftsSince()
    const along = shifts.filter((shift_ms) => Math.abs(shift_ms - parting.jump_ms) <= NOISE_MS).length
    const against = shifts.filter((shift_ms) => Math.abs(shift_ms) <= NOISE_MS).length
    return along >= LEAST_MONITORS && along > 2 * against
  }

  /** Counts the other clocks. `jump_ms` is the untrusted lead of the database's clock over the carried time. */
  tally(now_ms: number, jump_ms: number): Tally {
    const fresh = this.#others.filter((other) => other.isFresh || this.#hasReportedSince(other))
    const heard = [...this.#monitors.values()].filter(({ at_ms }) => now_ms - at_ms <= HEARD_MS)
    return {
      processes: fresh.length,
      processes_off: fresh.filter(disagrees).length,
      monitors: heard.length,
      monitors_off: heard.filter(({ offset_ms }) => Math.abs(offset_ms - jump_ms) > MOST_SKEW_MS).length,
    }
  }

  /** Returns the vote of each machine. A true vote means that the database's clock ran steadily for it. */
  #votesOfHosts({ jump_ms, since_ms }: Parting): boolean[] {
    // However the database's clock moved, a process that started after the disagreement cannot have carried the time for so long.
    const least_ms = Math.max(since_ms, since_ms + jump_ms)
    const asked = this.#others.filter((other) => this.#hasReportedSince(other) && other.steady_ms > least_ms)
    const votes = Map.groupBy(asked, ({ host }) => host)
    return [...votes].flatMap(([host, others]) => {
      const steady = others.filter(({ ahead_ms }) => Math.abs(ahead_ms) <= MOST_SKEW_MS).length
      const isSteady = steady * 2 > others.length
      // A machine that stands still does so with all its processes.
      return host === this.#host && !isSteady ? [] : [isSteady]
    })
  }

  #hasReportedSince({ process_id, reports }: Other): boolean {
    const before = this.#at_parting?.get(process_id)
    return before !== undefined && reports > before
  }

  #shiftsSince(): number[] {
    const heard = [...this.#monitors.values()]
    return heard.flatMap(({ shift_ms, period }) => (period === this.#period ? [shift_ms] : []))
  }
}

function disagrees({ skew_ms, ahead_ms, isInDoubt }: Other): boolean {
  return isInDoubt || Math.abs(skew_ms) > TOLD_SKEW_MS || Math.abs(ahead_ms) > MOST_SKEW_MS
}

/** Describes a tally in words. Returns undefined if there are no other clocks. */
export function describeTally({ processes, processes_off, monitors, monitors_off }: Tally): string | undefined {
  const parts = [
    ...(processes > 0 ? [`${processes_off} of ${processes} other processes`] : []),
    ...(monitors > 0 ? [`${monitors_off} of ${monitors} monitors`] : []),
  ]
  return parts.length === 0 ? undefined : `${parts.join(' and ')} disagree with the database clock`
}

/** Whether a tally is worth reporting: a process is off, or enough monitors that they are unlikely to be wrong. */
export function isWorthTelling({ processes_off, monitors, monitors_off }: Tally): boolean {
  return processes_off > 0 || (monitors_off >= LEAST_MONITORS && 2 * monitors_off > monitors)
}
