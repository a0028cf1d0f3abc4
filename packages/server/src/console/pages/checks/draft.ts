// A check in a form: texts as they were typed, until the domain has parsed them.
import {
  defaultOf,
  FIELD_NAMES,
  type FieldName,
  fieldsWith,
  type FieldsWith,
  toFields,
} from '@dogwatch/check-rules/fields'
import { readTagLine } from '@dogwatch/check-rules/tags'
import type { MonitorChoice } from '../../../domain/checks/assign.ts'
import type { CheckFields } from '../../../domain/checks/check.ts'
import { DomainError } from '../../../domain/errors.ts'
import { toStorable } from '../../../domain/text.ts'
import type { Form } from '../../form.ts'
import { headerLines, tagLine } from './set-fields.tsx'

type TextField = FieldsWith<{ kind: 'url' | 'text' | 'word' }>
type NumberField = FieldsWith<{ kind: 'whole' }>
type TickField = FieldsWith<{ kind: 'yes-no' }>
type HeadersField = FieldsWith<{ kind: 'headers' }>
type TagsField = FieldsWith<{ kind: 'tags' }>

const TEXTS: readonly TextField[] = (['url', 'text', 'word'] as const).flatMap((kind) => fieldsWith({ kind }))
const NUMBERS: readonly NumberField[] = fieldsWith({ kind: 'whole' })
const TICKS: readonly TickField[] = fieldsWith({ kind: 'yes-no' })
const HEADERS: readonly HeadersField[] = fieldsWith({ kind: 'headers' })
const TAGS: readonly TagsField[] = fieldsWith({ kind: 'tags' })

export type Who = 'all' | 'chosen' | 'none'

export interface Draft {
  texts: Record<TextField | NumberField | HeadersField | TagsField, string>
  ticks: Record<TickField, boolean>
  isPrivate: boolean
  who: Who
  monitors: readonly string[]
  /** What the form showed at first. */
  shown: { who: Who; monitors: readonly string[] }
}

/** The form with the defaults of all fields. */
export function blankDraft(): Draft {
  const shown = { who: 'all', monitors: [] } as const
  return { ...draftOf(DEFAULTS, 'all', []), isPrivate: false, shown }
}

const DEFAULTS = toFields(Object.fromEntries(FIELD_NAMES.map((field) => [field, defaultOf(field)])))

export function draftOf(check: CheckFields, who: Who, monitors: readonly string[]): Draft {
  return {
    texts: {
      ...fill(TEXTS, (field) => check[field]),
      ...fill(NUMBERS, (field) => numberText(field, check[field])),
      ...fill(HEADERS, (field) => headerLines(check[field])),
      ...fill(TAGS, (field) => tagLine(check[field])),
    },
    ticks: fill(TICKS, (field) => check[field]),
    isPrivate: check.url === '',
    who,
    monitors,
    shown: { who, monitors },
  }
}

/** An empty input stands for 0, except where 0 is a choice and not the default. */
function numberText(field: NumberField, value: number): string {
  return value === 0 && defaultOf(field) === 0 ? '' : String(value)
}

export function draftFrom(form: Form): Draft {
  const monitors = form.all('monitors').map(toStorable)
  return {
    texts: {
      ...fill([...TEXTS, ...NUMBERS, ...HEADERS, ...TAGS], (field) => form.text(field).replaceAll('\r\n', '\n')),
      name: form.text('name').trim(),
      url: form.text('url').trim(),
      depends_on: form.text('depends_on').trim(),
    },
    ticks: fill(TICKS, (field) => form.isOn(field)),
    isPrivate: form.isOn('private'),
    who: whoIn(form.text('who')),
    monitors,
    shown: { who: whoIn(form.text('shown_who')), monitors: form.all('shown_monitors').map(toStorable) },
  }
}

function whoIn(text: string): Who {
  return text === 'all' || text === 'chosen' ? text : 'none'
}

/**
 * The entry in the shape of an import file. Texts in which the browser changed nothing but line ends stay as they were
 * `stored`.
 */
export function entryOf({ texts, ticks, isPrivate }: Draft, stored?: CheckFields): Record<string, unknown> {
  if (texts.url === '' && !isPrivate) throw refused('url', 'is required')
  if (texts.url !== '' && isPrivate) throw refused('url', 'must be empty while the definition is private')
  const numbers = NUMBERS.filter((field) => texts[field].trim() !== '')
  return {
    ...fill(TEXTS, (field) => keepLineEnds(texts[field], stored?.[field])),
    ...fill(numbers, (field) => toNumber(texts[field].trim())),
    ...ticks,
    ...fill(HEADERS, (field) => readHeaderLines(field, texts[field])),
    ...fill(TAGS, (field) => readTagLine(texts[field])),
  }
}

/**
 * The monitors that were chosen. Somebody who ticks monitors and does not touch the choice above them means these
 * monitors: that must not become all of them. Somebody who changes the choice and does not touch the ticks means the
 * choice. If both were changed and contradict each other, the form is refused.
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

/** Anything but a whole number is passed on unchanged, to be refused with the bounds. */
function toNumber(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

function keepLineEnds(given: string, stored: string | undefined): string {
  return stored !== undefined && stored.replace(/\r\n?/g, '\n') === given ? stored : given
}

function readHeaderLines(field: HeadersField, text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    if (at < 1) throw refused(field, 'must be lines of the form Name: value')
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
  })
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw refused(field, 'must not name a header twice')
  return Object.fromEntries(pairs)
}

function refused(field: FieldName, must: string): DomainError {
  return new DomainError('invalid', `check.${field} ${must}`)
}

function fill<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>
}
