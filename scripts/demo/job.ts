// The demo's nightly job, which runs every half minute: it tells its heartbeat when it starts and how it went.
import { setTimeout as sleep } from 'node:timers/promises'

/** What its heartbeat is made with. */
export const JOB = { name: 'Demo backup', interval_sec: 60, grace_sec: 60 }
const EVERY_MS = 30_000
const WORK_MS = 800
const CALL_MS = 5000

export interface Job {
  stop(): Promise<void>
}

/** Runs the job now and then again and again, until it is stopped. */
export function startJob(ping_url: string): Job {
  const stopping = new AbortController()
  const running = runJob(ping_url, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function runJob(ping_url: string, signal: AbortSignal): Promise<void> {
  for (let run = 1; !signal.aborted; run++) {
    await work(ping_url, run, signal).catch(() => {
      // A job continues when nobody takes its pings.
    })
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function work(ping_url: string, run: number, signal: AbortSignal): Promise<void> {
  await call(`${ping_url}/start`, '', signal)
  await sleep(WORK_MS, undefined, { signal })
  await call(ping_url, `run ${run}: copied ${120 + (run % 7)} files\nall is well\n`, signal)
}

async function call(url: string, body: string, signal: AbortSignal): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
  })
  await answer.text()
}
