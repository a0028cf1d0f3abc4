// A monitor that uploads as agents do: what waits goes in one batch, the same batch again until it is acknowledged.
import { setTimeout as pause } from 'node:timers/promises'
import { MonitorClient, type Result } from '../../../packages/monitor-sdk/dist/index.js'
import type { World } from '../../lab/world.ts'

export interface Run {
  guid: string
  /** Milliseconds since the Unix epoch. */
  at: number
  success: boolean
}

export interface Uploader {
  /** Resolves when the server has acknowledged them. */
  upload(runs: readonly Run[]): Promise<void>
  /** Requests that were not answered well. */
  readonly failures: number
}

interface Waiting {
  runs: readonly Run[]
  done: () => void
}

const EVERY_MS = 100
const AGAIN_MS = 200
const REQUEST_MS = 15_000

/** Becomes a monitor of the org of the token. `wellGuids`: checks of which it reports a success with each batch. */
export async function startUploader(
  options: { baseUrl: string; enrollment_token: string; name: string; wellGuids: () => readonly string[] },
  undo: World['undo'],
): Promise<Uploader> {
  const { baseUrl, enrollment_token, name, wellGuids } = options
  const enrolling = new MonitorClient({ baseUrl, token: enrollment_token })
  const place = { name, region: 'r', country: 'c', city: 'c' }
  const { api_key, monitor_id } = await enrolling.enroll(place)
  const client = new MonitorClient({ baseUrl, token: api_key, timeout: REQUEST_MS, retries: 0 })
  const waiting: Waiting[] = []
  let failures = 0
  let isOver = false
  const toResult = ({ guid, at, success }: Run): Result => ({
    check_guid: guid,
    monitor_id,
    ran_at: new Date(at).toISOString(),
    success,
    http_status: success ? 200 : 503,
    latency_ms: 42,
    ...(!success && { error: 'status 503 is not below 400' }),
  })
  const send = async (results: Result[]): Promise<void> => {
    for (;;) {
      try {
        const { accepted } = await client.upload(results)
        if (accepted !== results.length) throw new Error(`${accepted} of ${results.length} results were accepted`)
        return
      } catch {
        failures += 1
        if (isOver) return
        await pause(AGAIN_MS)
      }
    }
  }
  const work = async (): Promise<void> => {
    while (!isOver) {
      const taken = waiting.splice(0)
      const well = wellGuids().map((guid) => ({ guid, at: Date.now(), success: true }))
      await send([...taken.flatMap(({ runs }) => runs), ...well].map(toResult))
      for (const { done } of taken) done()
      await pause(EVERY_MS)
    }
  }
  const working = work()
  undo(() => {
    isOver = true
    return working
  })
  return {
    upload: (runs) => new Promise((done) => void waiting.push({ runs, done })),
    get failures() {
      return failures
    },
  }
}
