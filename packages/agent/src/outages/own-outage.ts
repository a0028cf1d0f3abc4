// An outage of this machine itself: when it began, how it is distinguished from the targets', and when it is over.

export interface Outage {
  /** Milliseconds of server time. */
  ended_at: number
  seconds: number
}

export interface OwnOutageOptions {
  /** True when everything works at present. */
  look: () => Promise<boolean>
  /** Milliseconds of a clock that only goes forth. */
  mono: () => number
  /** Milliseconds of server time. */
  now: () => number
  /** Calls `fire` once after `ms` milliseconds, and returns what calls it off. */
  timer: (fire: () => void, ms: number) => () => void
  /** True when this process stood still since then: a test that reached nobody proves nothing then. */
  hasStalled?: ((began: number) => boolean) | undefined
  onBegin: () => void
  onEnd: (seconds: number) => void
}

const RECOVERY_LOOK_MS = 1000
/** This many tests in a row may be spoilt because the process stands still. */
const LOOKS_MAX = 3

interface Round {
  began: number
  isWell: Promise<boolean>
}

export class OwnOutage {
  readonly #options: OwnOutageOptions
  #round: Round | undefined
  /** When the latest round that found all well began. */
  #wellAt = Number.NEGATIVE_INFINITY
  /** Until when the latest outage lasted, on the clock that only goes forth. */
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

  /** The last one that ended. */
  get last(): Outage | undefined {
    return this.#last
  }

  stop(): void {
    this.#cancelLook?.()
  }

  /** Looks, whoever asks. */
  async look(): Promise<void> {
    await this.#look()
  }

  /** Whether a failure of a check that began at `began` may be due to this outage and not to the target. */
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

  /** One round serves everyone who waits for it; a round that began before the check proves nothing about it. */
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
