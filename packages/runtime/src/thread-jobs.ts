// Does the jobs of a FairThread, in the thread that the FairThread started.
import { parentPort } from 'node:worker_threads'

/** Remaining processor time of a job. */
export interface JobBudget {
  /** Whether the job has used all of its time. The work should then stop, because its result no longer counts. */
  isSpent(): boolean
}

export interface JobRequest<Job> {
  job: Job
  /** Maximum processor time of the job, in milliseconds. */
  most_ms: number
}

/** Message from the thread. `cpu_ms` is the thread's processor time since its start. */
export type JobReply<Answer> = { cpu_ms: number } & (
  | { kind: 'ready' }
  | { kind: 'answer'; answer: Answer }
  /** The work stopped because the job had used all of its time. */
  | { kind: 'spent' }
  | { kind: 'error'; error: string }
)

/** Does one job after the other until the thread ends. `work` gets jobs and returns answers of the types of its FairThread. */
export function answerJobs(work: (job: never, budget: JobBudget) => unknown): void {
  const send = (reply: JobReply<unknown>): void => parentPort?.postMessage(reply)
  parentPort?.on('message', ({ job, most_ms }: JobRequest<never>) => {
    const budget = new ThreadBudget(threadMs() + most_ms)
    const end = doJob(() => work(job, budget))
    send({ ...(budget.wasSpent ? { kind: 'spent' } : end), cpu_ms: threadMs() })
  })
  send({ kind: 'ready', cpu_ms: threadMs() })
}

class ThreadBudget implements JobBudget {
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
