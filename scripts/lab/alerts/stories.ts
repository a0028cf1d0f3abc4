// Lets checks and heartbeats change state, and records the changes that the server acknowledged.
import { setTimeout as pause } from 'node:timers/promises'
import { type Dice, dice } from '../../../packages/server/test/support/dice.ts'
import type { Run } from '../clients/sdk-agent.ts'
import type { Org } from '../world.ts'
import type { Receiver } from './receiver.ts'

/** Receiver of a channel. */
export type Hearer = Receiver & { channel_id: number }

/** An organisation, its monitors, and the receivers of its alerts. */
export interface Side {
  readonly name: string
  readonly org_id: number
  readonly uploaders: readonly { upload(runs: readonly Run[]): Promise<void> }[]
  readonly hearers: readonly Hearer[]
  readonly addChecks: Org['addChecks']
  /** Whether a story waits for each alert, because a message with a successor has only one attempt left. */
  readonly isPatient: boolean
  /** Returns the monotonic time of the last kill. */
  readonly killed_ms?: () => number
}

/** A change that the server has acknowledged, in milliseconds since the Unix epoch. */
export interface Change {
  type: string
  from: number
  to: number
}

export interface Course {
  seed: number
  isOver: () => boolean
  onFailedCall?: (response: Response | undefined) => void
}

const PAUSE_MS = { patient: 2500, hasty: 6000 }
const REST_MS = 4000
const AGAIN_MS = 500
const CALL_AGAIN_MS = 200
const CALL_MS = 15_000
/** Share of failures that are too few to take the check down. */
const TRIED_IN_VAIN_PERCENT = 30
/** Share of incidents that last until the receivers know. */
const LASTING_PERCENT = 40
/** Time for an alert while no process is killed: a killed sender keeps its messages for a minute. */
const TOLD_MS = 150_000

/** The changes of one check or heartbeat. */
export class Story {
  readonly guid: string
  readonly side: Side
  readonly changes: Change[] = []
  /** Whether it goes down by itself, also before its recovery was accepted, which then has one attempt left. */
  readonly isSilent: boolean
  #latest = Date.now()

  constructor(guid: string, side: Side, isSilent = false) {
    this.guid = guid
    this.side = side
    this.isSilent = isSilent
  }

  /** Uploads runs, each by one of the monitors. */
  async report(successes: readonly boolean[], d: Dice, type?: string): Promise<Change> {
    const from = Math.max(Date.now(), this.#latest + 1)
    this.#latest = from + successes.length
    const shares = this.side.uploaders.map((): Run[] => [])
    successes.forEach((success, n) => d.one(shares).push({ guid: this.guid, at: from + n, success }))
    await Promise.all(this.side.uploaders.map((uploader, n) => uploader.upload(shares[n] ?? [])))
    const change = { type: type ?? '', from, to: this.#latest }
    if (type !== undefined) this.changes.push(change)
    return change
  }

  /** Waits until each receiver has accepted so many alerts. */
  async untilTold(count = this.changes.length): Promise<void> {
    const { hearers } = this.side
    const taken = (hearer: Hearer) => (this.isSilent ? hearer.settledAbout : hearer.takenAbout)(this.guid).length
    await this.untilHeard(() => hearers.filter((hearer) => taken(hearer) < count))
  }

  /** Waits until no receiver is left that does not know. Throws if that takes too long after the last kill. */
  async untilHeard(deaf: () => readonly Receiver[]): Promise<void> {
    const began = performance.now()
    while (deaf().length > 0) {
      if (performance.now() > Math.max(began, this.side.killed_ms?.() ?? 0) + TOLD_MS) {
        const names = deaf().map(({ name }) => name)
        const last = JSON.stringify(this.changes.at(-1))
        throw new Error(`${this.side.name}: ${names.join(', ')} received no alert about ${this.guid}: ${last}`)
      }
      await pause(100)
    }
  }

  async rest(d: Dice): Promise<void> {
    await pause(d.below(this.side.isPatient ? PAUSE_MS.patient : PAUSE_MS.hasty))
  }

  /** Waits for the alert about the last change, if the side is patient. */
  async settle(): Promise<void> {
    if (this.side.isPatient) await this.untilTold()
  }
}

/** Takes a check down by `threshold` failures in a row and up again, until it is over. */
export async function checkStory(story: Story, threshold: number, { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  const failures = (count: number) => Array.from({ length: count }, () => false)
  await story.report([true], d)
  while (!isOver()) {
    await story.rest(d)
    if (threshold > 1 && d.below(100) < TRIED_IN_VAIN_PERCENT) {
      await story.report(failures(threshold - 1), d)
      await story.report([true], d)
    }
    await story.report(failures(threshold + d.below(2)), d, 'check.down')
    await story.settle()
    await story.rest(d)
    await story.report(d.one([[true], [true, true]]), d, 'check.up')
    await story.settle()
  }
}

/** Takes a check down and up. Some incidents last until the receivers of `choose` know. In the end the check is down. */
export async function lastingStory(
  story: Story,
  { seed, isOver }: Course,
  choose: (isLast: boolean, d: Dice) => readonly Receiver[],
): Promise<void> {
  const d = dice(seed)
  await story.report([true], d)
  for (;;) {
    await pause(d.below(REST_MS))
    const { from } = await story.report([false], d, 'check.down')
    const isLast = isOver()
    const hears = ({ takenAbout }: Receiver) => {
      const last = takenAbout(story.guid).at(-1)
      return last?.type === 'check.down' && last.since >= from
    }
    if (isLast || d.below(100) < LASTING_PERCENT) {
      const chosen = choose(isLast, d)
      await story.untilHeard(() => chosen.filter((hearer) => !hears(hearer)))
    } else await pause(d.below(REST_MS))
    if (isLast) return
    await story.report([true], d, 'check.up')
  }
}

/** Lets the job of a heartbeat report failures and successes. */
export async function heartbeatStory(story: Story, url: string, course: Course): Promise<void> {
  const d = dice(course.seed)
  await call(url, course)
  while (!course.isOver()) {
    for (const type of ['heartbeat.down', 'heartbeat.up']) {
      await story.rest(d)
      const path = type === 'heartbeat.up' ? '' : `/${d.one(['fail', '1', '137'])}`
      story.changes.push({ type, ...(await call(`${url}${path}`, course)) })
      await story.settle()
    }
  }
}

/** Lets the job of a heartbeat ping only after it was missed, and in the end never. */
export async function silentStory(story: Story, url: string, course: Course): Promise<void> {
  let { from } = await call(url, course)
  for (;;) {
    await story.untilTold(story.changes.length + 1)
    story.changes.push({ type: 'heartbeat.down', from, to: Date.now() })
    if (course.isOver()) return
    const back = await call(url, course)
    from = back.from
    story.changes.push({ type: 'heartbeat.up', ...back })
    await story.settle()
  }
}

/** Lets the job of a heartbeat ping all the time. */
export async function steadyStory(url: string, every_ms: number, course: Course): Promise<void> {
  while (!course.isOver()) {
    await call(url, course)
    await pause(every_ms)
  }
}

/** Pings until the server acknowledges it. */
async function call(url: string, { onFailedCall }: Course): Promise<{ from: number; to: number }> {
  const from = Date.now()
  for (;;) {
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(CALL_MS) }).then(
      async (answer) => {
        await answer.text()
        return answer
      },
      () => undefined,
    )
    if (response?.status === 200) return { from, to: Date.now() }
    onFailedCall?.(response)
    await pause(CALL_AGAIN_MS)
  }
}

/** Repeats an action until it works, because Postgres may be unavailable. */
export async function stubbornly<Value>(act: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await act()
    } catch {
      await pause(AGAIN_MS)
    }
  }
}

export async function pauseUnless(isOver: () => boolean, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end && !isOver(); ) await pause(Math.min(AGAIN_MS, end - Date.now()))
}
