// The lives of checks and heartbeats, and the changes that were acknowledged.
import { setTimeout as pause } from 'node:timers/promises'
import { type Dice, dice } from '../../../packages/server/test/support/dice.ts'
import { isHeardInTime, TOLD_MS } from './patience.ts'
import type { Receiver } from './receiver.ts'
import { Untold } from './remains.ts'
import type { Run, Uploader } from './uploader.ts'

/** An org, who finds out for it, and who hears of it. */
export interface Side {
  readonly name: string
  readonly org_id: number
  readonly uploaders: readonly Uploader[]
  /** One for each channel. */
  readonly hearers: readonly (Receiver & { channel_id: number })[]
  /** Whether nothing changes again before its last change was taken: a message that has a successor is tried once more only. */
  readonly isPatient: boolean
  /** When something of the server was killed last, by the monotonic clock; left out: nothing is. */
  readonly killed_ms?: () => number
}

/** A change that the server has acknowledged. It happened between these times, in milliseconds since the Unix epoch. */
export interface Change {
  type: string
  from: number
  to: number
}

export interface Story {
  readonly guid: string
  readonly side: Side
  readonly changes: Change[]
  /**
   * Whether it goes down by itself, also before its recovery was accepted. That recovery then has one attempt left, and is given up if its
   * receiver refuses it. Absent: no.
   */
  readonly isSilent?: boolean
}

export interface Course {
  seed: number
  isOver: () => boolean
  /** Told of each call that was not acknowledged, with its answer if there was one. */
  onFailedCall?: (response: Response | undefined, lasted_ms: number) => void
}

const PAUSE_MS = { patient: 2500, hasty: 6000 }
const AGAIN_MS = 200
export const NEVER = () => 0
const CALL_MS = 15_000
const TRIED_IN_VAIN_PERCENT = 30

/** A check that goes down after `threshold` failures in a row, and comes up. Its monitors report in parallel. */
export async function checkStory(story: Story, threshold: number, { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  let latest = Date.now()
  /** Runs that make one step of the story, by any of its monitors, one after the other. */
  const report = async (successes: readonly boolean[]): Promise<{ from: number; to: number }> => {
    const from = Math.max(Date.now(), latest + 1)
    const runs = successes.map((success, place): Run => ({ guid: story.guid, at: from + place, success }))
    latest = from + runs.length
    const shares = story.side.uploaders.map((): Run[] => [])
    for (const run of runs) d.one(shares).push(run)
    const uploads = story.side.uploaders.map((uploader, n) => ({ uploader, share: shares[n] ?? [] }))
    await Promise.all(uploads.flatMap(({ uploader, share }) => (share.length > 0 ? [uploader.upload(share)] : [])))
    return { from, to: latest }
  }
  await report([true])
  while (!isOver()) {
    await rest(story, d)
    // Too few to take it down: nobody must be alerted.
    if (threshold > 1 && d.below(100) < TRIED_IN_VAIN_PERCENT) {
      await report(failures(threshold - 1))
      await report([true])
    }
    await changed(story, 'check.down', await report(failures(threshold + d.below(2))))
    await rest(story, d)
    await changed(story, 'check.up', await report(d.one([[true], [true, true]])))
  }
}

/** A heartbeat whose job reports failures and successes. */
export async function heartbeatStory(story: Story, url: string, course: Course): Promise<void> {
  const { seed, isOver } = course
  const d = dice(seed)
  await call(url, course)
  while (!isOver()) {
    await rest(story, d)
    await changed(story, 'heartbeat.down', await call(`${url}/${d.one(['fail', '1', '137'])}`, course))
    await rest(story, d)
    await changed(story, 'heartbeat.up', await call(url, course))
  }
}

/** A heartbeat whose job does not ping again until it was missed, and in the end never. */
export async function silentStory(story: Story, url: string, course: Course): Promise<void> {
  let { from } = await call(url, course)
  for (;;) {
    if (!(await isTold(story, story.changes.length + 1)))
      throw new Untold(story.guid, `nobody missed the heartbeat ${story.guid}`)
    story.changes.push({ type: 'heartbeat.down', from, to: Date.now() })
    if (course.isOver()) return
    const back = await call(url, course)
    from = back.from
    await changed(story, 'heartbeat.up', back)
  }
}

export function isTold({ guid, side, isSilent }: Story, count: number): Promise<boolean> {
  const heard = isSilent === true ? 'settledAbout' : 'takenAbout'
  const isTaken = () => side.hearers.every((hearer) => hearer[heard](guid).length >= count)
  return isHeardInTime(isTaken, side.killed_ms ?? NEVER)
}

async function changed(story: Story, type: string, span: { from: number; to: number }): Promise<void> {
  story.changes.push({ type, ...span })
  if (story.side.isPatient && !(await isTold(story, story.changes.length))) {
    const { name, hearers } = story.side
    const taken = hearers.map((hearer) => hearer.takenAbout(story.guid).length).join(' and ')
    const what = `${name}: ${type} number ${story.changes.length} of ${story.guid}`
    throw new Untold(story.guid, `${what} is not told within ${TOLD_MS / 1000} s: ${taken} were taken`)
  }
}

function failures(count: number): boolean[] {
  return Array.from({ length: count }, () => false)
}

async function rest({ side }: Story, d: Dice): Promise<void> {
  await pause(d.below(side.isPatient ? PAUSE_MS.patient : PAUSE_MS.hasty))
}

/** A heartbeat whose job pings all the time: nobody must be alerted. */
export async function steadyStory(url: string, every_ms: number, course: Course): Promise<void> {
  while (!course.isOver()) {
    await call(url, course)
    await pause(every_ms)
  }
}

/** Pings until it is acknowledged. */
async function call(url: string, { onFailedCall }: Course): Promise<{ from: number; to: number }> {
  const from = Date.now()
  for (;;) {
    const began = Date.now()
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(CALL_MS) }).then(
      async (answer) => {
        await answer.text()
        return answer
      },
      () => undefined,
    )
    if (response?.status === 200) return { from, to: Date.now() }
    onFailedCall?.(response, Date.now() - began)
    await pause(AGAIN_MS)
  }
}
