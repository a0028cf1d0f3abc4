// Ends work early: when a caller aborts, or when nothing has moved for too long. Leaves no listener and no timer.

/** Maximum duration of a timer, about 24.8 days. */
const TIMER_MAX_MS = 2 ** 31 - 1

const followersOf = new WeakMap<EventTarget, Set<AbortController>>()

function tellFollowers({ target }: Event): void {
  const source = target as AbortSignal
  for (const follower of followersOf.get(source) ?? []) follower.abort(source.reason)
}

export interface Watch {
  /** Signal that aborts when the watch ends the attempt. Pass it to `fetch`. */
  readonly signal: AbortSignal
  /** Starts the timeout again, because the attempt made progress. Before the first call, no timeout runs. */
  progress(): void
  /** Stops the timeout until the next progress, because no one waits for the body. */
  pause(): void
  /** Waits for `work`, but rejects as soon as the watch ends. A `fetch` that ignores signals cannot delay it. */
  guard<T>(work: Promise<T>): Promise<T>
  /** Clears the timer and the listeners. */
  release(): void
}

/**
 * Watches one attempt: ends it with the reason of the first of `sources` that aborts, or with `late()` after `ms` milliseconds
 * without progress.
 */
export function watch(sources: readonly AbortSignal[], ms: number, late: () => Error): Watch {
  const controller = new AbortController()
  const { signal } = controller
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason)
    // One listener serves all followers: with one each, eleven simultaneous calls on one signal would cause a leak warning.
    followersOf.set(source, (followersOf.get(source) ?? new Set()).add(controller))
    source.addEventListener('abort', tellFollowers)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const pause = () => clearTimeout(timer)
  return {
    signal,
    pause,
    progress() {
      pause()
      timer = setTimeout(() => controller.abort(late()), Math.min(ms, TIMER_MAX_MS))
    },
    // `Promise.race` against one long-lived promise would keep in memory every value that it ever returned, such as the pieces of
    // a body.
    guard: (work) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(signal.reason)
        if (signal.aborted) fail()
        signal.addEventListener('abort', fail)
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', fail))
      }),
    release() {
      pause()
      for (const source of sources) {
        const followers = followersOf.get(source)
        followers?.delete(controller)
        if (!followers?.size) source.removeEventListener('abort', tellFollowers)
      }
    },
  }
}

/** Resolves after `ms` milliseconds. When `signal` aborts, it never resolves, and clears its timer. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, TIMER_MAX_MS))
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
