// Renders templates that people wrote, within bounds of time and memory. They reach no file and no other template.
import { Liquid } from 'liquidjs'
import type { Dispatch } from '../channel.ts'
import { oneLine } from '../wording.ts'

/** In characters. */
export const MAX_TEMPLATE = 10_000
/** Texts, values and tags that are written in one rendering: the bound that a template meets, the same on every machine. */
const PARTS = 10_000
/** A machine in trouble takes longer for the same, so this is no more than a last resort. */
const RENDER_MS = 1000
const MEMORY = 1_000_000
/** In characters. */
const MAX_BODY = 100_000
const MAX_FAULT = 200

const engine = new Liquid({
  strictFilters: true,
  ownPropertyOnly: true,
  // What is not there counts as false in a condition and takes a default, however strict the rest is.
  lenientIf: true,
  templates: {},
  timezoneOffset: 0,
  locale: 'en-US',
  parseLimit: MAX_TEMPLATE,
  renderLimit: RENDER_MS,
  memoryLimit: MEMORY,
})

export type Told = Pick<Dispatch, 'webhook_id' | 'type' | 'timestamp' | 'data' | 'message'>

/** `isStrict`: a name that the event does not have is a fault. Otherwise it is empty: an alert with a gap is better than none. */
export function render(template: string, told: Told, isStrict: boolean): { text: string } | { fault: string } {
  try {
    const text = String(
      engine.parseAndRenderSync(template, scopeOf(told), { strictVariables: isStrict, templateLimit: PARTS }),
    )
    if (text.length > MAX_BODY) return { fault: `makes more than ${MAX_BODY} characters` }
    return { text }
  } catch (error) {
    const { message } = error as { message?: unknown }
    return { fault: `cannot be rendered: ${oneLine(String(message), MAX_FAULT)}` }
  }
}

/** What a template may name. */
function scopeOf({ webhook_id, type, timestamp, data, message }: Told): object {
  const { severity, title, lines, facts, link } = message
  const text = [...lines, ...facts.map(({ label, value }) => `${label}: ${value}`)].join('\n')
  // A copy, so that nothing but plain values is there.
  return structuredClone({
    id: webhook_id,
    type,
    timestamp,
    data,
    message: { severity, title, lines, facts, link, text },
  })
}
