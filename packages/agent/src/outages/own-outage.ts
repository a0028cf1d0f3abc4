// Decides when an outage of this machine itself began, whether it explains a failure, and when it is over.

export interface Outage {
  /** Server time at which the outage ended, in milliseconds. */
  ended_at: number
  seconds: number
}

export interface OwnOutageOptions {
  /** Tests whether this machine's network or resolver, whichever is watched, works now. */
  look: () => Promise<boolean>
  /** Returns the time of a clock that never goes back, in milliseconds. */
  mono: () => number
  /** Returns the server time, in milliseconds. */
  now: () => number
  /** Calls `fire` once after `ms` milliseconds, and returns a function that cancels it. */
  timer: (fire: () => void, ms: number) => () => void
  /** Whether this process stalled after `began`. A stalled process may miss responses, so a failed test then proves nothing. */
  hasStalled?: ((began: number) => boolean) | undefined
  onBegin: () => void
  onEnd: (seconds: number) => void
}

const RECOVERY_LOOK_MS = 1000
/** Maximum number of tests in a row, because a stall of the process can spoil a test. */
const LOOKS_MAX = 3

interface Round {
  began: number
  isWell: Promise<boolean>
}

export class OwnOutage {
  readonly #options: OwnOutageOptions
  #round: Round | undefined
  /** Start of the latest test that found this machine working, on the monotonic clock. */
  #wellAt = Number.NEGATIVE_INFINITY
  /** End of the latest outage, on the monotonic clock. */
  #outUntil = Number.NEGATIVE_INFINITY
  #outSince: number | undefined
  #cancelLook: (() => void) | undefined
  #last: Outage | undefined

  constructor(options: OwnOutageOptions) {
    this.#options = options
  }

  get isOut(): boolean {
    return this.#outSince !== undefined
  }

  /** The latest outage of this machine that has ended. Undefined if there was none. */
  get last(): Outage | undefined {
    return this.#last
  }

  stop(): void {
    this.#cancelLook?.()
  }

  /** Starts a test now, even if another test is in progress. */
  async look(): Promise<void> {
    await this.#look()
  }

  /** Whether an outage of this machine may have caused the failure of a check that began at `began`. */
  async covers(began: number): Promise<boolean> {
    if (this.#outUntil > began || this.isOut) return true
    if (this.#wellAt >= began) return false
    const isWell = await this.#wellSince(began)
    if (!isWell) this.#begin(began)
    return !isWell || this.#outUntil > began
  }

  async #wellSince(began: number): Promise<boolean> {
    const { mono, hasStalled } = this.#options
    for (let looks = 1; ; looks += 1) {
      const lookedAt = mono()
      if (await this.#lookSince(began)) return true
      if (looks === LOOKS_MAX || !hasStalled?.(lookedAt)) return false
    }
  }

  /**
   * Returns the outcome of the test in progress. If that test began before the check, and so proves nothing about the check,
   * starts a new test.
   */
  #lookSince(began: number): Promise<boolean> {
    if (this.#round && this.#round.began >= began) return this.#round.isWell
    return this.#look()
  }

  #look(): Promise<boolean> {
    const round: Round = { began: this.#options.mono(), isWell: this.#options.look() }
    this.#round = round
    void round.isWell.then((isWell) => {
      if (isWell) this.#wellAt = Math.max(this.#wellAt, round.began)
      if (this.#round === round) this.#round = undefined
    })
    return round.isWell
  }

  #begin(began: number): void {
    if (this.#outSince !== undefined) return
    this.#outSince = began
    this.#options.onBegin()
    this.#lookAgain()
  }

  #lookAgain(): void {
    this.#cancelLook = this.#options.timer(async () => {
      if (await this.#look()) this.#end()
      else this.#lookAgain()
    }, RECOVERY_LOOK_MS)
  }

  #end(): void {
    const mono = this.#options.mono()
    const seconds = Math.max(1, Math.round((mono - (this.#outSince ?? mono)) / 1000))
    this.#last = { ended_at: this.#options.now(), seconds }
    this.#outSince = undefined
    this.#outUntil = mono
    this.#options.onEnd(seconds)
  }
}
