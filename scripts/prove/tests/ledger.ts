// Stores a ledger of complete test runs: one line of JSON for each run that ended, so that the ledgers of several machines can be
// joined.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** Conditions of test runs, in turn: the machine as it is, with two busy loops beside the run, or with one processor. */
const TURNS = ['plain', 'busy', 'plain', 'one'] as const
export type Condition = (typeof TURNS)[number]

export interface TestRun {
  commit: string
  condition: Condition
  began_at: string
  seconds: number
  processors: number
  passed: boolean
  /** Last line of the report of the run, with the numbers of tests. */
  counts: string
  failures: readonly string[]
  retried: readonly string[]
}

/** Reads all runs in a ledger, whatever their commit. Ignores a line that was cut off. */
export function readLedger(file: string): TestRun[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const runs = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as TestRun]
    } catch {
      return []
    }
  })
  return runs.toSorted((a, b) => (a.began_at < b.began_at ? -1 : 1))
}

/** Returns the runs since the last failed one. Twenty runs take days, so they may be of several commits. */
export function inARow(runs: readonly TestRun[]): TestRun[] {
  return runs.slice(runs.findLastIndex(({ passed }) => !passed) + 1)
}

/** Adds a run as a new line, even if the previous line was cut off. */
export function writeRun(file: string, run: TestRun): void {
  const isCutOff = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8'))
  appendFileSync(file, `${isCutOff ? '\n' : ''}${JSON.stringify(run)}\n`)
}

/** Returns the conditions of the runs that are still missing to `count`, so that all conditions have had their turns. */
export function remaining(count: number, done: readonly TestRun[]): Condition[] {
  const left = done.map(({ condition }) => condition)
  return Array.from({ length: count }, (_, n) => TURNS[n % TURNS.length] ?? 'plain').filter((condition) => {
    const at = left.indexOf(condition)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Lists the tests that did not pass at the first attempt in every run, with the conditions of those runs. */
export function unstable(runs: readonly TestRun[]): string[] {
  const seen = runs.flatMap(({ condition, failures, retried }) =>
    [...new Set([...failures, ...retried])].map((name) => ({ name, condition })),
  )
  return [...Map.groupBy(seen, ({ name }) => name)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(
      ([name, own]) => `${own.length} of ${runs.length} runs (${own.map((one) => one.condition).join(', ')}): ${name}`,
    )
}

/** Formats a test run as one line for people. */
export function lineOf({ commit, condition, began_at, seconds, processors, counts }: TestRun): string {
  const minutes = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  return `${began_at} ${commit.slice(0, 8)} ${condition.padEnd(5)} ${minutes} on ${condition === 'one' ? 1 : processors} processors: ${counts}`
}
