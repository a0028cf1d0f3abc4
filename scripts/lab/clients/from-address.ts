// Returns a fetch whose connections come from a chosen address. On Linux, all of 127.0.0.0/8 belongs to this machine.
import type { Fetch } from '../../../packages/monitor-sdk/dist/index.js'

type DispatcherClass = new (options: { localAddress: string }) => { close(): Promise<void> }

export async function fetchFrom(localAddress: string): Promise<{ fetch: Fetch; close: () => Promise<void> }> {
  // Calls fetch once, because Node loads it on first use.
  await fetch('data:,')
  const own = (globalThis as Record<symbol, object | undefined>)[Symbol.for('undici.globalDispatcher.1')]
  if (!own) throw new Error('this Node has no dispatcher for fetch')
  const dispatcher = new (own.constructor as DispatcherClass)({ localAddress })
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher } as RequestInit),
    close: () => dispatcher.close(),
  }
}
