// Searches texts, and reads values from them, in a separate thread, one text at a time, each with a time limit.
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { OwnTrouble } from '../process/own-trouble.ts'
import type { Answer, Question } from './pattern-worker.ts'

/** Whether the pattern was found, or why that is unknown: the search would take too long, or the pattern is invalid. */
export type MatchOutcome = boolean | 'too_costly' | 'no_pattern'
/** Answer of the thread, or the reason why there is none: the work would take too long, or the pattern or the text is invalid. */
export type LaneOutcome = boolean | readonly unknown[] | 'too_costly' | 'invalid'

/** Limits of the work for one question. */
export interface Job {
  /** Maximum CPU time of the thread for the question, in milliseconds. */
  budget_ms: number
  /** Time after which the caller no longer needs the answer, in milliseconds. It includes the wait for earlier questions. */
  left_ms: number
  signal?: AbortSignal | undefined
  /** Receives the CPU time that the thread spent on the question, in milliseconds. Called only if the thread answered. */
  onSpent?: ((spent_ms: number) => void) | undefined
}

interface Task extends Job {
  question: Question
  /** Resolves or rejects the promise of `ask`, whether the task waits or runs. */
  end: (outcome: LaneOutcome | Error) => void
}

const WORKER = fileURLToPath(new URL(`./pattern-worker${extname(import.meta.url)}`, import.meta.url))
/** Memory limits of the heap of the thread. A pattern that needs more is too costly. */
const MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 }
const LOOK_AGAIN_MS = 20

export class Lane {
  readonly #queue: Task[] = []
  #worker: Worker | undefined
  #task: Task | undefined
  /** CPU time of the thread before the task, in milliseconds. */
  #cpu_ms = 0
  #began_ms = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * Answers a question. Rejects with OwnTrouble if this machine did not have enough time, and with the reason of the job's signal
   * if that aborts.
   */
  ask(question: Question, job: Job): Promise<LaneOutcome> {
    return new Promise((resolve, reject) => {
      const abort = (): void => this.#giveUp(task, job.signal?.reason as Error)
      const timer = setTimeout(() => void this.#runOut(task), job.left_ms)
      const end = (outcome: LaneOutcome | Error): void => {
        clearTimeout(timer)
        job.signal?.removeEventListener('abort', abort)
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
      const task: Task = { ...job, question, end }
      job.signal?.addEventListener('abort', abort)
      this.#queue.push(task)
      this.#next()
    })
  }

  #next(): void {
    if (this.#task) return
    const task = this.#queue.shift()
    if (!task) return void this.#worker?.unref()
    this.#task = task
    this.#worker ??= this.#start()
    this.#worker.ref()
    this.#began_ms = performance.now()
    this.#worker.postMessage(task.question)
    this.#timer = setTimeout(() => void this.#look(task), task.budget_ms)
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: MEMORY })
    this.#cpu_ms = 0
    worker.on('message', ({ result, cpu_ms, spent_ms }: Answer) => {
      if (this.#worker !== worker) return
      this.#cpu_ms = cpu_ms
      this.#task?.onSpent?.(spent_ms)
      this.#finish(result ?? 'invalid')
    })
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      const outgrown = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      this.#finish(outgrown ? 'too_costly' : new OwnTrouble('matching', { cause: error }))
    })
    return worker
  }

  /** Ends the task in progress, and starts the next one. */
  #finish(outcome: LaneOutcome | Error): void {
    clearTimeout(this.#timer)
    const task = this.#task
    this.#task = undefined
    task?.end(outcome)
    this.#next()
  }

  /** Stops the task if the thread has used the task's CPU time. Time that the thread waited for a processor does not count. */
  async #look(task: Task): Promise<void> {
    const used_ms = await this.#used()
    if (this.#task !== task) return
    if (used_ms >= task.budget_ms) return this.#stop('too_costly')
    this.#timer = setTimeout(() => void this.#look(task), Math.max(LOOK_AGAIN_MS, task.budget_ms - used_ms))
  }

  async #runOut(task: Task): Promise<void> {
    const used_ms = this.#task === task ? await this.#used() : 0
    if (this.#task === task && used_ms >= task.budget_ms / 2) this.#stop('too_costly')
    else this.#giveUp(task, new OwnTrouble('matching'))
  }

  #giveUp(task: Task, reason: Error): void {
    if (this.#task === task) return this.#stop(reason)
    const at = this.#queue.indexOf(task)
    if (at < 0) return
    this.#queue.splice(at, 1)
    task.end(reason)
  }

  /** Ends the thread, because nothing else stops a search in progress. The next task starts a new thread. */
  #stop(outcome: LaneOutcome | Error): void {
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
    this.#finish(outcome)
  }

  async #used(): Promise<number> {
    const worker: Partial<Pick<Worker, 'cpuUsage'>> | undefined = this.#worker
    // Node 24.0, which we install on Macs with Apple silicon, does not report the CPU time.
    if (worker && !worker.cpuUsage) return performance.now() - this.#began_ms
    const usage = await worker?.cpuUsage?.().catch(() => undefined)
    return usage ? (usage.user + usage.system) / 1000 - this.#cpu_ms : 0
  }
}
