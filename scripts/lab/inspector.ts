// Inspects a Node process from outside: the size of its heap after it has collected garbage.
import { setTimeout as pause } from 'node:timers/promises'

export interface Inspector {
  /** Calls a method of the Chrome DevTools Protocol. */
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

/** Starts to note the size of the heap after each full garbage collection. To request one would stop a busy server for half a second. */
export async function watchHeap(inspector: Inspector): Promise<void> {
  await inspector.call('Runtime.evaluate', { expression: WATCHING })
}

/** Returns the bytes in the heap after the last full collection. Returns undefined if there was none since the last call. */
export async function heapHeld(inspector: Inspector): Promise<number | undefined> {
  const { result } = await inspector.call<{ result: { value?: number } }>('Runtime.evaluate', {
    expression: '(() => { const held = globalThis.proofHeap; globalThis.proofHeap = undefined; return held })()',
    returnByValue: true,
  })
  return result.value
}

/** Objects of the young generation do not count: most of them are garbage that the next small collection takes. */
const WATCHING = `(() => {
  const { PerformanceObserver, constants } = process.getBuiltinModule('node:perf_hooks')
  const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8')
  globalThis.proofWatcher = new PerformanceObserver((list) => {
    if (!list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return
    const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('new_'))
    globalThis.proofHeap = old.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  })
  globalThis.proofWatcher.observe({ entryTypes: ['gc'] })
})()`
