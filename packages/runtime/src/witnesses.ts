// Compares the database's clock with the clocks of the server's other processes and of monitors. If it and this
// machine's clock disagree, these other clocks decide which of the two is wrong.
import { MOST_SKEW_MS } from './clock.ts'

/** Last report of another process about its clocks. */
export interface Other {
  process_id: string
  host: string
  /** Number of reports that the process has made. A higher number means a newer report. */
  reports: number
  /** Clock of the process's machine minus the time that the process carries, in milliseconds. */
  skew_ms: number
  /** Database's clock minus the time that the process carries, in milliseconds. */
  ahead_ms: number
  /** Time since the process's carried time last changed by a jump, in milliseconds. */
  steady_ms: number
  isInDoubt: boolean
  /** Whether the process reported within the last seconds, by the database's clock. */
  isFresh: boolean
}

/** Clock of one monitor, as its latest requests showed it. */
interface MonitorClock {
  /** Lead of the monitor's clock over the time that this process carries, in milliseconds. */
  offset_ms: number
  /** Change of that lead since the monitor's earlier requests, in milliseconds. */
  shift_ms: number
  at_ms: number
  period: number
}

/** Numbers of other clocks, and of those that disagree with the database's clock. */
export interface Tally {
  processes: number
  processes_off: number
  monitors: number
  monitors_off: number
}

/** Disagreement between the database's clock and the time that this process carries. */
export interface Parting {
  /** Lead of the database's clock over the carried time, in milliseconds. */
  jump_ms: number
  /** Time since the database's clock and the carried time last agreed, by this machine, in milliseconds. */
  since_ms: number
}

/** Maximum difference between two processes that both follow the database, in milliseconds. Larger ones are not noise. */
const TOLD_SKEW_MS = 1_000
/** Time without requests after which a monitor's clock no longer counts, in milliseconds. */
const HEARD_MS = 180_000
const MOST_HEARD = 10_000
/** Difference in milliseconds that delays in the network can cause. Only larger ones show a wrong clock. */
const NOISE_MS = 2_000
/** Minimum number of monitors for a decision, because a single one can be wrong. */
const LEAST_MONITORS = 2

export class Witnesses {
  readonly #host: string
  #others: readonly Other[] = []
  /** Number of reports of each other process when the database's clock and the carried time were first seen to disagree. */
  #at_parting: Map<string, number> | undefined
  readonly #monitors = new Map<string, MonitorClock>()
  /** Number of responses of the database that agreed with the carried time. */
  #period = 0

  /** Creates the witnesses. `host` is the name of this machine, whose processes all stand still when it does. */
  constructor(host = '') {
    this.#host = host
  }

  /**
   * Stores the reports of the other processes. `isParted`: whether they were read while the database's clock and the carried time
   * disagree.
   */
  readOthers(others: readonly Other[], isParted: boolean): void {
    this.#others = others
    if (!isParted) this.#at_parting = undefined
    else this.#at_parting ??= new Map(others.map(({ process_id, reports }) => [process_id, reports]))
  }

  /**
   * Records the offset of a monitor's clock. `usual_ms` is its earlier offset. Counts only the first request since the database's
   * clock last agreed, because the monitor can then set its clock by the response.
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

  /** Records that the database's clock agrees with the carried time. */
  agree(): void {
    this.#period++
  }

  /**
   * Whether only this machine stood still, so that the database's clock is right. Processes that have carried their time since
   * before the disagreement decide, with one vote per machine. Without any, the monitors decide.
   */
  sayOursAlone(parting: Parting): boolean {
    const votes = this.#votesOfHosts(parting)
    if (votes.length > 0) return votes.filter((isSteady) => isSteady).length * 2 > votes.length
    const shifts = this.#shiftsSince()
    const along = shifts.filter((shift_ms) => Math.abs(shift_ms - parting.jump_ms) <= NOISE_MS).length
    const against = shifts.filter((shift_ms) => Math.abs(shift_ms) <= NOISE_MS).length
    return along >= LEAST_MONITORS && along > 2 * against
  }

  /** Counts the other clocks. `jump_ms` is the lead of the database's clock over the carried time that is not trusted yet. */
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

  /** Returns one vote per machine: whether the database's clock ran steadily by the clocks of its processes. */
  #votesOfHosts({ jump_ms, since_ms }: Parting): boolean[] {
    // A process that started after the disagreement must not vote. It cannot have carried its time for this long, even
    // if the database's clock was set.
    const least_ms = Math.max(since_ms, since_ms + jump_ms)
    const asked = this.#others.filter((other) => this.#hasReportedSince(other) && other.steady_ms > least_ms)
    const votes = Map.groupBy(asked, ({ host }) => host)
    return [...votes].flatMap(([host, others]) => {
      const steady = others.filter(({ ahead_ms }) => Math.abs(ahead_ms) <= MOST_SKEW_MS).length
      const isSteady = steady * 2 > others.length
      // This machine has no vote if it stood still, because then all its processes did.
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

/** Describes a tally for the log. Returns undefined if there are no other clocks. */
export function describeTally({ processes, processes_off, monitors, monitors_off }: Tally): string | undefined {
  const parts = [
    ...(processes > 0 ? [`${processes_off} of ${processes} other processes`] : []),
    ...(monitors > 0 ? [`${monitors_off} of ${monitors} monitors`] : []),
  ]
  return parts.length === 0 ? undefined : `${parts.join(' and ')} disagree with the database clock`
}

/** Whether a tally is worth logging: a process disagrees, or so many monitors that they are unlikely to be wrong. */
export function isWorthTelling({ processes_off, monitors, monitors_off }: Tally): boolean {
  return processes_off > 0 || (monitors_off >= LEAST_MONITORS && 2 * monitors_off > monitors)
}
