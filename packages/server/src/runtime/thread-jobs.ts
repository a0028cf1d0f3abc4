// Answers the jobs of a FairThread, in the thread that it opened.
import { parentPort } from 'node:worker_threads'

/** Processor time that a job may still use. */
export interface Budget {
  /** Whether it is used up. Work that finds so should stop: its answer no longer counts. */
  isSpent(): boolean
}

export interface JobRequest<Job> {
  job: Job
  /** In milliseconds of processor time. */
  most_ms: number
}

/** `cpu_ms`: processor time of the thread since it was opened. */
export type JobReply<Answer> = { cpu_ms: number } & (
  | { kind: 'ready' }
  | { kind: 'answer'; answer: Answer }
  /** The work stopped because its budget was used up. */
  | { kind: 'spent' }
  | { kind: 'error'; error: string }
)

/** Does one job after the other, for as long as the thread lives. The caller names the types that its FairThread has. */
export function answerJobs(work: (job: never, budget: Budget) => unknown): void {
  const send = (reply: JobReply<unknown>): void => parentPort?.postMessage(reply)
  parentPort?.on('message', ({ job, most_ms }: JobRequest<never>) => {
    const budget = new ThreadBudget(threadMs() + most_ms)
    const end = doJob(() => work(job, budget))
    send({ ...(budget.wasSpent ? { kind: 'spent' } : end), cpu_ms: threadMs() })
  })
  send({ kind: 'ready', cpu_ms: threadMs() })
}

class ThreadBudget implements Budget {
  wasSpent = false
  readonly #until_ms: number

  constructor(until_ms: number) {
    this.#until_ms = until_ms
  }

  isSpent(): boolean {
    this.wasSpent ||= threadMs() >= this.#until_ms
    return this.wasSpent
  }
}

function doJob(work: () => unknown): { kind: 'answer'; answer: unknown } | { kind: 'error'; error: string } {
  try {
    return { kind: 'answer', answer: work() }
  } catch (err) {
    return { kind: 'error', error: String(err) }
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
