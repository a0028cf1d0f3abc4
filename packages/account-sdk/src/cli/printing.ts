// Prints items as a table, as one JSON document, or as one line of JSON each.

import type { AccountSettings, Result } from '../generated.ts'
import type { Format, ListName } from './arguments.ts'
import { type Surroundings, write } from './surroundings.ts'
import { COLUMNS, resultRow, settingsRows, tableOf } from './tables.ts'

/** Returns the requested format. Default: a table on a terminal, otherwise JSON. */
export function formatFor(around: Surroundings, asked: Format | undefined): Format {
  return asked ?? (around.stdout.isTTY ? 'table' : 'json')
}

export async function printList(around: Surroundings, format: Format, name: ListName, items: object[]): Promise<void> {
  if (format === 'table') return write(around, tableOf(COLUMNS[name], items))
  if (format === 'json') return write(around, `${JSON.stringify(items, null, 2)}\n`)
  for (const item of items) await write(around, `${JSON.stringify(item)}\n`)
}

export async function printSettings(around: Surroundings, format: Format, settings: AccountSettings): Promise<void> {
  if (format === 'table') return write(around, tableOf(COLUMNS.settings, settingsRows(settings)))
  await write(around, `${JSON.stringify(settings, null, format === 'json' ? 2 : 0)}\n`)
}

/** Writes results page by page, as they come. */
export async function printResults(
  around: Surroundings,
  format: Format,
  pages: AsyncIterable<{ results: Result[] }>,
): Promise<void> {
  const widths: number[] = []
  let count = 0
  for await (const { results } of pages) {
    await write(around, pageText(format, results, count, widths))
    count += results.length
  }
  if (count === 0) await write(around, { table: tableOf(COLUMNS.results, []), json: '[]\n', ndjson: '' }[format])
  else if (format === 'json') await write(around, '\n]\n')
}

function pageText(format: Format, results: Result[], before: number, widths: number[]): string {
  if (format === 'table') return tableOf(COLUMNS.results, results.map(resultRow), widths, before === 0)
  const lines = results.map((result) => JSON.stringify(result))
  if (format === 'ndjson') return `${lines.join('\n')}\n`
  return (before === 0 ? '[\n  ' : ',\n  ') + lines.join(',\n  ')
}
