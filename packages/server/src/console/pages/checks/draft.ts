// A check as it stands in a form: texts as they were typed, until the domain has read them.
import type { MonitorChoice } from '../../../domain/checks/assign.ts'
import type { CheckContent } from '../../../domain/checks/check.ts'
import { DomainError } from '../../../domain/errors.ts'
import { toStorable } from '../../../domain/text.ts'
import type { Form } from '../../form.ts'
import { headerLines } from './definition.tsx'

export const TEXTS = ['name', 'url', 'post_data', 'match_string', 'match_mode', 'status_code_op'] as const
export const NUMBERS = [
  'interval_sec',
  'timeout_sec',
  'status_code_value',
  'cert_expiry_warn_days',
  'max_response_time_ms',
  'result_detail_max_chars',
  'down_interval_sec',
  'resend_interval_sec',
] as const
export const TICKS = ['enabled', 'restricted', 'disable_redirects', 'insecure_skip_verify', 'invert_result'] as const

export type Who = 'all' | 'chosen' | 'none'

export interface Draft {
  texts: Record<(typeof TEXTS)[number] | (typeof NUMBERS)[number] | 'headers', string>
  ticks: Record<(typeof TICKS)[number], boolean>
  isPrivate: boolean
  who: Who
  monitors: readonly string[]
  /** What the form showed at first. */
  shown: { who: Who; monitors: readonly string[] }
}

type Field = keyof CheckContent

export function draftOf(check: CheckContent, who: Who, monitors: readonly string[]): Draft {
  return {
    texts: {
      ...pick(TEXTS, (field) => check[field]),
      ...pick(NUMBERS, (field) => (check[field] === 0 ? '' : String(check[field]))),
      // Nothing kept is a choice, and not the default.
      result_detail_max_chars: String(check.result_detail_max_chars),
      headers: headerLines(check.headers),
    },
    ticks: pick(TICKS, (field) => check[field]),
    isPrivate: check.url === '',
    who,
    monitors,
    shown: { who, monitors },
  }
}

export function draftFrom(form: Form): Draft {
  const monitors = form.all('monitors').map(toStorable)
  return {
    texts: {
      ...pick([...TEXTS, ...NUMBERS], (field) => form.text(field).replaceAll('\r\n', '\n')),
      name: form.text('name').trim(),
      url: form.text('url').trim(),
      headers: form.text('headers').replaceAll('\r\n', '\n'),
    },
    ticks: pick(TICKS, (field) => form.isOn(field)),
    isPrivate: form.isOn('private'),
    who: whoIn(form.text('who')),
    monitors,
    shown: { who: whoIn(form.text('shown_who')), monitors: form.all('shown_monitors').map(toStorable) },
  }
}

function whoIn(text: string): Who {
  return text === 'all' || text === 'chosen' ? text : 'none'
}

/** An entry as a file would hold it. Texts whose line ends alone were changed, by the browser, stay as they were `stored`. */
export function entryOf({ texts, ticks, isPrivate }: Draft, stored?: CheckContent): Record<string, unknown> {
  if (texts.url === '' && !isPrivate) throw refused('url', 'is required')
  if (texts.url !== '' && isPrivate) throw refused('url', 'must be empty while the definition is private')
  const numbers = NUMBERS.filter((field) => texts[field].trim() !== '')
  return {
    ...pick(TEXTS, (field) => keepLineEnds(texts[field], stored?.[field])),
    ...pick(numbers, (field) => toNumber(texts[field].trim())),
    ...ticks,
    headers: readHeaderLines(texts.headers),
  }
}

/**
 * Who is to run the check. Whoever ticks monitors and leaves the choice above them as it was means these monitors: it must not
 * become all of them. Whoever changes that choice and leaves the ticks as they were means the choice. If both were changed
 * and contradict each other, nobody can tell, and the form is refused.
 */
export function choiceOf({ who, monitors, shown }: Draft): MonitorChoice {
  if (who === 'chosen') return monitors
  const isTicked = monitors.length !== shown.monitors.length || monitors.some((id) => !shown.monitors.includes(id))
  if (monitors.length === 0 || !isTicked) return who
  if (who === shown.who) return monitors
  const chosen = who === 'all' ? '“All monitors”' : '“None for now”'
  throw new DomainError(
    'invalid',
    `monitors are ticked, but ${chosen} is chosen: choose “Only these monitors”, or remove the ticks`,
  )
}

/** What is no whole number goes on as it is, to be refused with the bounds. */
function toNumber(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

function keepLineEnds(given: string, stored: string | undefined): string {
  return stored !== undefined && stored.replace(/\r\n?/g, '\n') === given ? stored : given
}

function readHeaderLines(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    if (at < 1) throw refused('headers', 'must be lines of the form Name: value')
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw refused('headers', 'must not name a header twice')
  return Object.fromEntries(pairs)
}

function refused(field: Field, must: string): DomainError {
  return new DomainError('invalid', `check.${field} ${must}`)
}

function pick<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>
}
