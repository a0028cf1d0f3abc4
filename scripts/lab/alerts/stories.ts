// Lets checks and heartbeats change state, and records the changes that the server acknowledged.
import { setTimeout as pause } from 'node:timers/promises'
import { type Dice, dice } from '../../../packages/runtime/test/support/dice.ts'
import type { SdkAgent } from '../clients/sdk-agent.ts'
import type { Org } from '../world.ts'
import type { Receiver } from './receiver.ts'

/** An organisation, its monitors, and the receivers of its alerts. */
export interface Side extends Org {
  readonly agents: readonly SdkAgent[]
  readonly hearers: readonly Receiver[]
  readonly stories: Story[]
  /**
   * Whether a story waits for the alert of each change. If the next change comes first, the server makes only one more attempt to
   * deliver the alert.
   */
  readonly isPatient: boolean
  /** Returns the time of the last kill, on the monotonic clock. */
  readonly killed_ms: () => number
}

/** Time of a change: between `from` and `to`, in milliseconds since the Unix epoch. */
interface Span {
  from: number
  to: number
}

/** A change of state that the server has acknowledged. */
export interface Change extends Span {
  type: string
}

/** Takes a check or heartbeat up or down. Resolves once the server has acknowledged the results or the ping. */
type Act = (isUp: boolean, d: Dice) => Promise<Span>

const PAUSE_MS = { patient: 2500, hasty: 6000 }
const CALL_AGAIN_MS = 200
const CALL_MS = 15_000
/** Percentage of outages before which failures occur that are too few to take the check down. */
const TRIED_IN_VAIN_PERCENT = 30
/**
 * Maximum time until an alert arrives while no process is killed, in milliseconds. A killed sender keeps its messages for a
 * minute, and two holds may follow each other.
 */
const TOLD_MS = 240_000

/** A check or heartbeat, and the function that changes its state. */
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

  /** Creates the story, and adds it to the stories of its organisation. */
  constructor(side: Side, { name, guid, kind, act, seed }: Subject) {
    side.stories.push(this)
    this.side = side
    this.name = name
    this.guid = guid
    this.#act = act
    this.#kind = kind
    this.#dice = dice(seed)
  }

  /** Takes the check or heartbeat down and up in turn, until `isOver` returns true. */
  async alternate(isOver: () => boolean): Promise<void> {
    await this.#act(true, this.#dice)
    while (!isOver()) {
      await this.#change(false)
      await this.#change(true)
    }
  }

  /** Lets the job of a heartbeat ping only after the heartbeat went down, and no longer at the end. */
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

  /** Lets the job of a heartbeat ping all the time, until `isOver` returns true. */
  async beSteady(every_ms: number, isOver: () => boolean): Promise<void> {
    this.isSteady = true
    for (; !isOver(); await pause(every_ms)) await this.#act(true, this.#dice)
  }

  /**
   * Waits until each receiver has accepted `count` alerts of this story. Default: one for each change. Throws if that takes too
   * long after the last kill.
   */
  async untilTold(count = this.changes.length): Promise<void> {
    const { hearers } = this.side
    const deaf = () => hearers.filter((hearer) => hearer.takenAbout(this.guid).length < count)
    const began = performance.now()
    for (; deaf().length > 0; await pause(100)) {
      if (performance.now() > Math.max(began, this.side.killed_ms()) + TOLD_MS) {
        const names = deaf().map(({ name }) => name)
        const last = JSON.stringify(this.changes.at(-1))
        throw new Error(`${this.side.name}: ${names.join(', ')} received no alert about ${this.guid}: ${last}`)
      }
    }
  }

  async #change(isUp: boolean): Promise<void> {
    const { isPatient } = this.side
    await pause(this.#dice.below(isPatient ? PAUSE_MS.patient : PAUSE_MS.hasty))
    this.changes.push({ type: `${this.#kind}.${isUp ? 'up' : 'down'}`, ...(await this.#act(isUp, this.#dice)) })
    if (isPatient) await this.untilTold()
  }
}

/**
 * Returns a function that changes the state of a check by uploads: `threshold` failures in a row, or a success. One of the
 * monitors uploads each run.
 */
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

/** Returns a function that pings a heartbeat with a success or a failure, again until the server acknowledges the ping. */
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
