// Does costly jobs in a separate thread, whose time owners share by cost, so that jobs of other owners do not delay an
// owner with little recent cost.
import { type Clock, systemClock } from './clock.ts'
import { CostQueue, type CostQueueBounds } from './cost-queue.ts'
import { type JobEnd, JobThread, type JobThreadOptions } from './job-thread.ts'

export interface FairThreadOptions extends JobThreadOptions {
  /**
   * Processor time of each try of a job, in milliseconds, in rising order. A job that exceeds the time of its first try waits for
   * the next try behind jobs of others.
   */
  tries_ms: readonly [number, ...number[]]
  /** Maximum time that a job waits for its last try, in milliseconds. */
  wait_ms: number
  /** Limits of waiting jobs. */
  waiting: CostQueueBounds
  clock?: Pick<Clock, 'monotonicMs'>
}

/**
 * Outcome of a job. `busy`: the job was not done and can be repeated later. `too_dear`: the job needs more time or memory than
 * allowed.
 */
export type FairOutcome<Answer> = { answer: Answer } | { refusal: 'busy' | 'too_dear' }

interface Task<Job, Answer> {
  owner: number
  most_ms: number
  job: Job
  /** Number of tries so far. */
  tried: number
  isLate: boolean
  end(outcome: FairOutcome<Answer> | Error): void
}

/** Thread that starts with the first job. Between jobs, the thread does not keep the process alive. */
export class FairThread<Job, Answer> {
  readonly #options: FairThreadOptions
  readonly #queue: CostQueue<Task<Job, Answer>>
  #thread: JobThread<Job, Answer> | undefined
  #isBusy = false

  constructor(options: FairThreadOptions) {
    this.#options = options
    this.#queue = new CostQueue(options.waiting, options.clock ?? systemClock)
  }

  /** Does a job for its owner, such as an organisation. Rejects if the code of the script has a fault. */
  run(owner: number, job: Job): Promise<FairOutcome<Answer>> {
    return new Promise((resolve, reject) => {
      const end = (outcome: FairOutcome<Answer> | Error): void => {
        clearTimeout(late)
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
      const [most_ms] = this.#options.tries_ms
      const task: Task<Job, Answer> = { owner, most_ms, job, tried: 0, isLate: false, end }
      const late = setTimeout(() => {
        task.isLate = true
        if (this.#queue.remove(task)) end({ refusal: 'busy' })
      }, this.#options.wait_ms)
      this.#enqueue(task)
      this.#next()
    })
  }

  #enqueue(task: Task<Job, Answer>): void {
    this.#queue.add(task)?.end({ refusal: 'busy' })
  }

  #next(): void {
    if (this.#isBusy) return
    const task = this.#queue.take()
    if (task) void this.#do(task)
  }

  async #do(task: Task<Job, Answer>): Promise<void> {
    this.#isBusy = true
    if (!this.#thread || this.#thread.isGone) this.#thread = new JobThread(this.#options)
    const end = await this.#thread.do(task.job, task.most_ms)
    this.#isBusy = false
    this.#queue.charge(task.owner, end.cost_ms)
    this.#settle(task, end)
    this.#next()
  }

  #settle(task: Task<Job, Answer>, end: JobEnd<Answer>): void {
    if (end.kind === 'answer') return task.end({ answer: end.answer })
    if (end.kind === 'error') return task.end(end.error)
    if (end.kind === 'starved') return task.end({ refusal: 'busy' })
    const most_ms = this.#options.tries_ms[++task.tried]
    if (end.kind === 'outgrown' || most_ms === undefined) return task.end({ refusal: 'too_dear' })
    if (task.isLate) return task.end({ refusal: 'busy' })
    task.most_ms = most_ms
    this.#enqueue(task)
  }
}
