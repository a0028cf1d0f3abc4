// Clients of a server besides agents: a job that pings its heartbeat, and a script that reads the account.
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../lab/world.ts'

/** What became of one call; status 0 is no answer. */
export interface Reading {
  at: number
  status: number
}

export interface Job {
  /** When each of its pings that was taken was sent, in milliseconds since the Unix epoch. */
  readonly taken: readonly number[]
  /** Rounds in which no server accepted the ping. */
  readonly missed: readonly number[]
  /** Pings that a server refused. */
  readonly refusals: readonly Reading[]
  rest(): void
  resume(): void
}

const CALL_MS = 5000

/** A job that pings regularly: the servers in turn, and the next one at once when one refuses. */
export function startJob(urls: readonly string[], every_ms: number, undo: World['undo']): Job {
  const [taken, missed]: [number[], number[]] = [[], []]
  const refusals: Reading[] = []
  let [isResting, isOver, turn] = [false, false, 0]
  const round = async (): Promise<void> => {
    turn += 1
    for (let n = 0; n < urls.length; n += 1) {
      const at = Date.now()
      const status = await statusOf(urls[(turn + n) % urls.length] ?? '')
      if (status === 200) return void taken.push(at)
      refusals.push({ at, status })
    }
    missed.push(Date.now())
  }
  const work = async (): Promise<void> => {
    while (!isOver) {
      if (!isResting) await round()
      await pause(every_ms)
    }
  }
  const working = work()
  undo(() => {
    isOver = true
    return working
  })
  const set = (to: boolean) => () => void (isResting = to)
  return { taken, missed, refusals, rest: set(true), resume: set(false) }
}

/** Reads the account's checks at each server again and again. */
export function startReader(urls: readonly string[], token: string, undo: World['undo']): readonly Reading[] {
  const readings: Reading[] = []
  let isOver = false
  const headers = { Authorization: `Bearer ${token}` }
  const work = async (url: string): Promise<void> => {
    while (!isOver) {
      const at = Date.now()
      readings.push({ at, status: await statusOf(`${url}/account-api/v1/checks`, headers) })
      await pause(1000)
    }
  }
  const working = Promise.all(urls.map(work))
  undo(() => {
    isOver = true
    return working
  })
  return readings
}

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(CALL_MS) })
    await answer.text()
    return answer.status
  } catch {
    return 0
  }
}
