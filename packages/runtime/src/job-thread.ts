// Opens a thread that does one job at a time, and ends it when a job uses more processor time or memory than it may.
import { Worker } from 'node:worker_threads'
import type { JobReply, JobRequest } from './thread-jobs.ts'

export interface JobThreadOptions {
  /** URL of the module that the thread runs, which calls `answerJobs`. */
  script: URL
  /** Maximum heap of the thread, in megabytes. */
  heap_mb: number
  /** Maximum elapsed time of a job in milliseconds, for a machine that gives the thread too little processor time. */
  stuck_ms: number
}

/**
 * How a job ended. `cost_ms` is its processor time. If the thread was ended with the job, this includes starting another one.
 */
export type JobEnd<Answer> = { cost_ms: number } & (
  | { kind: 'answer'; answer: Answer }
  /** The job used all of its processor time. */
  | { kind: 'spent' }
  /** The job needs more memory than allowed. */
  | { kind: 'outgrown' }
  /** The machine gave the thread too little processor time. */
  | { kind: 'starved' }
  /** The code of the job threw an error. */
  | { kind: 'error'; error: Error }
)

/**
 * Time in milliseconds beyond the limit of a job after which its thread is ended, because the job does not check the limit itself.
 */
const GRACE_MS = 100
const LOOK_AGAIN_MS = 20
/**
 * Maximum time for the thread to report its usage, in milliseconds. A thread that takes longer is in a long step of native code.
 */
const USAGE_MS = 1_000

type End<Answer> = JobEnd<Answer> extends infer One ? (One extends unknown ? Omit<One, 'cost_ms'> : never) : never

export class JobThread<Job, Answer> {
  readonly #worker: Worker
  readonly #stuck_ms: number
  /** Processor time of the thread before its first job, and before the current one. */
  #start_ms = 0
  #before_ms = 0
  #isReady = false
  #isGone = false
  #hear: (reply: JobReply<Answer>) => void = () => {}
  #break: (error: NodeJS.ErrnoException) => void = () => {}

  constructor({ script, heap_mb, stuck_ms }: JobThreadOptions) {
    this.#stuck_ms = stuck_ms
    this.#worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: heap_mb },
      // Hides the settings and secrets of the process from the thread.
      env: {},
      execArgv: [],
    })
    this.#worker.on('message', (reply: JobReply<Answer>) => {
      if (reply.kind !== 'ready') return this.#hear(reply)
      this.#isReady = true
      this.#start_ms = this.#before_ms = reply.cpu_ms
      this.#hear(reply)
    })
    const gone = (error: Error): void => {
      this.#isGone = true
      this.#break(error)
    }
    this.#worker.on('error', gone).on('exit', (code) => gone(new Error(`the thread ended with ${code}`)))
  }

  /** Whether the thread can do no more jobs. */
  get isGone(): boolean {
    return this.#isGone
  }

  /**
   * Does a job within `most_ms` of processor time. Keeps the process alive during that time. The caller must wait for the end
   * before the next job.
   */
  do(job: Job, most_ms: number): Promise<JobEnd<Answer>> {
    const began_ms = performance.now()
    return new Promise((resolve) => {
      let isOver = false
      let timer: NodeJS.Timeout | undefined
      const end = (what: End<Answer>, used_ms: number): void => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        this.#worker.unref()
        const cost_ms = used_ms + (this.#isGone ? this.#start_ms : 0)
        this.#before_ms += used_ms
        resolve({ ...what, cost_ms })
      }
      const look = async (): Promise<void> => {
        const used_ms = await this.#used()
        if (isOver) return
        const isLate = performance.now() - began_ms >= this.#stuck_ms
        const isSpent = this.#isReady && used_ms >= (isLate ? most_ms / 2 : most_ms + GRACE_MS)
        if (!isLate && !isSpent) return wait(Math.max(LOOK_AGAIN_MS, most_ms - used_ms))
        this.close()
        end({ kind: isSpent ? 'spent' : 'starved' }, Number.isFinite(used_ms) ? used_ms : most_ms)
      }
      const wait = (ms: number): void => {
        const left_ms = began_ms + this.#stuck_ms - performance.now()
        timer = setTimeout(() => void look(), Math.max(0, Math.min(ms, left_ms)))
      }
      this.#hear = (reply) => {
        if (reply.kind === 'ready') return
        const { cpu_ms, ...what } = reply
        end(what.kind === 'error' ? { kind: 'error', error: new Error(what.error) } : what, cpu_ms - this.#before_ms)
      }
      this.#break = (error) => {
        const what: End<Answer> =
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'outgrown' } : { kind: 'error', error }
        // The thread can no longer report its usage, so the elapsed time is its cost.
        end(what, performance.now() - began_ms)
      }
      this.#worker.ref()
      try {
        this.#worker.postMessage({ job, most_ms } satisfies JobRequest<Job>)
        wait(most_ms + GRACE_MS)
      } catch (error) {
        end({ kind: 'error', error: error as Error }, 0)
      }
    })
  }

  /** Ends the thread, even during a job. */
  close(): void {
    this.#isGone = true
    void this.#worker.terminate()
  }

  /** Returns the processor time of the current job in milliseconds. Includes loading code if the thread is new. */
  async #used(): Promise<number> {
    let late: NodeJS.Timeout | undefined
    const silence = new Promise<undefined>((resolve) => (late = setTimeout(() => resolve(undefined), USAGE_MS)))
    // Node 24.0, which we install on Macs with Apple silicon, cannot report the usage. Infinity then makes the elapsed
    // time decide.
    const worker: Partial<Pick<Worker, 'cpuUsage'>> = this.#worker
    const usage = await Promise.race([worker.cpuUsage?.().catch(() => undefined), silence])
    clearTimeout(late)
    return usage ? (usage.user + usage.system) / 1000 - this.#before_ms : Infinity
  }
}
