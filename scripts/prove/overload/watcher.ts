// Watches a server under load: whether its health check answers, and how much memory it has.
import { setTimeout as pause } from 'node:timers/promises'
import { Lane } from '../../lab/lane.ts'
import { type MemoryOf, memoryOf } from '../support/memory.ts'

export interface Watched {
  health: Record<Way, Health>
  /** The most that was seen, in bytes. */
  server_rss: number
  postgres: number
}

/**
 * How /healthz is called. A new connection queues with all others that arrive; the metrics port is for watchers only.
 */
export type Way = 'on its own port' | 'on a kept connection' | 'on a new connection'
export const WAYS: readonly Way[] = ['on its own port', 'on a kept connection', 'on a new connection']

export interface Health {
  /** Of each call that was answered with 200, in ms from when it was due. */
  answered_ms: number[]
  /** What else came of calls. */
  ailments: string[]
}

export interface Watcher {
  /** What was seen since it told last. */
  tell(): Watched
  stop(): void
}

const CALL_EVERY_MS = 200
const LOOK_EVERY_MS = 1000
const PATIENCE_MS = 10_000
const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')

export interface Ports {
  port: number
  metrics_port: number
}

export async function startWatcher({ port, metrics_port }: Ports, processes: MemoryOf): Promise<Watcher> {
  let seen = nothing()
  let kept: Lane | undefined = await Lane.open(port)
  let isBusy = false
  const callOnKept = async () => {
    // One request at a time: whatever falls due meanwhile would ask the same.
    if (isBusy) return
    isBusy = true
    kept = await call(seen.health['on a kept connection'], async () => (kept?.isOpen ? kept : Lane.open(port)))
    isBusy = false
  }
  const callAnew = async (to: number, health: Health) => (await call(health, () => Lane.open(to)))?.close()
  const calls = setInterval(() => {
    void callOnKept()
    void callAnew(port, seen.health['on a new connection'])
    void callAnew(metrics_port, seen.health['on its own port'])
  }, CALL_EVERY_MS)
  const looks = setInterval(() => {
    const { server, postgres } = memoryOf(processes)
    seen.server_rss = Math.max(seen.server_rss, server)
    seen.postgres = Math.max(seen.postgres, postgres)
  }, LOOK_EVERY_MS)
  return {
    tell: () => {
      const told = seen
      seen = nothing()
      return told
    },
    stop: () => {
      clearInterval(calls)
      clearInterval(looks)
      kept?.close()
    },
  }
}

/** The connection that it was called on, if it can be called on again. */
async function call({ answered_ms, ailments }: Health, connect: () => Promise<Lane>): Promise<Lane | undefined> {
  const begun = performance.now()
  let lane: Lane | undefined
  const late = pause(PATIENCE_MS, 'late' as const, { ref: false })
  try {
    const asked = connect().then((opened) => {
      lane = opened
      return opened.ask(HEALTH)
    })
    const answer = await Promise.race([asked, late])
    if (answer !== 'late' && answer.status === 200) {
      answered_ms.push(performance.now() - begun)
      return lane
    }
    ailments.push(answer === 'late' ? `no response within ${PATIENCE_MS / 1000} s` : `status ${answer.status}`)
  } catch (error) {
    ailments.push(String(error))
  }
  lane?.close()
  return undefined
}

function nothing(): Watched {
  const health = () => ({ answered_ms: [], ailments: [] })
  return {
    health: { 'on its own port': health(), 'on a kept connection': health(), 'on a new connection': health() },
    server_rss: 0,
    postgres: 0,
  }
}
