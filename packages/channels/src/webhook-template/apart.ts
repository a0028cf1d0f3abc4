// Renders templates in a separate thread, and shares its time between organisations by cost.
import { type FairOutcome, FairThread, type FairThreadOptions } from '@dogwatch/runtime/fair-thread'
import type { TemplateInput } from './render.ts'

/** The rendered text, or a fault. `is_ours` means that the template was not tried. */
export type RenderResult = { text: string } | { fault: string; is_ours?: true }
export type TemplateJob =
  | { kind: 'render'; template: string; told: TemplateInput }
  /** Tries the template with an event of each type. */
  | { kind: 'try'; template: string; isJson: boolean }
export interface JobResult {
  rendered?: RenderResult
  fault?: string | undefined
}

type RenderBounds = Partial<Pick<FairThreadOptions, 'tries_ms' | 'wait_ms' | 'stuck_ms'>>

const BOUNDS = {
  // The first try has several times the usual time of a template. The second try has one second, the maximum for a template.
  tries_ms: [50, 1000],
  // Less than the time of an attempt (`SEND_MS`). A delivery whose rendering waits longer is sent later.
  wait_ms: 8000,
  stuck_ms: 3000,
  // More memory than a template can fill.
  heap_mb: 128,
  // `of_owner` is the maximum number of deliveries of one organisation in progress. `in_all` is half of the maximum for all
  // organisations together.
  waiting: { of_owner: 25, in_all: 50 },
} as const

const TOO_LONG = 'took too long to render; simplify the template'
const BUSY = 'could not be rendered because the server is busy; try again'

/**
 * Renders templates. If other organisations use more time, an organisation waits for at most one of their renderings: the one in
 * progress.
 */
export class RenderThread {
  readonly #thread: FairThread<TemplateJob, JobResult>

  constructor(bounds: RenderBounds = {}) {
    const ending = /\.ts(?:$|\?)/.test(import.meta.url) ? 'ts' : 'js'
    const script = new URL(`./render-thread.${ending}`, import.meta.url)
    this.#thread = new FairThread({ ...BOUNDS, ...bounds, script })
  }

  async render(org_id: number, template: string, told: TemplateInput): Promise<RenderResult> {
    const { type, timestamp, data, message, webhook_id } = told
    const job: TemplateJob = { kind: 'render', template, told: { type, timestamp, data, message, webhook_id } }
    const { rendered, fault } = doneOf(await this.#thread.run(org_id, job))
    return rendered ?? { fault: fault ?? TOO_LONG, ...(fault === BUSY && { is_ours: true }) }
  }

  /** Tries a template with an event of each type. Returns a fault, worded to follow the field name, or undefined. */
  async faultOf(org_id: number, template: string, isJson: boolean): Promise<string | undefined> {
    return doneOf(await this.#thread.run(org_id, { kind: 'try', template, isJson })).fault
  }
}

function doneOf(outcome: FairOutcome<JobResult>): JobResult {
  if ('answer' in outcome) return outcome.answer
  return { fault: outcome.refusal === 'busy' ? BUSY : TOO_LONG }
}
