// The Prometheus text format (version 0.0.4), which OpenMetrics scrapers read as well. All metrics are gauges.
import { setImmediate as pause } from 'node:timers/promises'

export interface Sample {
  labels: Readonly<Record<string, string>>
  /** Undefined: there is nothing to say of it, and no line. */
  value: number | boolean | undefined
}

export interface Family<Thing> {
  name: string
  help: string
  sample: (thing: Thing) => Sample
}

/** A label is cut there: names of things are shorter, and nobody reads more. */
const MOST_CHARS = 200
/** So many lines are written between two looks at what else there is to do. */
const AT_ONCE = 2_000

/** The families of some things, each with a line for every thing that it says something of. */
export async function exposition<Thing>(families: readonly Family<Thing>[], things: readonly Thing[]): Promise<string> {
  const parts: string[] = []
  let count = 0
  for (const { name, help, sample } of families) {
    parts.push(`# HELP ${name} ${escaped(help, false)}\n# TYPE ${name} gauge\n`)
    for (const thing of things) {
      const { labels, value } = sample(thing)
      if (value !== undefined) parts.push(`${name}{${labelsOf(labels)}} ${Number(value)}\n`)
      if (++count % AT_ONCE === 0) await pause()
    }
  }
  return parts.join('')
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
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
