// The loops of the agent: a step, a wait that can be cut short, and the next step.
import { Fatal, wordsOf } from './fatal.ts'

/** Ends the wait of a loop. */
export class Bell {
  #ring: (() => void) | undefined
  #rung = false

  ring(): void {
    this.#rung = true
    this.#ring?.()
  }

  /** Resolves after `ms` milliseconds, when it rings, or when `signal` aborts. */
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
  /** Returns after how many milliseconds it is to be called again. */
  step: (signal: AbortSignal) => Promise<number>
  bell: Bell
  onError: (error: string) => void
}

const AFTER_ERROR_MS = 5000

/** Repeats `step` until `signal` aborts. What it throws is told, and no reason to end; a Fatal is. */
export async function repeat({ step, bell, onError }: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let wait = AFTER_ERROR_MS
    try {
      wait = await step(signal)
    } catch (error) {
      if (error instanceof Fatal) throw error
      if (!isOver(signal)) onError(wordsOf(error))
    }
    await bell.wait(wait, signal)
  }
}

/** A function of its own: the compiler would hold on to what it saw before the step. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted
}
