// A fetch whose connections come from a chosen address of this machine. On Linux all of 127.0.0.0/8 is ours, so each
// client of a proof can have its own address.
import type { Fetch } from '../../../packages/monitor-sdk/dist/index.js'

interface Dispatcher {
  close(): Promise<void>
}

type DispatcherClass = new (options: { localAddress: string }) => Dispatcher

/** Where Node keeps what its own fetch sends by. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

/** `close` ends its connections. */
export async function fetchFrom(localAddress: string): Promise<{ fetch: Fetch; close: () => Promise<void> }> {
  const Agent = await dispatcherClass()
  const dispatcher = new Agent({ localAddress })
  return {
    fetch: (url, init) => fetch(url, { ...init, dispatcher } as RequestInit),
    close: () => dispatcher.close(),
  }
}

async function dispatcherClass(): Promise<DispatcherClass> {
  // Node loads its fetch on first use.
  await fetch('data:,')
  const dispatcher = (globalThis as Record<symbol, object | undefined>)[GLOBAL_DISPATCHER]
  if (!dispatcher) throw new Error('this Node does not tell what its fetch sends by')
  return dispatcher.constructor as DispatcherClass
}
