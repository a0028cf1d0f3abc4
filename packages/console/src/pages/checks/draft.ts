// Converts a check to the texts of its form, and back. The texts stay as they were typed until the domain parses them.

import { contradictionsIn } from '@dogwatch/check-rules/contradictions'
import {
  appliesTo,
  defaultOf,
  FIELD_NAMES,
  type FieldName,
  type FieldsWith,
  fieldsWith,
  rowOf,
  toFields,
} from '@dogwatch/check-rules/fields'
import {
  isTargetOfServer,
  SCHEME_NAMES,
  type Scheme,
  schemeOf,
  startOf,
  targetFor,
} from '@dogwatch/check-rules/schemes'
import { readStatusLine } from '@dogwatch/check-rules/statuses'
import { readTagLine } from '@dogwatch/check-rules/tags'
import {
  giveOptions,
  isSameTarget,
  OPTION_FIELDS,
  type OptionField,
  type OptionTexts,
  takeOptions,
} from '@dogwatch/check-rules/target-options'
import type { MonitorChoice } from '@dogwatch/domain/checks/assign'
import type { CheckFields } from '@dogwatch/domain/checks/check'
import { FaultyFields, type FieldFault } from '@dogwatch/domain/errors'
import { toStorable } from '@dogwatch/domain/text'
import type { Form } from '../../form.ts'
import { linesFrom } from './assertion-drafts.ts'
import { assertionLines, headerLines, tagLine } from './words.ts'

type TickField = FieldsWith<{ kind: 'yes-no' }>
type TextField = Exclude<FieldName, TickField>

const TICKS: readonly TickField[] = fieldsWith({ kind: 'yes-no' })
const TEXTS = FIELD_NAMES.filter((field): field is TextField => rowOf(field).kind !== 'yes-no')

export type Who = 'all' | 'chosen' | 'none'

export interface CheckDraft {
  /** Type of the check if the target has no scheme. */
  kind: Scheme
  /** Options of the target that have a field. The target in `texts` is without them, unless a member typed them there. */
  options: OptionTexts
  texts: Record<TextField, string>
  ticks: Record<TickField, boolean>
  isPrivate: boolean
  who: Who
  monitors: readonly string[]
  /** Guid of the check that the form of a new check is a copy of. Empty if the form is not a copy. */
  copied_from: string
  /** Choice of monitors when the form was first shown, before the person changed it. */
  shown: { who: Who; monitors: readonly string[] }
}

const DEFAULT_KIND = 'https'

/** Returns a form with the defaults of all fields. */
export function blankDraft(): CheckDraft {
  const shown = { who: 'all', monitors: [] } as const
  return { ...draftOf(DEFAULTS, 'all', []), isPrivate: false, shown }
}

const DEFAULTS = toFields(Object.fromEntries(FIELD_NAMES.map((field) => [field, defaultOf(field)])))

/** Fills the form with a check, whose secrets are hidden. */
export function draftOf(check: CheckFields, who: Who, monitors: readonly string[]): CheckDraft {
  const { url, options } = takeOptions(check.url)
  return {
    kind: schemeOf(url) ?? DEFAULT_KIND,
    options,
    texts: { ...fill(TEXTS, (field) => textOf(field, check[field])), url },
    ticks: fill(TICKS, (field) => check[field]),
    isPrivate: check.url === '',
    who,
    monitors,
    copied_from: '',
    shown: { who, monitors },
  }
}

/** Writes a value as the text of its input. A 0 becomes an empty input, unless 0 is a choice other than the default. */
function textOf(field: TextField, value: CheckFields[TextField]): string {
  if (value === 0 && defaultOf(field) === 0) return ''
  if (typeof value !== 'object') return String(value)
  if (rowOf(field).kind === 'assertions') return assertionLines(value as readonly object[])
  return Array.isArray(value) ? tagLine(value.map(String)) : headerLines(value)
}

/** Reads the text of an input. Returns undefined for an empty number, which gets the default. */
function readText(field: TextField, text: string, stored: CheckFields | undefined): unknown {
  const { kind } = rowOf(field)
  if (kind === 'whole') return text.trim() === '' ? undefined : toNumber(text.trim())
  if (kind === 'tags') return readTagLine(text)
  if (kind === 'statuses') return readStatusLine(text)
  if (kind === 'assertions') return readAssertionLines(text)
  return keepLineEnds(text, stored?.[field])
}

export function draftFrom(form: Form): CheckDraft {
  const monitors = form.all('monitors').map(toStorable)
  const chosen = SCHEME_NAMES.find((name) => name === form.text('kind')) ?? DEFAULT_KIND
  const url = targetFor(chosen, form.text('url').trim())
  return {
    kind: schemeOf(url) ?? chosen,
    options: new Map(OPTION_FIELDS.map((option) => [option.name, optionIn(form, option)])),
    texts: {
      ...fill(TEXTS, (field) => form.text(field).replaceAll('\r\n', '\n')),
      assertions: linesFrom(form),
      name: form.text('name').trim(),
      url,
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

function optionIn(form: Form, { name, row }: OptionField): string {
  const input = optionInput(name)
  if (row.kind === 'yes-no') return form.isOn(input) ? 'yes' : ''
  return form.text(input).trim()
}

/** Returns the name of the input of an option. */
export function optionInput(name: string): string {
  return `option_${name}`
}

/**
 * Returns the target of a form with all its options. If it means the same as the stored target, returns the stored target as it
 * was written.
 */
export function urlOf({ texts, options }: CheckDraft, stored?: Pick<CheckFields, 'url'>): string {
  const { url } = giveOptions(texts.url, options)
  return stored !== undefined && isSameTarget(stored.url, url) ? stored.url : url
}

function whoIn(text: string): Who {
  return text === 'all' || text === 'chosen' ? text : 'none'
}

/** Entry that a form describes, and the faults in it. */
export interface ReadDraft {
  /** Check in the shape of an import file. */
  entry: Record<string, unknown>
  faults: FieldFault[]
}

/**
 * Reads a form, with all its faults except those that the rules of checks find. A text keeps its `stored` value if the browser
 * changed nothing but line ends.
 */
export function readDraft(typed: CheckDraft, stored?: CheckFields): ReadDraft {
  const draft = withoutForeign(typed)
  const { texts, ticks, isPrivate } = draft
  const given = fill(TEXTS, (field) => readText(field, texts[field], stored))
  const headers = readHeaderLines(texts.headers)
  const entry = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    url: urlOf(draft, stored),
    // The form has one option for both the empty value and `contains`, so an unchanged choice keeps the stored value.
    match_mode: texts.match_mode === '' && stored?.match_mode === 'contains' ? 'contains' : texts.match_mode,
    ip_family: texts.ip_family === '' && stored?.ip_family === 'any' ? 'any' : texts.ip_family,
    ...(isUsualPercent(texts) && { cert_warn_percent: 0 }),
    ...ticks,
    headers: headers.read,
  }
  const faults: FieldFault[] = []
  if (texts.url === '' && !isPrivate) faults.push({ field: 'url', must: 'is required' })
  if (texts.url !== '' && isPrivate) faults.push({ field: 'url', must: 'must be empty when the definition is private' })
  const { faults: ofOptions } = giveOptions(texts.url, draft.options)
  faults.push(...ofOptions.map(({ name, must }) => ({ field: optionInput(name), must })))
  faults.push(...headers.faults, ...faultsOfKind(draft), ...contradictionsIn(entry))
  return { entry, faults }
}

/** Share of its lifetime below which a certificate causes a warning, in the form of a new check. */
export const USUAL_PERCENT = '33'

/** Whether the share of a certificate's lifetime is the one that the form suggested, although the target has no certificate. */
function isUsualPercent({ url, cert_warn_percent }: CheckDraft['texts']): boolean {
  const scheme = schemeOf(url)
  return cert_warn_percent === USUAL_PERCENT && scheme !== undefined && !appliesTo('cert_warn_percent', scheme)
}

/** Empties the fields that do not apply if the server judges the check, because the form hides them with their defaults. */
function withoutForeign(draft: CheckDraft): CheckDraft {
  const scheme = schemeOf(draft.texts.url)
  if (scheme === undefined || !isTargetOfServer(draft.texts.url)) return draft
  const isKept = (field: FieldName): boolean => appliesTo(field, scheme) || rowOf(field).isRequired === true
  return {
    ...draft,
    texts: fill(TEXTS, (field) => (isKept(field) ? draft.texts[field] : '')),
    ticks: fill(TICKS, (field) => isKept(field) && draft.ticks[field]),
  }
}

/** Returns the faults of fields that are filled in, but mean nothing for the kind of the target. */
function faultsOfKind({ texts, ticks }: CheckDraft): FieldFault[] {
  const scheme = schemeOf(texts.url)
  if (scheme === undefined) return []
  const percent = isUsualPercent(texts) ? { cert_warn_percent: '' } : {}
  const given: Readonly<Partial<Record<FieldName, string | boolean>>> = { ...texts, ...ticks, ...percent }
  const isForeign = (field: FieldName) => !appliesTo(field, scheme) && rowOf(field).isRequired !== true
  return FIELD_NAMES.filter((field) => isForeign(field) && given[field] !== '' && given[field] !== false).map(
    (field) => ({
      field,
      must: `does not apply to ${startOf(scheme)} targets: ${given[field] === true ? 'turn it off' : 'clear this field'}`,
    }),
  )
}

/** Returns the entry of a form. Throws FaultyFields if the form has faults. */
export function entryOf(draft: CheckDraft, stored?: CheckFields): Record<string, unknown> {
  const { entry, faults } = readDraft(draft, stored)
  if (faults.length > 0) throw new FaultyFields('check', faults)
  return entry
}

/**
 * Returns the chosen monitors. Ticks override an untouched choice, so that a few monitors never become all, and a new choice
 * overrides untouched ticks. Returns a fault if both changed and contradict each other.
 */
export function choiceOf({ texts, who, monitors, shown }: CheckDraft): MonitorChoice | { fault: string } {
  if (isTargetOfServer(texts.url)) return 'all'
  if (who === 'chosen') return monitors
  const isTicked = monitors.length !== shown.monitors.length || monitors.some((id) => !shown.monitors.includes(id))
  if (monitors.length === 0 || !isTicked) return who
  if (who === shown.who) return monitors
  const chosen = who === 'all' ? '“All monitors”' : '“No monitors”'
  return {
    fault: `${chosen} is selected, but individual monitors are selected too; choose “Selected monitors” or clear the individual monitors`,
  }
}

/** Converts a whole number. Returns any other text unchanged, so that the domain refuses it and names the bounds. */
function toNumber(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

function keepLineEnds(given: string, stored: unknown): string {
  return typeof stored === 'string' && stored.replace(/\r\n?/g, '\n') === given ? stored : given
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

function readAssertionLines(text: string): unknown[] {
  return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]))
}

function fill<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>
}
