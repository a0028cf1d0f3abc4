// Lets the agent end even when something hangs: a dead mount, a silent name server.

/** The result of `work`. Once `signal` aborts, it gets `grace_ms` more and is then abandoned: undefined. */
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

/** Work on threads of its own, which cannot be cancelled. */
const ON_THREADS = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])

/** Ends the process now. Node's own exit waits for its threads, and one that hangs would keep it forever. */
export function exitNow(status: number): never {
  const isHanging = process.getActiveResourcesInfo().some((kind) => ON_THREADS.has(kind))
  // This process is replaced by a program that only exits, threads and all.
  if (isHanging) process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${status})`], {})
  process.exit(status)
}
