// Runs the agent's loops: a step, a wait that can be cut short, and the next step.
import { unlessEnded } from './ending.ts'
import { Fatal, wordsOf } from './fatal.ts'

/** A bell that ends the wait of a loop. */
export class Bell {
  #ring: (() => void) | undefined
  #rung = false

  ring(): void {
    this.#rung = true
    this.#ring?.()
  }

  /** Resolves after `ms` milliseconds, when the bell rings, or when `signal` aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        this.#ring = undefined
        this.#rung = false
        resolve()
      }
      const timer = setTimeout(finish, ms)
      this.#ring = finish
      signal.addEventListener('abort', finish)
      if (this.#rung || signal.aborted) finish()
    })
  }
}

export interface Loop {
  /** Performs one step of the loop, and returns the milliseconds until the next step. */
  step: (signal: AbortSignal) => Promise<number>
  bell: Bell
  onError: (error: string) => void
  /** Maximum wait at the end for a step in progress, in milliseconds. */
  end_ms?: number
}

/**
 * Default of `end_ms`. It is longer than an enrollment takes, because the server sends the response to an enrollment only once.
 */
const END_MS = 20_000

const AFTER_ERROR_MS = 5000

/** Repeats `step` until `signal` aborts. Logs errors and goes on, but a Fatal ends the loop. */
export async function repeat({ step, bell, onError, end_ms = END_MS }: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let wait = AFTER_ERROR_MS
    try {
      wait = (await unlessEnded(step(signal), signal, end_ms)) ?? 0
    } catch (error) {
      if (error instanceof Fatal) throw error
      if (!isOver(signal)) onError(wordsOf(error))
    }
    await bell.wait(wait, signal)
  }
}

/** Whether the signal aborted. A function, because the compiler would assume that the value cannot change during the step. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Runs all loops side by side. If one rejects, ends the others and then rejects. */
export async function repeatAll(loops: readonly Loop[], ending: AbortController): Promise<void> {
  const running = loops.map((loop) => repeat(loop, ending.signal))
  try {
    await Promise.all(running)
  } finally {
    ending.abort()
    await Promise.allSettled(running)
  }
}
