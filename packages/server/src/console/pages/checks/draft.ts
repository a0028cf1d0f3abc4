// A check in a form: texts as they were typed, until the domain has parsed them.
import { contradictionsIn } from '@dogwatch/check-rules/contradictions'
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
import { FaultyFields, type FieldFault } from '../../../domain/errors.ts'
import { toStorable } from '../../../domain/text.ts'
import type { Form } from '../../form.ts'
import { headerLines, tagLine } from './lines.ts'
import { appliesTo, schemeOf } from './kinds.ts'

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
  /** The guid of the check that it is a copy of; empty for none. */
  copied_from: string
  /** What the form showed at first. */
  shown: { who: Who; monitors: readonly string[] }
}

/** The form with the defaults of all fields. */
export function blankDraft(): Draft {
  const shown = { who: 'all', monitors: [] } as const
  return { ...draftOf(DEFAULTS, 'all', []), isPrivate: false, shown }
}

const DEFAULTS = toFields(Object.fromEntries(FIELD_NAMES.map((field) => [field, defaultOf(field)])))

/** Fills the form with a check, whose secrets are hidden. */
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
    copied_from: '',
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
      url: withScheme(form.text('url').trim()),
      depends_on: form.text('depends_on').trim(),
    },
    ticks: fill(TICKS, (field) => form.isOn(field)),
    isPrivate: form.isOn('private'),
    who: whoIn(form.text('who')),
    monitors,
    copied_from: form.text('copied_from'),
    shown: { who: whoIn(form.text('shown_who')), monitors: form.all('shown_monitors').map(toStorable) },
  }
}

function whoIn(text: string): Who {
  return text === 'all' || text === 'chosen' ? text : 'none'
}

/** What a form asks for, and what is wrong with it. */
export interface ReadDraft {
  /** In the shape of an import file. */
  entry: Record<string, unknown>
  faults: FieldFault[]
}

/**
 * Reads a form, with all that is wrong with it beside the rules of checks. Texts in which the browser changed nothing but line ends stay as they
 * were `stored`.
 */
export function readDraft(draft: Draft, stored?: CheckFields): ReadDraft {
  const { texts, ticks, isPrivate } = draft
  const numbers = NUMBERS.filter((field) => texts[field].trim() !== '')
  const headers = readHeaderLines(texts.headers)
  const entry = {
    ...fill(TEXTS, (field) => keepLineEnds(texts[field], stored?.[field])),
    // The form has one choice for both.
    match_mode: texts.match_mode === '' && stored?.match_mode === 'contains' ? 'contains' : texts.match_mode,
    ...fill(numbers, (field) => toNumber(texts[field].trim())),
    ...ticks,
    headers: headers.read,
    ...fill(TAGS, (field) => readTagLine(texts[field])),
  }
  const faults: FieldFault[] = []
  if (texts.url === '' && !isPrivate) faults.push({ field: 'url', must: 'is required' })
  if (texts.url !== '' && isPrivate) faults.push({ field: 'url', must: 'must be empty when the definition is private' })
  faults.push(...headers.faults, ...faultsOfKind(draft), ...contradictionsIn(entry))
  return { entry, faults }
}

/** Fields that are filled in, and mean nothing for the kind of the target. */
function faultsOfKind({ texts, ticks }: Draft): FieldFault[] {
  const scheme = schemeOf(texts.url)
  if (scheme === undefined) return []
  const given: Readonly<Partial<Record<FieldName, string | boolean>>> = { ...texts, ...ticks }
  return FIELD_NAMES.filter((field) => !appliesTo(field, scheme) && given[field] !== '' && given[field] !== false).map(
    (field) => ({
      field,
      must: `does not apply to ${scheme}:// targets: ${given[field] === true ? 'turn it off' : 'clear this field'}`,
    }),
  )
}

/** Refuses a form with faults. */
export function entryOf(draft: Draft, stored?: CheckFields): Record<string, unknown> {
  const { entry, faults } = readDraft(draft, stored)
  if (faults.length > 0) throw new FaultyFields('check', faults)
  return entry
}

/**
 * The monitors that were chosen. Somebody who ticks monitors and does not touch the choice above them means these
 * monitors: that must not become all of them. Somebody who changes the choice and does not touch the ticks means the
 * choice. If both were changed and contradict each other, the form is refused.
 */
export function choiceOf({ who, monitors, shown }: Draft): MonitorChoice | { fault: string } {
  if (who === 'chosen') return monitors
  const isTicked = monitors.length !== shown.monitors.length || monitors.some((id) => !shown.monitors.includes(id))
  if (monitors.length === 0 || !isTicked) return who
  if (who === shown.who) return monitors
  const chosen = who === 'all' ? '“All monitors”' : '“No monitors”'
  return {
    fault: `${chosen} is selected, but individual monitors are ticked; choose “Selected monitors” or clear the ticks`,
  }
}

/** Anything but a whole number is passed on unchanged, to be refused with the bounds. */
function toNumber(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

function keepLineEnds(given: string, stored: string | undefined): string {
  return stored !== undefined && stored.replace(/\r\n?/g, '\n') === given ? stored : given
}

function splitLine(line: string): [name: string, value: string] {
  const at = line.indexOf(':')
  return at < 1 ? ['', line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

function readHeaderLines(text: string): { read: Record<string, string>; faults: FieldFault[] } {
  const pairs = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(splitLine)
  const fault = (must: string) => ({ read: {}, faults: [{ field: 'headers', must }] })
  if (pairs.some(([name]) => name === '')) return fault('must have one header per line, in the form Name: value')
  const names = pairs.map(([name]) => name)
  if (new Set(names).size < names.length) return fault('must not contain the same header twice')
  return { read: Object.fromEntries(pairs), faults: [] }
}

/** A target without a scheme is a web address. */
function withScheme(target: string): string {
  return target === '' || target.includes('://') ? target : `https://${target}`
}

function fill<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>
}
