// The jobs behind the demo's heartbeats: each reports when it starts and how it went.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Job {
  ping_url: string
  /** The pause between two runs, in seconds. */
  every_sec: number
  /** What it reports. */
  body: string
}

const WORK_MS = 800
const CALL_MS = 5000

/** Runs each job now and then again and again, until the returned function is called. */
export function startJobs(jobs: readonly Job[]): () => Promise<void> {
  const stopping = new AbortController()
  const running = jobs.map((job) => runJob(job, stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}

async function runJob(job: Job, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work(job, signal).catch(() => {
      // A job goes on, whether or not anybody watches it.
    })
    await sleep(job.every_sec * 1000, undefined, { signal }).catch(() => {})
  }
}

async function work({ ping_url, body }: Job, signal: AbortSignal): Promise<void> {
  await call(`${ping_url}/start`, '', signal)
  await sleep(WORK_MS, undefined, { signal })
  await call(ping_url, body, signal)
}

async function call(url: string, body: string, signal: AbortSignal): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
  })
  await answer.text()
}
