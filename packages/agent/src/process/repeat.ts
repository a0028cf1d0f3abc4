// The agent's loops: a step, a wait that can be cut short, and the next step.
import { unlessEnded } from './ending.ts'
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
  /** Returns after how many milliseconds to call it again. */
  step: (signal: AbortSignal) => Promise<number>
  bell: Bell
  onError: (error: string) => void
  /** How long to wait for a step that is in progress at the end. */
  end_ms?: number
}

/** Longer than an enrollment takes, whose answer comes only once. */
const END_MS = 20_000

const AFTER_ERROR_MS = 5000

/** Repeats `step` until `signal` aborts. Its errors are logged and do not end the loop; a Fatal does. */
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

/** A function of its own: the compiler would hold on to what it saw before the step. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Runs all of these side by side. A fatal error of one ends the others, and then rejects. */
export async function repeatAll(loops: readonly Loop[], ending: AbortController): Promise<void> {
  const running = loops.map((loop) => repeat(loop, ending.signal))
  try {
    await Promise.all(running)
  } finally {
    ending.abort()
    await Promise.allSettled(running)
  }
}
