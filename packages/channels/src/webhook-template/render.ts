// Renders templates that users wrote, within bounds of time and memory. Templates can access no file and no other
// template.

import type { JobBudget } from '@dogwatch/runtime/thread-jobs'
import { CaptureTag, Context, defaultOperators, Liquid } from 'liquidjs'
import { type Dispatch, factLines } from '../channel.ts'
import { oneLine } from '../wording.ts'

/** Maximum length of a template, in characters. */
export const MAX_TEMPLATE = 10_000
/**
 * Maximum number of texts, values, tags and loop rounds in one rendering, the same on every machine. It allows twenty for each of
 * the 500 checks that one event can list.
 */
const PARTS = 12_000
/** Number of parts between two looks at the time budget. Each look costs as much as a small part. */
const PARTS_UNWATCHED = 16
/** Maximum number of characters and elements that filters, captures and `contains` can process in one rendering. */
const MEMORY = 200_000
/** Maximum length of a rendered text, in characters. */
const MAX_BODY = 1_000_000
const MAX_FAULT = 200

const contains = defaultOperators.contains as BinaryOperator

const engine = new Liquid({
  strictFilters: true,
  ownPropertyOnly: true,
  // In a condition, a missing value counts as false, and the filter `default` replaces it, even if a missing value is a fault
  // elsewhere.
  lenientIf: true,
  templates: {},
  timezoneOffset: 0,
  locale: 'en-US',
  parseLimit: MAX_TEMPLATE,
  memoryLimit: MEMORY,
  // Without this operator, one condition could search a long text hundreds of times.
  operators: {
    ...defaultOperators,
    contains: (text: unknown, part: unknown, context: Context) => {
      charge(context, text)
      return contains(text, part, context)
    },
  },
})

/** Counts the text of a capture against the memory limit. Otherwise, a capture of itself could grow to half a gigabyte. */
engine.registerTag(
  'capture',
  class extends CaptureTag {
    override *render(context: Context): Generator<unknown, void, string> {
      yield* super.render(context)
      charge(context, context.getSync([this.variable]))
    }
  },
)
// These filters evaluate an expression for each element of an array without a time limit: 90,000 elements take half an
// hour.
for (const name of Object.keys(engine.filters)) if (name.endsWith('_exp')) Reflect.deleteProperty(engine.filters, name)
/** Cost of one element, or of one character of a date format, in the filters that are fifty times slower than others. */
const COSTLY = 50
for (const name of ['sort', 'sort_natural', 'uniq', 'date']) {
  const filter = engine.filters[name] as Filter
  engine.registerFilter(name, function (value: unknown, ...others: unknown[]) {
    const [format] = others
    const text = typeof format === 'string' ? format : ''
    const { length } = Array.isArray(value) ? value : text
    this.context.memoryLimit.use(COSTLY * length)
    return filter.call(this, value, ...others)
  })
}

function charge({ memoryLimit }: Context, value: unknown): void {
  if (typeof value === 'string' || Array.isArray(value)) memoryLimit.use(value.length)
}

type Filter = (this: unknown, ...given: unknown[]) => unknown
type BinaryOperator = (left: unknown, right: unknown, context: Context) => boolean

export type TemplateInput = Pick<Dispatch, 'webhook_id' | 'type' | 'timestamp' | 'data' | 'message'>

/** Options of a rendering. */
export interface RenderOptions {
  isStrict: boolean
  /** Time budget. Absent if only the parts are limited. */
  budget?: JobBudget
}

/**
 * Renders a template. With `isStrict`, an unknown name is a fault. Otherwise it renders as empty, because an alert with a gap is
 * better than none.
 */
export function render(
  template: string,
  told: TemplateInput,
  manner: RenderOptions,
): { text: string } | { fault: string } {
  try {
    const text = String(engine.renderSync(engine.parse(template), contextOf(told, manner)))
    if (text.length > MAX_BODY) return { fault: `produces more than ${MAX_BODY} characters` }
    return { text }
  } catch (error) {
    const { message } = error as { message?: unknown }
    return { fault: `could not be rendered: ${oneLine(String(message), MAX_FAULT)}` }
  }
}

/** Returns the context of a rendering. It counts parts in the time limit of Liquid, which checks before each part. */
function contextOf(told: TemplateInput, { isStrict, budget }: RenderOptions): Context {
  const context = new Context(
    scopeOf(told),
    engine.options,
    { sync: true, strictVariables: isStrict },
    { liquid: engine },
  )
  let parts = 0
  context.renderLimit.check = () => {
    parts++
    if (parts > PARTS) throw new Error(`the template produces more than ${PARTS} parts`)
    if (parts % PARTS_UNWATCHED === 0 && budget?.isSpent()) throw new Error('rendering took too long')
  }
  return context
}

/** Returns the values that a template can use. */
function scopeOf({ webhook_id, type, timestamp, data, message }: TemplateInput): object {
  const { severity, title, lines, facts, link, acknowledge = '' } = message
  const text = [...lines, ...factLines(message)].join('\n')
  // A copy, so that it contains only plain values.
  return structuredClone({
    id: webhook_id,
    type,
    timestamp,
    data,
    message: { severity, title, lines, facts, link, acknowledge, text },
  })
}
