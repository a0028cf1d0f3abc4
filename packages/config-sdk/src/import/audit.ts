// What became of every field of a configuration that is moved in: carried over, carried over differently, or not possible. A field
// for which there is no rule is in the last list, so that nothing is lost silently.

export type List = 'carried' | 'differently' | 'impossible'

/** What one rule says of one field. */
export type Said =
  /** As it is; `idle`: it is at its default, or has no effect here. */
  | { list: 'carried'; idle?: true }
  | { list: 'differently'; note: string }
  | { list: 'impossible'; note: string }
  /** Its own fields are read one by one. */
  | { list: 'within' }

export interface Row {
  list: List
  /** What the other tool calls it: monitor, endpoint, notification. */
  kind: string
  /** Its name there. */
  thing: string
  /** Its path in the source; empty: all of it. */
  field: string
  idle?: true
  /** How it differs, or why it is not possible. */
  note?: string
}

/** An object of the source. */
export type Fields = Readonly<Record<string, unknown>>

/** A thing of the source while its fields are read. */
export interface Case<Draft> {
  audit: Audit
  kind: string
  thing: string
  source: Fields
  /** What is made of it. */
  draft: Draft
}

export type Rule<Draft> = (value: unknown, it: Case<Draft>) => Said

/** By the name of the field. */
export type Rules<Draft> = Readonly<Record<string, Rule<Draft>>>

export const UNKNOWN = 'Dogwatch does not know this field'
const HISTORY = 'history and state stay behind'

export const carried: Said = { list: 'carried' }
/** It is at its default, or this kind of thing does not use it: nothing is missing without it. */
export const idle: Said = { list: 'carried', idle: true }
export const within: Said = { list: 'within' }

export function differently(note: string): Said {
  return { list: 'differently', note }
}

export function impossible(note: string): Said {
  return { list: 'impossible', note }
}

/** Of a field that says how things stand, and not how they should be. */
export const history = (): Said => impossible(HISTORY)

/** A number or a name that the other tool has for itself. */
export const internal = (): Said => idle

/** A field that only counts when it is not the default. */
export function lostUnless(usual: readonly unknown[], why: string): Rule<unknown> {
  return (value) => (usual.includes(value) ? idle : impossible(why))
}

export class Audit {
  readonly rows: Row[] = []

  say(kind: string, thing: string, field: string, said: Said): void {
    if (said.list === 'within') return
    this.rows.push({ ...said, kind, thing, field })
  }

  /** Of a thing that is not made at all, with every field of it. */
  refuse(kind: string, thing: string, field: string, why: string): void {
    this.say(kind, thing, field, impossible(why))
  }
}

/** Reads all fields of an object by their rules. Those that are empty say nothing. */
export function readFields<Draft>(it: Case<Draft>, source: Fields, rules: Rules<Draft>, path = ''): void {
  for (const [field, value] of Object.entries(source)) {
    if (isBlank(value)) continue
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    it.audit.say(it.kind, it.thing, path + field, rule ? rule(value, it) : impossible(UNKNOWN))
  }
}

/** A field that is an object itself, whose fields have rules of their own. */
export function inside<Draft>(field: string, rules: () => Rules<Draft>): Rule<Draft> {
  return (value, it) => {
    if (!isFields(value)) return impossible('it must be an object')
    readFields(it, value, rules(), `${field}.`)
    return within
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Rows by what they have in a column. */
export function byColumn(rows: readonly Fields[], column: string): (id: unknown) => readonly Fields[] {
  const groups = new Map<unknown, Fields[]>()
  for (const row of rows) {
    const group = groups.get(row[column]) ?? []
    group.push(row)
    groups.set(row[column], group)
  }
  return (id) => groups.get(id) ?? []
}

/** Text, or a number as text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A number, or a text that is one. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** As databases and forms have it: 1, '1', 'true'. */
export function yes(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

/** What a table has under a name that a stranger wrote: `toString` is in none. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
