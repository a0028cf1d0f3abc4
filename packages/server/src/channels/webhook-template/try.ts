// Tries a template with an event of each type, so that a mistake shows when it is saved and not at night.
import { bootMs } from '../../runtime/clock.ts'
import { render } from './render.ts'
import { SAMPLES } from './samples.ts'

/** For all samples together. */
const TRIED_MS = 1000

/** What is wrong with a template, said after its name. `isJson`: whether it has to make JSON. */
export function faultInTemplate(template: string, isJson: boolean): string | undefined {
  const until_ms = bootMs() + TRIED_MS
  for (const told of SAMPLES) {
    const body = render(template, told, { isStrict: true, until_ms })
    if ('fault' in body) return `${body.fault} (for ${told.type})`
    if (isJson && !parses(body.text)) {
      return `makes no JSON (for ${told.type}): write {{ message.title | json }}, without quotes, for a text`
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
