// Has templates rendered in a thread of their own. Rendering has bounds, but they are looked at between its parts only: a thread
// that does not answer in time is ended, and nothing that people write holds up the server.
import { Worker } from 'node:worker_threads'
import type { Told } from './render.ts'

/** `is_ours`: the template was not tried. */
export type Rendered = { text: string } | { fault: string; is_ours?: true }
export type Job =
  | { kind: 'render'; template: string; told: Told }
  /** With an event of each type. */
  | { kind: 'try'; template: string; isJson: boolean }
export interface Done {
  rendered?: Rendered
  fault?: string | undefined
}

export interface RenderBounds {
  /** When the thread is ended. A job's own bound is a second, which a busy machine may look at late. */
  hard_ms: number
  /** How long a job waits. Less than an attempt may take: what waits longer is sent later. */
  wait_ms: number
}

const BOUNDS: RenderBounds = { hard_ms: 3000, wait_ms: 8000 }
const TOO_LONG = 'cannot be rendered: it takes too long'
const BUSY = 'cannot be rendered now: too many others wait'
/** In megabytes: what a template may fill is far less. */
const HEAP_MB = 128

interface Waiting {
  job: Job
  give(done: Done): void
}

/**
 * Organisations take turns, whoever has more to render: slow templates of one cost an alert of another no more than the one that is being
 * rendered. The thread is opened for the first job.
 */
export class RenderThread {
  readonly #bounds: RenderBounds
  /** By organisation, in the order of their turns. */
  readonly #waiting = new Map<number, Set<Waiting>>()
  #thread: Worker | undefined
  #isBusy = false

  constructor(bounds: Partial<RenderBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds }
  }

  async render(org_id: number, template: string, told: Told): Promise<Rendered> {
    const { type, timestamp, data, message, webhook_id } = told
    const job: Job = { kind: 'render', template, told: { type, timestamp, data, message, webhook_id } }
    const { rendered, fault } = await this.#run(org_id, job)
    return rendered ?? { fault: fault ?? TOO_LONG, ...(fault === BUSY && { is_ours: true }) }
  }

  /** What is wrong with a template, said after its name. */
  async faultOf(org_id: number, template: string, isJson: boolean): Promise<string | undefined> {
    return (await this.#run(org_id, { kind: 'try', template, isJson })).fault
  }

  #run(org_id: number, job: Job): Promise<Done> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        job,
        give: (done) => {
          clearTimeout(late)
          resolve(done)
        },
      }
      const late = setTimeout(() => {
        if (this.#remove(org_id, waiting)) resolve({ fault: BUSY })
      }, this.#bounds.wait_ms)
      this.#waiting.set(org_id, (this.#waiting.get(org_id) ?? new Set()).add(waiting))
      if (!this.#isBusy) this.#next()
    })
  }

  /** False: it is being done, or is done. */
  #remove(org_id: number, waiting: Waiting): boolean {
    const own = this.#waiting.get(org_id)
    const isThere = own?.delete(waiting) === true
    if (own?.size === 0) this.#waiting.delete(org_id)
    return isThere
  }

  /** `last`: whose job was done last. Its next one comes after those of all others. */
  #next(last?: number): void {
    const others = last !== undefined && this.#waiting.get(last)
    if (others && this.#waiting.delete(last)) this.#waiting.set(last, others)
    const [[org_id, own] = [0, new Set<Waiting>()]] = this.#waiting
    const [waiting] = own
    this.#isBusy = waiting !== undefined
    if (!waiting) return
    this.#remove(org_id, waiting)
    this.#do(org_id, waiting)
  }

  #do(org_id: number, waiting: Waiting): void {
    const worker = (this.#thread ??= this.#open())
    // While it works it keeps the process, which would otherwise end before the answer.
    worker.ref()
    const end = (done: Done, isBroken: boolean): void => {
      clearTimeout(timer)
      worker.off('message', answered).off('error', broke).off('exit', broke)
      worker.unref()
      if (isBroken) {
        this.#thread = undefined
        void worker.terminate()
      }
      waiting.give(done)
      this.#next(org_id)
    }
    const answered = (done: Done): void => end(done, false)
    const broke = (): void => end({ fault: TOO_LONG }, true)
    const timer = setTimeout(broke, this.#bounds.hard_ms)
    worker.once('message', answered).once('error', broke).once('exit', broke)
    try {
      worker.postMessage(waiting.job)
    } catch {
      // What cannot be copied into the thread; events are JSON, so nothing ever was.
      end({ fault: 'cannot be rendered' }, false)
    }
  }

  #open(): Worker {
    const ending = /\.ts(?:$|\?)/.test(import.meta.url) ? 'ts' : 'js'
    const worker = new Worker(new URL(`./render-thread.${ending}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Neither settings nor secrets of the process are its business.
      env: {},
    })
    // Also between jobs, when nobody else listens: the next one opens another.
    for (const event of ['error', 'exit']) {
      worker.on(event, () => {
        if (this.#thread === worker) this.#thread = undefined
      })
    }
    return worker
  }
}
