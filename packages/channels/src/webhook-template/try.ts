// Tries a template with an event of each type, so that a mistake shows when it is saved and not at night.
import type { JobBudget } from '@dogwatch/runtime/thread-jobs'
import { render } from './render.ts'
import { SAMPLES } from './samples.ts'

/**
 * Returns the fault of a template, worded to follow the field name, or undefined. With `isJson`, it must produce JSON. `budget`
 * is for all samples together.
 */
export function faultInTemplate(template: string, isJson: boolean, budget: JobBudget): string | undefined {
  for (const told of SAMPLES) {
    const body = render(template, told, { isStrict: true, budget })
    if ('fault' in body) return `${body.fault} (for ${told.type})`
    if (isJson && !parses(body.text)) {
      return `does not produce valid JSON (for ${told.type}); insert strings with {{ message.title | json }}, without quotes around it`
    }
  }
  return undefined
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
