// Other clocks that the database's is compared with: those of the server's other processes, and of monitors. When the
// database's clock and this machine's disagree, they tell which of the two has moved.
import { MOST_SKEW_MS } from './clock.ts'

/** What another process reported of its clocks, as of the moment when it wrote that down. */
export interface Other {
  process_id: string
  host: string
  /** How often it has reported: a higher number means a newer report. */
  reports: number
  /** Its machine's clock minus the time that it carries. */
  skew_ms: number
  /** The database's clock minus the time that it carries. */
  ahead_ms: number
  /** How long it has carried that time without a break. */
  steady_ms: number
  isInDoubt: boolean
  /** It reported within the last seconds, by the database's clock. */
  isFresh: boolean
}

/** The clock of one monitor, as its latest requests showed it. */
interface Heard {
  /** How far it is ahead of the time that this process carries. */
  offset_ms: number
  /** How much of that is new. */
  shift_ms: number
  at_ms: number
  period: number
}

/** How many other clocks there are, and how many of them disagree with the database's. */
export interface Tally {
  processes: number
  processes_off: number
  monitors: number
  monitors_off: number
}

/** The database's clock is not where this process carried it to. */
export interface Parting {
  /** How far it is ahead of that. */
  jump_ms: number
  /** How long ago, by this machine, the two last agreed. */
  since_ms: number
}

/** Between two processes that both follow the database, this much is noise. */
const TOLD_SKEW_MS = 1_000
/** A monitor that was silent for longer may be gone, and its clock with it. */
const HEARD_MS = 180_000
const MOST_HEARD = 10_000
/** Below this, the difference is the network's and not a clock's. */
const NOISE_MS = 2_000
/** A single monitor may be wrong. */
const LEAST_MONITORS = 2

export class Witnesses {
  readonly #host: string
  #others: readonly Other[] = []
  /** How often each of the others had reported when the two clocks were first seen to disagree. */
  #at_parting: Map<string, number> | undefined
  readonly #monitors = new Map<string, Heard>()
  /** Advances with every answer of the database that fits. */
  #period = 0

  /** `host`: the name of this machine. Its processes stand still together. */
  constructor(host = '') {
    this.#host = host
  }

  /** What the other processes wrote. `isParted`: it was read after the two clocks were seen to disagree. */
  readOthers(others: readonly Other[], isParted: boolean): void {
    this.#others = others
    if (!isParted) this.#at_parting = undefined
    else this.#at_parting ??= new Map(others.map(({ process_id, reports }) => [process_id, reports]))
  }

  /**
   * A monitor's request showed its clock that far ahead of the time carried here; `usual_ms`: the offset that was known
   * before. Only its first request since the database last agreed counts: after that, it may have set its clock by an
   * answer of ours.
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

  /** The database's clock is where it should be. */
  agree(): void {
    this.#period++
  }

  /**
   * Whether this machine stood still, so that the database's clock is right. The other processes are asked first: those
   * that have carried their time since before the two clocks disagreed, and have reported the database's offset since.
   * Each machine has one vote. When no process can tell, the monitors are asked.
   */
  sayOursAlone(parting: Parting): boolean {
    const votes = this.#votesOfHosts(parting)
    if (votes.length > 0) return votes.filter((isSteady) => isSteady).length * 2 > votes.length
    const shifts = this.#shiftsSince()
    const along = shifts.filter((shift_ms) => Math.abs(shift_ms - parting.jump_ms) <= NOISE_MS).length
    const against = shifts.filter((shift_ms) => Math.abs(shift_ms) <= NOISE_MS).length
    return along >= LEAST_MONITORS && along > 2 * against
  }

  /** `jump_ms`: how far the database's clock is ahead of the time carried here, without being believed. */
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

  /** True: the database's clock ran steadily for that machine. */
  #votesOfHosts({ jump_ms, since_ms }: Parting): boolean[] {
    // However the database's clock moved: a process that started after the two disagreed cannot have carried the time
    // for so long.
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

/** The same in words; undefined when there are no other clocks. */
export function describeTally({ processes, processes_off, monitors, monitors_off }: Tally): string | undefined {
  const parts = [
    ...(processes > 0 ? [`${processes_off} of ${processes} other processes`] : []),
    ...(monitors > 0 ? [`${monitors_off} of ${monitors} monitors`] : []),
  ]
  return parts.length === 0 ? undefined : `${parts.join(' and ')} disagree with the database clock`
}

/** Whether to report it: a process is off, or so many monitors that they are unlikely to be wrong. */
export function isWorthTelling({ processes_off, monitors, monitors_off }: Tally): boolean {
  return processes_off > 0 || (monitors_off >= LEAST_MONITORS && 2 * monitors_off > monitors)
}
