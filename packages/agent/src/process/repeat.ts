// The loops of the agent: a step, a wait that can be cut short, and the next step.
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
  /** Returns after how many milliseconds it is to be called again. */
  step: (signal: AbortSignal) => Promise<number>
  bell: Bell
  onError: (error: string) => void
  /** How long a step that is under way at the end is waited for. */
  end_ms?: number
}

/** Longer than an enrollment takes, whose answer comes once. */
const END_MS = 20_000

const AFTER_ERROR_MS = 5000

/** Repeats `step` until `signal` aborts. What it throws is told, and no reason to end; a Fatal is. */
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

/** Repeats all of these, side by side. One that is fatal ends the others, and then rejects. */
export async function repeatAll(loops: readonly Loop[], ending: AbortController): Promise<void> {
  const running = loops.map((loop) => repeat(loop, ending.signal))
  try {
    await Promise.all(running)
  } finally {
    ending.abort()
    await Promise.allSettled(running)
  }
}
