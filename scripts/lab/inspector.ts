// Inspects a Node process from outside: a CPU profile of some seconds, and how much its heap holds after garbage
// collection.
import { setTimeout as pause } from 'node:timers/promises'

export interface Inspector {
  /** One of the methods of the Chrome DevTools Protocol. */
  call<Result>(method: string, params?: object): Promise<Result>
  close(): void
}

const OPENS_WITHIN_MS = 10_000

/** Opens the inspector of a process that was started with `--inspect-port` on this port. */
export async function openInspector(pid: number, port: number): Promise<Inspector> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await addressOf(port))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id?: number
      result: never
      error?: { message: string }
    }
    const asked = waiting.get(id ?? -1)
    waiting.delete(id ?? -1)
    if (error) asked?.reject(new Error(error.message))
    else asked?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the process has ended'))
  })
  return {
    call: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    close: () => socket.close(),
  }
}

async function addressOf(port: number): Promise<string> {
  const until = performance.now() + OPENS_WITHIN_MS
  while (performance.now() < until) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
      const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[]
      if (target) return target.webSocketDebuggerUrl
    } catch {
      // It opens a moment after the request.
    }
    await pause(50)
  }
  throw new Error('the inspector does not open')
}

/** What the heap holds after a full garbage collection, in bytes. */
export async function heapHeld(inspector: Inspector): Promise<number> {
  await inspector.call('HeapProfiler.enable')
  // Twice: what a finalizer releases is collected by the next.
  for (let n = 0; n < 2; n++) await inspector.call('HeapProfiler.collectGarbage')
  const { usedSize } = await inspector.call<{ usedSize: number }>('Runtime.getHeapUsage')
  return usedSize
}

export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

export async function profileCpu(inspector: Inspector, ms: number): Promise<CpuProfile> {
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.start')
  await pause(ms)
  const { profile } = await inspector.call<{ profile: CpuProfile }>('Profiler.stop')
  return profile
}
