// How many tests passed and failed, over several runs of jest.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

export const emptyTally = (): Tally => ({ passed: 0, failed: 0, skipped: 0 })

export function add(tally: Tally, { passed, failed, skipped }: Tally): void {
  tally.passed += passed
  tally.failed += failed
  tally.skipped += skipped
}

export function lineOf({ passed, failed, skipped }: Tally): string {
  return `Tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

export function writeTally(file: string, tally: Tally): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(tally)}\n`)
}

/** A run that left no counts broke off, which is one failure. */
export function readTally(file: string): Tally {
  if (!existsSync(file)) return { ...emptyTally(), failed: 1 }
  return JSON.parse(readFileSync(file, 'utf8')) as Tally
}

interface JestResult {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly numRuntimeErrorTestSuites: number
}

/** Reads and removes what jest wrote. A run that broke off, or found no test, is a failure although no test failed. */
export function takeJestResult(file: string, code: number): Tally {
  const result = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestResult) : undefined
  rmSync(file, { force: true })
  const tally: Tally = {
    passed: result?.numPassedTests ?? 0,
    // A file that cannot be loaded has no tests to count; it is one failure.
    failed: (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0),
    skipped: (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0),
  }
  if (tally.failed === 0 && (code !== 0 || result?.success !== true)) tally.failed = 1
  return tally
}
