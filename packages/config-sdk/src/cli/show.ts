// Shows a plan to people: created, changed and deleted items, field by field.

import { styleText } from 'node:util'
import { KIND_OF } from '../file/changes.ts'
import { SECTIONS } from '../file/read.ts'
import { goesWithoutSaying } from '../file/write.ts'
import type { Schemas } from '../index.ts'

type ItemChange = Schemas['BulkAnswer']['changes'][number]

type Style = Parameters<typeof styleText>[0]

/** Colours a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/** Returns a function that colours text if the environment allows it: https://no-color.org. */
export function painter(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): Paint {
  const wanted = env.NO_COLOR ? false : env.FORCE_COLOR ? env.FORCE_COLOR !== '0' : isTTY && env.TERM !== 'dumb'
  return (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text)
}

const SIGNS = { created: ['+', 'green'], replaced: ['~', 'yellow'], deleted: ['-', 'red'] } as const

/** Formats the changes of a plan as lines: one for each item, and one for each of its fields. */
export function planText(changes: readonly ItemChange[], paint: Paint): string {
  return changes
    .flatMap((changed) => {
      if (changed.action === 'unchanged') return []
      const [sign, colour] = SIGNS[changed.action]
      const head = paint(colour, `${sign} ${changed.kind} ${changed.key ?? changed.id}`)
      const fields = told(changed)
        .filter(({ compared }) => compared !== false)
        .map((field) => fieldText(field, paint))
      const warnings = (changed.warnings ?? []).map((warning) => `    ${paint('yellow', `warning: ${warning}`)}`)
      return [head, ...fields, ...warnings]
    })
    .map((line) => `${line}\n`)
    .join('')
}

const NOT_COMPARED: Readonly<Record<string, string>> = {
  channel: 'The secrets of these channels were not compared, because the token cannot write channels',
  check: 'The secrets of these checks were not compared, because the token cannot read them',
}

/** Names the items whose secrets were not compared. Returns an empty text if there are none. */
export function uncomparedText(changes: readonly ItemChange[]): string {
  const its = changes.filter(({ fields }) => fields.some(({ compared }) => compared === false))
  const lines = Object.entries(NOT_COMPARED).flatMap(([kind, line]) => {
    const names = its.filter((one) => one.kind === kind).map(({ key, id }) => key ?? id)
    return names.length === 0 ? [] : [`${line}: ${names.join(', ')}\n`]
  })
  return `${lines.join('')}${neededText(its)}`
}

/** Names the secrets that the file omits, and that the server may require for a new destination when the file is applied. */
function neededText(changes: readonly ItemChange[]): string {
  const names = changes.flatMap(({ key, id, fields }) => {
    const its = fields.filter(({ may_be_needed }) => may_be_needed).map(({ field }) => field)
    return its.length === 0 ? [] : [`${key ?? id} (${its.join(', ')})`]
  })
  if (names.length === 0) return ''
  return `If a channel gets a new destination, applying the file may require its secrets: ${names.join(', ')}\n`
}

/** Returns the fields of a change to show. For a new item, omits fields that have their default value. */
function told({ action, kind, key = '', fields }: ItemChange): ItemChange['fields'] {
  if (action === 'deleted') return []
  const section = SECTIONS.find((one) => KIND_OF[one] === kind)
  if (action !== 'created' || !section) return fields
  return fields.filter(({ field: name, after: value }) => !goesWithoutSaying(section, key, { name, value }))
}

function fieldText({ field, before, after }: ItemChange['fields'][number], paint: Paint): string {
  const name = `    ${field}: `
  if (before === undefined) return `${name}${paint('green', valueText(after))}`
  if (after === undefined) return `${name}${paint('red', valueText(before))} removed`
  return `${name}${paint('red', valueText(before))} → ${paint('green', valueText(after))}`
}

const LONGEST = 200

function valueText(value: unknown): string {
  const text = typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** Formats the numbers of changes as the last line. Does not claim that items match the file if some fields were not compared. */
export function countsText(
  { changes, counts: { created, replaced, deleted, unchanged } }: Pick<Schemas['BulkAnswer'], 'changes' | 'counts'>,
  isDone: boolean,
): string {
  const words = isDone
    ? (['created', 'changed', 'deleted'] as const)
    : (['to create', 'to change', 'to delete'] as const)
  if (created + replaced + deleted === 0) {
    if (changes.some(({ fields }) => fields.some(({ compared }) => compared === false)))
      return `No changes in the compared fields of ${unchanged === 1 ? '1 item' : `${unchanged} items`}.`
    return `No changes: ${unchanged === 1 ? '1 item matches' : `${unchanged} items match`} the file.`
  }
  return `${created} ${words[0]}, ${replaced} ${words[1]}, ${deleted} ${words[2]}, ${unchanged} unchanged.`
}
