// Watches a server under load: whether its health check responds, and how much memory it has.
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf } from '../../lab/cpu.ts'
import { Lane } from '../../lab/lane.ts'

/** How a client requests /healthz. A new connection queues with all others. */
export type Way = 'on the metrics port' | 'on a kept connection' | 'on a new connection'

export interface Health {
  /** Duration of each call with a response of 200. In milliseconds. */
  answered_ms: number[]
  failures: string[]
}

export interface Sample {
  health: Record<Way, Health>
  /** Maxima. In bytes. */
  server: number
  postgres: number
}

export interface Watcher {
  /** Returns what it saw since the last call. */
  take(): Sample
  stop(): void
}

const CALL_EVERY_MS = 200
const LOOK_EVERY_MS = 1000
const PATIENCE_MS = 10_000
const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')

export function startWatcher(
  { port, metrics_port }: { port: number; metrics_port: number },
  { pid, postmaster }: { pid: number; postmaster: number },
): Watcher {
  let seen = nothing()
  let kept: Lane | undefined
  let isBusy = false
  const callOnKept = async () => {
    // One request at a time, because the next one would ask the same.
    if (isBusy) return
    isBusy = true
    kept = await call(seen.health['on a kept connection'], async () => (kept?.isOpen ? kept : Lane.open(port)))
    isBusy = false
  }
  const callAnew = async (to: number, health: Health) => (await call(health, () => Lane.open(to)))?.close()
  const calls = setInterval(() => {
    void callOnKept()
    void callAnew(port, seen.health['on a new connection'])
    void callAnew(metrics_port, seen.health['on the metrics port'])
  }, CALL_EVERY_MS)
  const looks = setInterval(() => {
    const { server, postgres } = memoryOf(pid, postmaster)
    seen.server = Math.max(seen.server, server)
    seen.postgres = Math.max(seen.postgres, postgres)
  }, LOOK_EVERY_MS)
  return {
    take: () => {
      const taken = seen
      seen = nothing()
      return taken
    },
    stop: () => {
      clearInterval(calls)
      clearInterval(looks)
      kept?.close()
    },
  }
}

/** Returns the connection if it can be used again. */
async function call({ answered_ms, failures }: Health, connect: () => Promise<Lane>): Promise<Lane | undefined> {
  const begun = performance.now()
  let lane: Lane | undefined
  const late = pause(PATIENCE_MS, undefined, { ref: false })
  try {
    const asked = connect().then((opened) => {
      lane = opened
      return opened.ask(HEALTH)
    })
    const answer = await Promise.race([asked, late])
    if (answer?.status === 200) {
      answered_ms.push(performance.now() - begun)
      return lane
    }
    failures.push(answer ? `status ${answer.status}` : `no response within ${PATIENCE_MS / 1000} s`)
  } catch (error) {
    failures.push(String(error))
  }
  lane?.close()
  return undefined
}

function nothing(): Sample {
  const health = (): Health => ({ answered_ms: [], failures: [] })
  return {
    health: { 'on the metrics port': health(), 'on a kept connection': health(), 'on a new connection': health() },
    ...{ server: 0, postgres: 0 },
  }
}
