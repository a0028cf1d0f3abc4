// How many tests passed and failed, over several runs of jest, and which of them need a look: what failed, what was retried, what is slow.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export interface Tally {
  passed: number
  failed: number
  skipped: number
  /** Names of tests and gates that failed. */
  failures: string[]
  /** Names of tests that ran more than once, whatever came of it. */
  retried: string[]
  files: TestFile[]
}

interface TestFile {
  path: string
  seconds: number
}

/** Files that take less are not called slow. */
const SLOW_SEC = 30
/** Number of slow files that are listed. */
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

/** Returns the report of a whole run. Its last line has the counts. */
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

/** Reads the tally of a package. A run that left none broke off, which is one failure. */
export function readTally(file: string): Tally {
  if (!existsSync(file)) return brokenOff(file)
  return JSON.parse(readFileSync(file, 'utf8')) as Tally
}

const brokenOff = (what: string): Tally => ({ ...emptyTally(), failed: 1, failures: [`${what}: the run broke off`] })

/** Minimum duration of a file whose order matters, in seconds. */
const NOTED_SEC = 3

/** Writes what the files took, longest first, for the order of the next run (longest-first.cjs). */
export function writeSeconds(root: string, { files, failed }: Tally): void {
  // A run that broke off knows half of it.
  if (failed > 0) return
  const noted = files.filter(({ seconds }) => seconds >= NOTED_SEC).toSorted((a, b) => b.seconds - a.seconds)
  const seconds = Object.fromEntries(noted.map(({ path, seconds: took }) => [path, Math.round(took)]))
  writeFileSync(join(root, '.cache', 'seconds.json'), `${JSON.stringify(seconds, null, 2)}\n`)
}

interface JestResult {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
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

/** Reads and removes what jest wrote. A run that broke off, or found no test, is a failure although no test failed. */
export function takeJestResult(file: string, code: number, root: string): Tally {
  if (!existsSync(file)) return brokenOff('jest')
  const result = JSON.parse(readFileSync(file, 'utf8')) as JestResult
  rmSync(file, { force: true })
  const tally: Tally = {
    ...emptyTally(),
    passed: result.numPassedTests,
    skipped: result.numPendingTests + result.numTodoTests,
  }
  for (const { name, status, startTime, endTime, assertionResults } of result.testResults) {
    const path = relative(root, name).replaceAll('\\', '/')
    const named = (test: { fullName: string }) => `${path}: ${test.fullName}`
    const failed = assertionResults.filter((test) => test.status === 'failed').map(named)
    // A file that cannot be loaded, or whose hooks fail, has no failed test to name; it is one failure.
    tally.failures.push(...(status === 'failed' && failed.length === 0 ? [`${path}: the file itself`] : failed))
    tally.retried.push(...assertionResults.filter(({ invocations = 1 }) => invocations > 1).map(named))
    tally.files.push({ path, seconds: (endTime - startTime) / 1000 })
  }
  if (tally.failures.length === 0 && (code !== 0 || !result.success)) tally.failures.push('jest: the run itself')
  tally.failed = tally.failures.length
  return tally
}
