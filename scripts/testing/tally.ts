// Counts the passed and failed tests of several runs of jest. Lists the tests that need a look: those that failed, ran again, or
// are slow.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export interface Tally {
  passed: number
  failed: number
  skipped: number
  /** Names of tests and gates that failed. */
  failures: string[]
  /** Names of tests that ran more than once, whether they passed or failed in the end. */
  retried: string[]
  files: TestFile[]
}

interface TestFile {
  path: string
  seconds: number
}

/** Minimum duration of a file that counts as slow, in seconds. */
const SLOW_SEC = 30
/** Maximum number of slow files in the report. */
const SLOWEST = 10

export const emptyTally = (): Tally => ({ passed: 0, failed: 0, skipped: 0, failures: [], retried: [], files: [] })

export function add(tally: Tally, { passed, failed, skipped, failures, retried, files }: Tally): void {
  tally.passed += passed
  tally.failed += failed
  tally.skipped += skipped
  tally.failures.push(...failures)
  tally.retried.push(...retried)
  tally.files.push(...files)
}

export function sum(tallies: readonly Tally[]): Tally {
  const all = emptyTally()
  for (const tally of tallies) add(all, tally)
  return all
}

/** Returns the report of a complete run. Its last line has the numbers of tests. */
export function reportOf({ passed, failed, skipped, failures, retried, files }: Tally): string {
  const slow = files.filter(({ seconds }) => seconds >= SLOW_SEC).toSorted((a, b) => b.seconds - a.seconds)
  return [
    ...slow.slice(0, SLOWEST).map(({ path, seconds }) => `slow: ${seconds.toFixed(0)} s ${path}`),
    ...(retried.length > 0 ? retried.map((name) => `retried: ${name}`) : ['retried: none']),
    ...failures.map((name) => `failed: ${name}`),
    `Tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    '',
  ].join('\n')
}

export function writeTally(file: string, tally: Tally): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(tally)}\n`)
}

/** Reads the tally that the tests of a package left. If there is none, the run broke off, which counts as one failure. */
export function readTally(file: string): Tally {
  if (!existsSync(file)) return brokenOff(file)
  return JSON.parse(readFileSync(file, 'utf8')) as Tally
}

const brokenOff = (what: string): Tally => ({ ...emptyTally(), failed: 1, failures: [`${what}: the run broke off`] })

/** Minimum duration of a test file whose position in the order matters, in seconds. */
const NOTED_SEC = 3

/** Writes the durations of test files, longest first. The next run starts the longest files first (longest-first.cjs). */
export function writeSeconds(root: string, { files, failed }: Tally): void {
  // Writes nothing after a failure, because the run may have broken off before all files ran.
  if (failed > 0) return
  const noted = files.filter(({ seconds }) => seconds >= NOTED_SEC).toSorted((a, b) => b.seconds - a.seconds)
  const seconds = Object.fromEntries(noted.map(({ path, seconds: took }) => [path, Math.round(took)]))
  writeFileSync(join(root, '.cache', 'seconds.json'), `${JSON.stringify(seconds, null, 2)}\n`)
}

interface JestResult {
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly invocations?: number
    }[]
  }[]
}

/**
 * Reads the result file of jest, deletes it, and returns the tally of each package. A run that broke off, or found no test, counts
 * as a failure of all packages even if no test failed.
 */
export function takeJestResult(file: string, code: number, root: string, of: readonly string[]): Tally[] {
  if (!existsSync(file)) return of.map(brokenOff)
  const result = JSON.parse(readFileSync(file, 'utf8')) as JestResult
  rmSync(file, { force: true })
  const isFailed = code !== 0 || !result.success
  const tallies = of.map((workspace) => tallyIn(result, workspace, root))
  if (isFailed && tallies.every(({ failed }) => failed === 0))
    return tallies.map((tally, index) => ({ ...tally, failed: 1, failures: [`${of[index]}: the run itself`] }))
  return tallies
}

function tallyIn({ testResults }: JestResult, workspace: string, root: string): Tally {
  const tally = emptyTally()
  for (const { name, status, startTime, endTime, assertionResults } of testResults) {
    const path = relative(root, name).replaceAll('\\', '/')
    if (!path.startsWith(`${workspace}/`)) continue
    const named = (test: { fullName: string }) => `${path}: ${test.fullName}`
    const namesOf = (state: string) => assertionResults.filter((test) => test.status === state).map(named)
    const failed = namesOf('failed')
    tally.passed += namesOf('passed').length
    tally.skipped += namesOf('pending').length + namesOf('todo').length
    // If a file cannot be loaded, or its hooks fail, there is no failed test to name, so the file counts as one failure.
    tally.failures.push(...(status === 'failed' && failed.length === 0 ? [`${path}: the file itself`] : failed))
    tally.retried.push(...assertionResults.filter(({ invocations = 1 }) => invocations > 1).map(named))
    tally.files.push({ path, seconds: (endTime - startTime) / 1000 })
  }
  tally.failed = tally.failures.length
  return tally
}
