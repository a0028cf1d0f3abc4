// What hangs does not keep the agent from ending: a dead mount, a name server that is silent.

/** What `work` comes to. Once `signal` aborts it is waited for `grace_ms` more and then left alone: undefined. */
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

/** What runs on threads of its own, which cannot be called off. */
const ON_THREADS = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])

/** Ends the process now. Node's own exit waits for its threads, and one that hangs would keep it for ever. */
export function exitNow(status: number): never {
  const isHanging = process.getActiveResourcesInfo().some((kind) => ON_THREADS.has(kind))
  // A program that only ends takes the place of this one, threads and all.
  if (isHanging) process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${status})`], {})
  process.exit(status)
}
