// Lets the agent end even when something hangs, such as a dead mount or a silent name server.

/** Waits for the result of `work`. Once `signal` aborts, waits `grace_ms` more, and then returns undefined. */
export function unlessEnded<T>(work: Promise<T>, signal: AbortSignal, grace_ms = 0): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const giveUp = (): void => {
      timer = setTimeout(() => resolve(undefined), grace_ms)
    }
    const settle = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
    work.then(resolve, reject).finally(settle)
  })
}

/** Kinds of work in threads, which cannot be cancelled. */
const ON_THREADS = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])

/** Ends the process at once. Node's own exit would wait for its threads, and a thread that hangs would block it forever. */
export function exitNow(status: number): never {
  const isHanging = process.getActiveResourcesInfo().some((kind) => ON_THREADS.has(kind))
  // Replaces this process, threads and all, with a program that only exits.
  if (isHanging) process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${status})`], {})
  process.exit(status)
}
