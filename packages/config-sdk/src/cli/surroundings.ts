// What the command has around it: arguments, environment, two streams to write to, and a signal that ends it.

import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Surroundings {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdin: Readable
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  /** Aborts with a {@link Stopped} when nobody reads on, or when the process is told to end. */
  signal: AbortSignal
}

/** Why the command ended before it was done, and what it exits with. */
export class Stopped extends Error {
  readonly code: number

  constructor(code: number) {
    super('stopped')
    this.code = code
  }
}

/** The surroundings of this process, until `release` is called. */
export function ofThisProcess(): { around: Surroundings; release: () => void } {
  const { argv, env, stdin, stdout, stderr } = process
  const controller = new AbortController()
  const stop = (code: number) => () => controller.abort(new Stopped(code))
  const onInterrupt = stop(130)
  const onTerminate = stop(143)
  // Whoever reads, `head` for example, has seen enough: nothing went wrong.
  const onBroken = (error: NodeJS.ErrnoException) => stop(error.code === 'EPIPE' ? 0 : 1)()
  const onMuted = () => {}
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate)
  // They stay: a pipe may tell of its end after ours.
  stdout.on('error', onBroken)
  stderr.on('error', onMuted)
  return {
    around: { args: argv.slice(2), env, stdin, stdout, stderr, signal: controller.signal },
    release: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  }
}

/** Writes, and waits as long as the reader is behind. */
export async function write({ stdout, signal }: Surroundings, data: string | Uint8Array): Promise<void> {
  signal.throwIfAborted()
  if (!stdout.write(data)) await once(stdout, 'drain', { signal }).catch(() => signal.throwIfAborted())
}
