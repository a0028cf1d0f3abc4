// Gives a command what it needs from its process: arguments, environment, two output streams, and a signal that ends the command.

import { once } from 'node:events'
import type { Writable } from 'node:stream'

export interface Surroundings {
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  /** Signal that aborts when the reader of the output is gone, or when the process must end. Its reason has the exit code. */
  signal: AbortSignal
}

/** Reason why the command ended before it was done, with its exit code. */
export class StopReason extends Error {
  readonly code: number

  constructor(code: number) {
    super('stopped')
    this.code = code
  }
}

/** Returns the surroundings of this process, which are in use until `release` is called. */
export function ofThisProcess(): { around: Surroundings; release: () => void } {
  const { argv, env, stdout, stderr } = process
  const controller = new AbortController()
  const stop = (code: number) => () => controller.abort(new StopReason(code))
  const onInterrupt = stop(130)
  const onTerminate = stop(143)
  // EPIPE means that the reader of the output, such as `head`, has read enough, so nothing went wrong.
  const onBroken = (error: NodeJS.ErrnoException) => stop(error.code === 'EPIPE' ? 0 : 1)()
  const onMuted = () => {}
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate)
  // `release` keeps these listeners, because a pipe may report an error after the command has ended.
  stdout.on('error', onBroken)
  stderr.on('error', onMuted)
  return {
    around: { args: argv.slice(2), env, stdout, stderr, signal: controller.signal },
    release: () => void process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate),
  }
}

/** Writes to stdout, and waits while the reader of the output is slow. */
export async function write({ stdout, signal }: Surroundings, data: string | Uint8Array): Promise<void> {
  signal.throwIfAborted()
  if (!stdout.write(data)) await once(stdout, 'drain', { signal }).catch(() => signal.throwIfAborted())
}
