// Checks documents by the rules for Markdown. markdownlint checks the well-known rules, and this file those for tables.
import type { Configuration } from 'markdownlint'
import { lint } from 'markdownlint/promise'
import type { Breach } from './messages.ts'

const LINE_MAX = 100
const CELL_MAX = 120

const CONFIGURATION: Configuration = {
  default: true,
  MD013: { line_length: LINE_MAX, code_blocks: false, tables: false },
  // Permits repeated headings under different parents, because a changelog repeats its headings under each version.
  MD024: { siblings_only: true },
  // Permits these HTML elements. Placeholders such as <token> must be in code spans.
  MD033: { allowed_elements: ['br', 'details', 'summary', 'img', 'picture', 'source', 'p', 'kbd'] },
  // Permits an image or a badge before the first heading.
  MD041: false,
  // Permits tabs in code blocks, because Go code is indented with tabs.
  MD010: { code_blocks: false },
  MD046: { style: 'fenced' },
  // Permits tables without aligned columns, because aligned tables change as a whole when one cell does.
  MD060: false,
}

/** Returns each breach in some documents, given by their paths. */
export async function documentBreaches(documents: Readonly<Record<string, string>>): Promise<Breach[]> {
  const results = await lint({ strings: { ...documents }, config: CONFIGURATION })
  const known = Object.entries(results).flatMap(([file, errors]) =>
    errors.map(({ lineNumber, ruleNames, errorDetail, ruleDescription }) => ({
      file,
      line: lineNumber,
      rule: ruleNames[0] ?? '',
      text: errorDetail ?? ruleDescription,
      instead: ruleDescription,
    })),
  )
  return [...known, ...Object.entries(documents).flatMap(([file, text]) => tableBreaches(file, text))]
}

/** Finds columns without a heading and cells that are too long. */
function tableBreaches(file: string, text: string): Breach[] {
  const lines = text.split('\n')
  let isCode = false
  return lines.flatMap((row, index) => {
    if (/^\s*```/.test(row)) isCode = !isCode
    if (isCode || !/^\s*\|.*\|\s*$/.test(row)) return []
    const cells = row
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    const breach = { file, line: index + 1 }
    const isHeading = /^\s*\|[\s:|-]+\|\s*$/.test(lines[index + 1] ?? '')
    return [
      ...(isHeading && cells.includes('')
        ? [{ ...breach, rule: 'T1', text: row, instead: 'give each column a heading' }]
        : []),
      ...cells
        .filter((cell) => visible(cell).length > CELL_MAX)
        .map((cell) => ({ ...breach, rule: 'T2', text: cell, instead: `at most ${CELL_MAX} characters in a cell` })),
    ]
  })
}

/** Returns the text of a cell as a page shows it, without the addresses of its links. */
function visible(cell: string): string {
  return cell.replace(/\]\([^)]*\)/g, ']')
}
