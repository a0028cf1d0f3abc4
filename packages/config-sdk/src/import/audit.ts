// Records the outcome of every field of an imported configuration: carried over, carried over differently, or impossible. A field
// without a rule is impossible, so that nothing is lost silently, and so is a value of another type than its rule accepts.
import { durationOf } from './schedules.ts'

export type List = 'carried' | 'differently' | 'impossible'

/** Outcome of a rule for one field. */
export type Said =
  /** The field is carried over unchanged. `idle` means that the field has its default value, or has no effect in Dogwatch. */
  | { list: 'carried'; idle?: true }
  | { list: 'differently'; note: string }
  | { list: 'impossible'; note: string }
  /** The field is an object, whose own fields have outcomes of their own. */
  | { list: 'within' }

export interface Row {
  list: List
  /** Name in the other tool for this kind of item: monitor, endpoint, notification. */
  kind: string
  /** Name of the item in the other tool. */
  thing: string
  /** Path of the field in the source. Empty for the whole item. */
  field: string
  idle?: true
  /** Explanation of the difference, or the reason why the field cannot be carried over. */
  note?: string
}

/** An object in the files of the other tool. */
export type Fields = Readonly<Record<string, unknown>>

/** An item of the source while its fields are read. */
export interface Case<Draft> {
  audit: Audit
  kind: string
  thing: string
  source: Fields
  /** Item of the new file, which the rules fill in. */
  draft: Draft
}

/**
 * Reader of one field. Make rules only with {@link flag}, {@link number}, {@link text} and the similar functions, which report a
 * value of another type instead of passing it on.
 */
export interface Rule<Draft> {
  /** Type of the values that the rule accepts. Empty lists and objects of this type are ignored. */
  readonly takes: ValueType
  read(value: unknown, it: Case<Draft>): Said
}

export type ValueType = 'flag' | 'number' | 'text' | 'duration' | 'list' | 'object' | 'anything'

/** Rules of the fields of an object, by the name of the field. */
export type Rules<Draft> = Readonly<Record<string, Rule<Draft>>>

export const UNKNOWN = 'Dogwatch does not support this field'
const HISTORY = 'history and current state are not imported'

/** Outcome for a field whose value has no effect on the new item. */
export type UnreadOutcome = Readonly<
  { list: 'carried'; idle: true } | { list: 'differently' | 'impossible'; note: string }
>

export const carried: Said = { list: 'carried' }
/** Outcome for a field that has its default value, or that this kind of item does not use. Without the field, nothing is lost. */
export const idle = { list: 'carried', idle: true } as const
export const within: Said = { list: 'within' }

export function differently(note: string) {
  return { list: 'differently', note } as const
}

export function impossible(note: string) {
  return { list: 'impossible', note } as const
}

type Answer<Value, Draft> = Said | ((value: Value, it: Case<Draft>) => Said)

/**
 * Returns a function that makes rules for one type. `parse` returns undefined for a value of another type, and `must` describes
 * the right type.
 */
function rulesOf<Value>(takes: ValueType, parse: (value: unknown) => Value | undefined, must: string) {
  return <Draft>(answer: Answer<Value, Draft>): Rule<Draft> => ({
    takes,
    read(given, it) {
      const value = parse(given)
      if (value === undefined) return impossible(must)
      return typeof answer === 'function' ? answer(value, it) : answer
    },
  })
}

export const flag = rulesOf('flag', flagOf, 'must be true or false')
export const number = rulesOf('number', numberOf, 'must be a number')
export const text = rulesOf('text', textIn, 'must be text')
/** Rule for a duration, in seconds. */
export const duration = rulesOf('duration', (value) => durationOf(textOf(value)), 'must be a duration')
export const list = rulesOf('list', listIn, 'must be a list')
export const texts = rulesOf('list', textsIn, 'must be a list of text values')
export const objects = rulesOf('list', objectsIn, 'must be a list of objects')
export const object = rulesOf('object', (value) => (isFields(value) ? value : undefined), 'must be an object')
export const objectOfTexts = rulesOf('object', textFieldsIn, 'must be an object whose values are text')

/** Makes a rule for a field that may have values of several types. `read` must report the values that it does not accept. */
export function anyValue<Draft>(read: (value: unknown, it: Case<Draft>) => Said): Rule<Draft> {
  return { takes: 'anything', read }
}

/** Makes a rule that ignores the value and always reports the same outcome, which cannot be that the field was carried over. */
export function unread(said: UnreadOutcome): Rule<unknown> {
  return { takes: 'anything', read: () => said }
}

/** Restricts a rule to the items that use its field. For other items, the field is reported as idle. */
export function onlyWhere<Draft>(isUsed: (it: Case<Draft>) => boolean, rule: Rule<Draft>): Rule<Draft> {
  return { takes: rule.takes, read: (value, it) => (isUsed(it) ? rule.read(value, it) : idle) }
}

/** Rule for a field that describes the current state instead of the configuration. */
export const history: Rule<unknown> = unread(impossible(HISTORY))

/** Rule for an internal number or name of the other tool. */
export const internal: Rule<unknown> = unread(idle)

/** Makes a rule that reports a field as impossible, unless the value is one of `usual`. */
export function lostUnless<Value>(
  rule: (answer: (value: Value) => Said) => Rule<unknown>,
  usual: readonly Value[],
  why: string,
): Rule<unknown> {
  return rule((value) => (usual.includes(value) ? idle : impossible(why)))
}

export class Audit {
  rows: Row[] = []
  /** Row that last set each field of a check, by check and by field. */
  readonly #setters = new WeakMap<object, Map<string, Row>>()
  #watched: { check: object; seen: Record<string, unknown> } | undefined
  /** Number of rows when an item was withdrawn, by item. `finish` removes the item's earlier rows. */
  readonly #withdrawn = new Map<string, number>()

  say(kind: string, thing: string, field: string, said: Said): void {
    if (said.list === 'within') return
    const row = { ...said, kind, thing, field }
    this.rows.push(row)
    this.#noteChanges(row)
  }

  /** Starts to record which row sets each field of a check, because a later rule may remove the field again. */
  watch(check: object): void {
    if (this.#watched?.check !== check) this.#watched = { check, seen: { ...check } }
  }

  #noteChanges(row: Row): void {
    if (!this.#watched) return
    const { check, seen } = this.#watched
    const setters = this.#setters.get(check) ?? new Map<string, Row>()
    this.#setters.set(check, setters)
    for (const [field, value] of Object.entries(check)) if (seen[field] !== value) setters.set(field, row)
    this.#watched.seen = { ...check }
  }

  /**
   * Reports that a field of a check was removed after it had been set. Changes the row that set the field, so that it no longer
   * claims that the field was carried over.
   */
  lose(check: object, it: { kind: string; thing: string; field: string }, said: UnreadOutcome): void {
    const row = this.#setters.get(check)?.get(it.field)
    if (!row || !('note' in said)) this.say(it.kind, it.thing, it.field, said)
    else {
      delete row.idle
      Object.assign(row, said)
    }
  }

  /** Reports that an item with all its fields cannot be imported. */
  refuse(kind: string, thing: string, field: string, why: string): void {
    this.say(kind, thing, field, impossible(why))
  }

  /**
   * Reports that an item cannot be imported after all, and marks its earlier rows for removal. Rows about impossible fields stay.
   */
  withdraw(kind: string, thing: string, why: string): void {
    this.#withdrawn.set(JSON.stringify([kind, thing]), this.rows.length)
    this.refuse(kind, thing, '', why)
  }

  /** Removes the rows that `withdraw` marked. */
  finish(): void {
    const isKept = ({ list, kind, thing }: Row, index: number) =>
      list === 'impossible' || index >= (this.#withdrawn.get(JSON.stringify([kind, thing])) ?? 0)
    if (this.#withdrawn.size > 0) this.rows = this.rows.filter(isKept)
    this.#withdrawn.clear()
  }
}

/** Reads all fields of an object by their rules. Empty fields are ignored. */
export function readFields<Draft>(it: Case<Draft>, source: Fields, rules: Rules<Draft>, path = ''): void {
  const { check } = Object(it.draft) as { check?: unknown }
  if (isFields(check)) it.audit.watch(check)
  for (const [field, value] of Object.entries(source)) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    if (isBlank(value) && (!rule || isOfType(value, rule.takes))) continue
    it.audit.say(it.kind, it.thing, path + field, rule ? rule.read(value, it) : impossible(UNKNOWN))
  }
}

/** Tests whether an empty value is valid for a type. */
function isOfType(value: unknown, takes: ValueType): boolean {
  if (typeof value !== 'object' || value === null || takes === 'anything') return true
  return takes === (Array.isArray(value) ? 'list' : 'object')
}

/** Reads a field that is an object whose fields have their own rules. */
export function inside<Draft>(field: string, rules: () => Rules<Draft>): Rule<Draft> {
  return object((value: Fields, it: Case<Draft>) => {
    readFields(it, value, rules(), `${field}.`)
    return within
  })
}

/** Labels for reports about a source before its items are known. */
export interface Whole {
  audit: Audit
  kind: string
  thing: string
}

/** Reads the objects of a list, and reports other values. */
export function objectsOf({ audit, kind, thing }: Whole, value: unknown, field: string): readonly Fields[] {
  return itemsOf({ audit, kind, thing }, value, field).flatMap((one, index): Fields[] => {
    if (isFields(one)) return [one]
    audit.say(kind, thing, `${field}[${index}]`, impossible('must be an object'))
    return []
  })
}

/** Reads the texts of a list, and reports other values. */
export function textsOf({ audit, kind, thing }: Whole, value: unknown, field: string): readonly string[] {
  return itemsOf({ audit, kind, thing }, value, field).flatMap((one, index) => {
    const read = textIn(one)
    if (read !== undefined) return read
    audit.say(kind, thing, `${field}[${index}]`, impossible('must be text'))
    return []
  })
}

function itemsOf({ audit, kind, thing }: Whole, value: unknown, field: string): readonly unknown[] {
  if (value === null || value === undefined || value === '' || Array.isArray(value)) return listOf(value)
  audit.say(kind, thing, field, impossible('must be a list'))
  return []
}

/** Reads an object, and reports other values. */
export function objectOf({ audit, kind, thing }: Whole, value: unknown, field: string): Fields {
  if (isFields(value)) return value
  if (value !== null && value !== undefined && value !== '')
    audit.say(kind, thing, field, impossible('must be an object'))
  return {}
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Returns a function that finds the rows with a value in this column. */
export function byColumn(rows: readonly Fields[], column: string): (id: unknown) => readonly Fields[] {
  const groups = new Map<unknown, Fields[]>()
  for (const row of rows) {
    const group = groups.get(row[column]) ?? []
    group.push(row)
    groups.set(row[column], group)
  }
  return (id) => groups.get(id) ?? []
}

/** Returns text, or a number as text. Returns an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Returns a number, also from a text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  on: true,
  1: true,
  false: false,
  no: false,
  n: false,
  off: false,
  0: false,
}

/** Returns true or false as YAML 1.1, JSON, databases and forms write it, or undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : entryOf(FLAGS, textOf(value).trim().toLowerCase())
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function textsIn(value: unknown): readonly string[] | undefined {
  const read = listIn(value)?.map(textIn)
  return read?.every((one) => one !== undefined) ? read : undefined
}

function objectsIn(value: unknown): readonly Fields[] | undefined {
  const read = listIn(value)
  return read?.every(isFields) ? read : undefined
}

function textFieldsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isFields(value)) return undefined
  const read = Object.entries(value).map(([name, one]) => [name, textIn(one)] as const)
  const known = read.flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const]))
  return known.length === read.length ? Object.fromEntries(known) : undefined
}

/** Returns the table's own entry for a name from a stranger. Inherited names such as `toString` have none. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
