// Formats the table at the end of an import: what was imported, what was imported with changes, and what was not.
import type { List, Row } from './audit.ts'
import type { ImportResult } from './moving.ts'

const TITLES: Readonly<Record<List, string>> = {
  carried: 'Imported',
  differently: 'Imported with changes',
  impossible: 'Not imported',
}
const SECTIONS = [
  ['checks', 'check'],
  ['heartbeats', 'heartbeat'],
  ['channels', 'channel'],
  ['routes', 'route'],
  ['maintenance', 'maintenance window'],
] as const
const MOST_NAMES = 3
const WIDTH = 100

/** Formats the whole table as text. Rows with the same text about several items share a line. */
export function tableOf({ audit: { rows }, file, secrets }: ImportResult): string {
  const sizes = SECTIONS.map(([section, one]) => counted(Object.keys(file[section] ?? {}).length, one))
  const parts = [
    `Created ${[...sizes, counted(file.status_page ? 1 : 0, 'status page')].join(', ')}.`,
    carriedOf(rows.filter(({ list }) => list === 'carried')),
    sayingOf('differently', rows),
    sayingOf('impossible', rows),
  ]
  if (secrets.length > 0) {
    const lines = secrets.map(({ name, from }) => `  ${name}  ${plain(from)}`)
    parts.push(['Set these variables before you apply the file:', ...lines].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}

function counted(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`
}

export function countsOf(rows: readonly Row[]): Record<List, number> {
  const count = (list: List) => rows.filter((row) => row.list === list).length
  return { carried: count('carried'), differently: count('differently'), impossible: count('impossible') }
}

function carriedOf(rows: readonly Row[]): string {
  const lines = [titleOf('carried', rows)]
  for (const [kind, ofKind] of grouped(rows, ({ kind }) => kind)) {
    const counts = [
      ...grouped(
        ofKind.filter(({ idle }) => !idle),
        ({ field }) => field,
      ),
    ]
    const fields = counts.map(([field, { length }]) => `${field || 'all'} (${length})`)
    const unused = ofKind.filter(({ idle }) => idle).length
    if (unused > 0) fields.push(`and ${unused} at their defaults or without effect`)
    lines.push(...wrapped(`  ${oneLine(kind)}: ${plain(fields.join(', '))}`))
  }
  return lines.join('\n')
}

function sayingOf(list: List, all: readonly Row[]): string {
  const rows = all.filter((row) => row.list === list)
  const lines = [titleOf(list, rows)]
  for (const [, same] of grouped(rows, ({ kind, field, note }) => JSON.stringify([kind, field, note]))) {
    const [{ kind, field, note } = { kind: '', field: '', note: '' }] = same
    const things = same.map(({ thing }) => oneLine(thing))
    const rest = things.length - MOST_NAMES
    const named = things.slice(0, rest === 1 ? MOST_NAMES + 1 : MOST_NAMES).join(', ')
    const names = rest > 1 ? `${named} and ${rest} more` : named
    lines.push(
      `  ${oneLine(kind)} ${names}${field === '' ? '' : `: ${oneLine(field)}`}`,
      ...wrapped(`      ${plain(note ?? '')}`),
    )
  }
  return lines.join('\n')
}

function titleOf(list: List, rows: readonly Row[]): string {
  return `${TITLES[list]} (${rows.length})`
}

function grouped(rows: readonly Row[], by: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(by(row)) ?? []
    group.push(row)
    groups.set(by(row), group)
  }
  return groups
}

/** Wraps a text to lines of limited width. All lines except the first are indented by four more. */
function wrapped(text: string): string[] {
  const indent = ' '.repeat(text.length - text.trimStart().length)
  const lines: string[] = []
  let line = indent
  for (const word of text.trimStart().split(' ')) {
    if (line.trim() !== '' && line.length + word.length > WIDTH) {
      lines.push(line.trimEnd())
      line = `${indent}    `
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()]
}

/** Formats a name in one line without control characters, because a stranger's file must not move the cursor of a terminal. */
function oneLine(text: string): string {
  const line = plain(text)
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

function plain(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}
