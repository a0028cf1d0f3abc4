// Writes the Prometheus text format (version 0.0.4), which OpenMetrics scrapers also read. All metrics are gauges.
import { setImmediate as pause } from 'node:timers/promises'

export type Labels = Readonly<Record<string, string>>

export interface Family<Thing> {
  name: string
  help: string
  /** Returns the labels of an item's series. If several families have the same function, it is called once for each item. */
  labels: (thing: Thing) => Labels
  /** Returns the value of the metric for an item, or undefined to omit the item. */
  value: (thing: Thing) => number | boolean | undefined
}

/** Maximum length of a label in characters. Names of checks, heartbeats and monitors are shorter. */
const MOST_CHARS = 200
/** Number of lines between two pauses. */
const AT_ONCE = 2_000

/** Returns the text of some metrics, with a line for each item that has a value. */
export async function exposition<Thing>(families: readonly Family<Thing>[], things: readonly Thing[]): Promise<string> {
  const parts: string[] = []
  const known = new Map<Family<Thing>['labels'], string[]>()
  let count = 0
  for (const { name, help, labels, value } of families) {
    parts.push(`# HELP ${name} ${escaped(help, false)}\n# TYPE ${name} gauge\n`)
    const texts = known.get(labels) ?? []
    known.set(labels, texts)
    for (const [index, thing] of things.entries()) {
      const its = value(thing)
      if (its !== undefined) parts.push(`${name}{${(texts[index] ??= labelsOf(labels(thing)))}} ${Number(its)}\n`)
      if (++count % AT_ONCE === 0) await pause()
    }
  }
  return parts.join('')
}

function labelsOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value, true)}"`)
    .join(',')
}

const BACKSLASH = /\\/g
const LINE = /\n/g
const QUOTE = /"/g

function escaped(text: string, isQuoted: boolean): string {
  const cut = text.length > MOST_CHARS && isQuoted ? text.slice(0, MOST_CHARS).toWellFormed() : text
  const plain = cut.replace(BACKSLASH, '\\\\').replace(LINE, '\\n')
  return isQuoted ? plain.replace(QUOTE, '\\"') : plain
}
