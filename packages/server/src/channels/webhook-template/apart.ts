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

/** A job's own bound is a second, which a busy machine may look at late. */
const HARD_MS = 3000
/** Less than an attempt may take: what waits longer is sent later. */
const WAIT_MS = 8000
const TOO_LONG = 'cannot be rendered: it takes too long'
const BUSY = 'cannot be rendered now: too many others wait'
/** In megabytes: what a template may fill is far less. */
const HEAP_MB = 128

interface Waiting {
  job: Job
  hard_ms: number
  give(done: Done): void
}

/** `hard_ms`: when the thread is ended. */
export async function renderApart(template: string, told: Told, hard_ms = HARD_MS): Promise<Rendered> {
  const { type, timestamp, data, message, webhook_id } = told
  const job: Job = { kind: 'render', template, told: { type, timestamp, data, message, webhook_id } }
  const { rendered, fault } = await run(job, hard_ms)
  return rendered ?? { fault: fault ?? TOO_LONG, ...(fault === BUSY && { is_ours: true }) }
}

/** What is wrong with a template, said after its name. */
export async function faultApart(template: string, isJson: boolean): Promise<string | undefined> {
  return (await run({ kind: 'try', template, isJson }, HARD_MS)).fault
}

const queue: Waiting[] = []
let thread: Worker | undefined
let isBusy = false

function run(job: Job, hard_ms: number): Promise<Done> {
  return new Promise((resolve) => {
    const waiting: Waiting = { job, hard_ms, give: resolve }
    queue.push(waiting)
    const late = setTimeout(() => {
      const at = queue.indexOf(waiting)
      if (at === -1) return
      queue.splice(at, 1)
      resolve({ fault: BUSY })
    }, WAIT_MS)
    waiting.give = (done) => {
      clearTimeout(late)
      resolve(done)
    }
    next()
  })
}

function next(): void {
  if (isBusy) return
  const waiting = queue.shift()
  if (!waiting) return
  isBusy = true
  const worker = (thread ??= open())
  // While it works it keeps the process, which would otherwise end before the answer.
  worker.ref()
  const end = (done: Done, isBroken: boolean): void => {
    clearTimeout(timer)
    worker.off('message', answered).off('error', broke).off('exit', broke)
    worker.unref()
    if (isBroken) {
      thread = undefined
      void worker.terminate()
    }
    isBusy = false
    waiting.give(done)
    next()
  }
  const answered = (done: Done): void => end(done, false)
  const broke = (): void => end({ fault: TOO_LONG }, true)
  const timer = setTimeout(broke, waiting.hard_ms)
  worker.once('message', answered).once('error', broke).once('exit', broke)
  try {
    worker.postMessage(waiting.job)
  } catch {
    // What cannot be copied into the thread; events are JSON, so nothing ever was.
    end({ fault: 'cannot be rendered' }, false)
  }
}

function open(): Worker {
  const ending = /\.ts(?:$|\?)/.test(import.meta.url) ? 'ts' : 'js'
  const worker = new Worker(new URL(`./render-thread.${ending}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    // Neither settings nor secrets of the process are its business.
    env: {},
  })
  // Also between jobs, when nobody else listens: the next one opens another.
  for (const event of ['error', 'exit']) {
    worker.on(event, () => {
      if (thread === worker) thread = undefined
    })
  }
  return worker
}
