// Lets checks and heartbeats change state, and records the changes that the server acknowledged.
import { setTimeout as pause } from 'node:timers/promises'
import { type Dice, dice } from '../../../packages/runtime/test/support/dice.ts'
import type { SdkAgent } from '../clients/sdk-agent.ts'
import type { Org } from '../world.ts'
import type { Receiver } from './receiver.ts'

/** Receiver of a channel. */
export type Hearer = Receiver & { channel_id: number }

/** An organisation, its monitors, and the receivers of its alerts. */
export interface Side extends Org {
  readonly agents: readonly SdkAgent[]
  readonly hearers: readonly Hearer[]
  readonly stories: Story[]
  /** Whether a story waits for each alert, because a message with a successor has only one attempt left. */
  readonly isPatient: boolean
  /** Returns the monotonic time of the last kill. */
  readonly killed_ms: () => number
}

/** Times of a change in milliseconds since the Unix epoch. */
interface Span {
  from: number
  to: number
}

/** A change that the server has acknowledged. */
export interface Change extends Span {
  type: string
}

/** Takes a check or heartbeat up or down. Returns when the server has acknowledged it. */
type Act = (isUp: boolean, d: Dice) => Promise<Span>

const PAUSE_MS = { patient: 2500, hasty: 6000 }
const REST_MS = 4000
const CALL_AGAIN_MS = 200
const CALL_MS = 15_000
/** Share of failures that are too few to take the check down. */
const TRIED_IN_VAIN_PERCENT = 30
/** Share of incidents that last until the receivers know. */
const LASTING_PERCENT = 40
/** Time for an alert while no process is killed: a killed sender keeps its messages for a minute, and two holds may follow each other. */
const TOLD_MS = 240_000

/** A check or heartbeat, and how it changes. */
export interface Subject {
  name: string
  guid: string
  kind: 'check' | 'heartbeat'
  act: Act
  seed: number
}

/** The changes of one check or heartbeat. */
export class Story {
  readonly name: string
  readonly guid: string
  readonly side: Side
  readonly changes: Change[] = []
  isSilent = false
  isSteady = false
  readonly #kind: Subject['kind']
  readonly #act: Act
  readonly #dice: Dice

  /** Adds the story to those of its side. */
  constructor(side: Side, { name, guid, kind, act, seed }: Subject) {
    side.stories.push(this)
    this.side = side
    this.name = name
    this.guid = guid
    this.#act = act
    this.#kind = kind
    this.#dice = dice(seed)
  }

  /** Goes down and up until it is over. */
  async alternate(isOver: () => boolean): Promise<void> {
    await this.#act(true, this.#dice)
    while (!isOver()) {
      await this.#change(false)
      await this.#change(true)
    }
  }

  /** Goes down and up. Some incidents last until the receivers of `choose` know. In the end it is down. */
  async last(isOver: () => boolean, choose: (isLast: boolean, d: Dice) => readonly Receiver[]): Promise<void> {
    const d = this.#dice
    await this.#act(true, d)
    for (;;) {
      await pause(d.below(REST_MS))
      const { from } = await this.#act(false, d)
      const isLast = isOver()
      if (isLast || d.below(100) < LASTING_PERCENT) {
        const chosen = choose(isLast, d)
        await this.#untilHeard(() => chosen.filter((hearer) => !this.#isDownAt(hearer, from)))
      } else await pause(d.below(REST_MS))
      if (isLast) return
      await this.#act(true, d)
    }
  }

  /** Lets the job of a heartbeat ping only after it was missed, and in the end never. */
  async fallSilent(isOver: () => boolean): Promise<void> {
    this.isSilent = true
    let { from } = await this.#act(true, this.#dice)
    for (;;) {
      await this.untilTold(this.changes.length + 1)
      this.changes.push({ type: 'heartbeat.down', from, to: Date.now() })
      if (isOver()) return
      const back = await this.#act(true, this.#dice)
      from = back.from
      this.changes.push({ type: 'heartbeat.up', ...back })
    }
  }

  /** Lets the job of a heartbeat ping all the time. */
  async beSteady(every_ms: number, isOver: () => boolean): Promise<void> {
    this.isSteady = true
    for (; !isOver(); await pause(every_ms)) await this.#act(true, this.#dice)
  }

  /** Waits until each receiver has accepted so many alerts. */
  async untilTold(count = this.changes.length): Promise<void> {
    const { hearers } = this.side
    await this.#untilHeard(() => hearers.filter((hearer) => hearer.takenAbout(this.guid).length < count))
  }

  async #change(isUp: boolean): Promise<void> {
    const { isPatient } = this.side
    await pause(this.#dice.below(isPatient ? PAUSE_MS.patient : PAUSE_MS.hasty))
    this.changes.push({ type: `${this.#kind}.${isUp ? 'up' : 'down'}`, ...(await this.#act(isUp, this.#dice)) })
    if (isPatient) await this.untilTold()
  }

  #isDownAt(hearer: Receiver, from: number): boolean {
    const last = hearer.takenAbout(this.guid).at(-1)
    return last?.type === `${this.#kind}.down` && (last.since ?? 0) >= from
  }

  /** Waits until no receiver is left that does not know. Throws if that takes too long after the last kill. */
  async #untilHeard(deaf: () => readonly Receiver[]): Promise<void> {
    const began = performance.now()
    for (; deaf().length > 0; await pause(100)) {
      if (performance.now() > Math.max(began, this.side.killed_ms()) + TOLD_MS) {
        const names = deaf().map(({ name }) => name)
        const last = JSON.stringify(this.changes.at(-1))
        throw new Error(`${this.side.name}: ${names.join(', ')} received no alert about ${this.guid}: ${last}`)
      }
    }
  }
}

/** Returns how a check changes: by `threshold` failures in a row, and by a success. Each run is uploaded by one of the monitors. */
export function checkOf({ agents }: Side, guid: string, threshold: number): Act {
  let latest = 0
  const upload = async (successes: readonly boolean[], d: Dice): Promise<Span> => {
    const from = Math.max(Date.now(), latest + 1)
    latest = from + successes.length
    const runs = successes.map((success, n) => ({ guid, at: from + n, success, agent: d.one(agents) }))
    await Promise.all(runs.map(({ agent, ...run }) => agent.upload([run])))
    return { from, to: latest }
  }
  const failures = (count: number) => Array.from({ length: count }, () => false)
  return async (isUp, d) => {
    if (isUp) return upload(d.one([[true], [true, true]]), d)
    if (threshold > 1 && d.below(100) < TRIED_IN_VAIN_PERCENT) {
      await upload(failures(threshold - 1), d)
      await upload([true], d)
    }
    return upload(failures(threshold + d.below(2)), d)
  }
}

/** Returns how the job of a heartbeat reports a success or a failure: it pings until the server acknowledges it. */
export function jobOf(url: string, onFailedCall: (response?: Response) => void): Act {
  return async (isUp, d) => {
    const path = isUp ? '' : `/${d.one(['fail', '1', '137'])}`
    for (const from = Date.now(); ; await pause(CALL_AGAIN_MS)) {
      const response = await fetch(`${url}${path}`, { method: 'POST', signal: AbortSignal.timeout(CALL_MS) })
        .then((answer) => answer.text().then(() => answer))
        .catch(() => undefined)
      if (response?.status === 200) return { from, to: Date.now() }
      onFailedCall(response)
    }
  }
}
