// Ends work early: when a caller aborts, or when nothing has moved for too long. Leaves no listener and no timer.

/** The longest that a timer can run, about 24.8 days. */
const TIMER_MAX_MS = 2 ** 31 - 1

export interface Linked {
  readonly controller: AbortController
  /** Lets go of the callers' signals. */
  release(): void
}

/** A controller that aborts with the reason of whichever of `sources` aborts first. */
export function linkSignals(sources: Iterable<AbortSignal | null | undefined>): Linked {
  const controller = new AbortController()
  const releases: (() => void)[] = []
  for (const source of new Set(sources)) {
    if (!source) continue
    if (source.aborted) {
      controller.abort(source.reason)
      break
    }
    releases.push(follow(source, controller))
  }
  return {
    controller,
    release() {
      for (const release of releases) release()
    },
  }
}

const followersOf = new WeakMap<EventTarget, Set<AbortController>>()

/** Aborts `follower` when `source` aborts, until the returned function is called. */
function follow(source: AbortSignal, follower: AbortController): () => void {
  const followers = followersOf.get(source) ?? new Set()
  followersOf.set(source, followers.add(follower))
  // One listener serves all followers: with one each, eleven calls at a time on one signal raise a leak warning.
  source.addEventListener('abort', tellFollowers)
  return () => {
    followers.delete(follower)
    if (followers.size === 0) source.removeEventListener('abort', tellFollowers)
  }
}

function tellFollowers({ target }: Event): void {
  const source = target as AbortSignal
  for (const follower of followersOf.get(source) ?? []) follower.abort(source.reason)
}

export interface Watch {
  /** Aborts together with the watch; hand it to `fetch`. */
  readonly signal: AbortSignal
  /** Something moved: the time starts anew. */
  progress(): void
  /** Nothing is waited for: the time stands still until the next progress. */
  pause(): void
  /** `work`, or a rejection as soon as the watch ends it: a `fetch` that ignores signals cannot hold it up. */
  guard<T>(work: Promise<T>): Promise<T>
  /** Clears the timer and the listener. */
  release(): void
}

/** Watches one attempt: ends it when `outer` aborts, or with `late()` when `ms` milliseconds pass without progress. */
export function watch(outer: AbortSignal, ms: number, late: () => Error): Watch {
  const { controller, release } = linkSignals([outer])
  const { signal } = controller
  const waiting = new Set<(reason: unknown) => void>()
  signal.onabort = () => {
    for (const fail of waiting) fail(signal.reason)
  }
  // A race against one long-lived promise would hold every value that ever won, which are the pieces of a body.
  const guard = <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      waiting.add(reject)
      work.then(resolve, reject).finally(() => waiting.delete(reject))
    })
  let timer: ReturnType<typeof setTimeout> | undefined
  const pause = () => clearTimeout(timer)
  const progress = () => {
    pause()
    timer = setTimeout(() => controller.abort(late()), Math.min(ms, TIMER_MAX_MS))
  }
  progress()
  return {
    signal,
    progress,
    pause,
    guard,
    release() {
      pause()
      release()
    },
  }
}

/** Resolves after `ms` milliseconds, or rejects with the reason of `signal` as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, TIMER_MAX_MS),
    )
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
