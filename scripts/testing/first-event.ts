// Waits for the first event of a child process, such as its first output or message.
import type { ChildProcess } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'

/** Resolves with the arguments of the event. Throws as soon as the process ends without it, with what it wrote to stderr. */
export async function firstEvent(child: ChildProcess, emitter: EventEmitter, event: string): Promise<unknown[]> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]): never => {
    throw new Error(`the process ended with ${code ?? signal} before its first '${event}': ${said.trim()}`)
  })
  return Promise.race([once(emitter, event), ended])
}
