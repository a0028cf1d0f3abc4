// The report of `npm test`, the ledger of `npm run prove -- tests`, and what tests that run at once must not see of each other.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  inARow,
  readLedger,
  remaining,
  type TestRun,
  unstable,
  writeRun,
} from '../../../../scripts/prove/tests/ledger.ts'
import { reportOf, sum, takeJestResult } from '../../../../scripts/testing/tally.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-test-runs-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the report names what failed and what was retried, also if it passed then, and files that take long', async () => {
  const file = join(folder, 'jest.json')
  const fact = (fullName: string, status: string, invocations = 1) => ({ fullName, status, invocations })
  const testFile = (name: string, seconds: number, assertionResults: unknown[], status = 'passed') => {
    return { name: join(folder, 'packages/one', name), status, startTime: 0, endTime: seconds * 1000, assertionResults }
  }
  const testResults = [
    testFile('quick.test.ts', 1, [fact('holds', 'passed'), fact('holds at last', 'passed', 2)]),
    testFile('slow.test.ts', 31, [fact('does not hold', 'failed')], 'failed'),
    testFile('long.test.ts', 99, [fact('holds', 'passed')]),
    testFile('broken.test.ts', 1, [], 'failed'),
  ]
  const other = { ...testFile('', 1, [fact('holds', 'passed')]), name: join(folder, 'packages/one-more/a.test.ts') }
  await writeFile(file, JSON.stringify({ success: false, testResults: [...testResults, other] }))
  const tallies = takeJestResult(file, 1, folder, ['packages/one', 'packages/one-more'])
  expect(reportOf(sum(tallies)).split('\n')).toEqual([
    'slow: 99 s packages/one/long.test.ts',
    'slow: 31 s packages/one/slow.test.ts',
    'retried: packages/one/quick.test.ts: holds at last',
    'failed: packages/one/slow.test.ts: does not hold',
    'failed: packages/one/broken.test.ts: the file itself',
    'Tests: 4 passed, 2 failed',
    '',
  ])
  expect(tallies.map(({ passed, failed }) => [passed, failed])).toEqual([
    [3, 2],
    [1, 0],
  ])
})

test('a run of jest that left no result, or failed without a failing test, is a failure of each package', async () => {
  const file = join(folder, 'jest.json')
  const of = ['packages/one', 'packages/two']
  const failures = () => takeJestResult(file, 1, folder, of).map(({ failed }) => failed)
  expect(failures()).toEqual([1, 1])
  await writeFile(file, JSON.stringify({ success: true, testResults: [] }))
  expect(failures()).toEqual([1, 1])
})

let made = 0
const run = (condition: TestRun['condition'], failures: string[] = [], retried: string[] = []): TestRun => {
  const began_at = new Date(Date.UTC(2026, 10, 20) + ++made * 1000).toISOString()
  const at = { commit: `c${made}`, began_at, seconds: 1, processors: 2 }
  return { ...at, condition, passed: failures.length === 0, counts: 'Tests: 1 passed', failures, retried }
}

test('a proof goes on with the runs that its ledger lacks, and a line that was cut off is no run', () => {
  const file = join(folder, 'ledger.jsonl')
  expect(remaining(5, readLedger(file))).toEqual(['plain', 'busy', 'plain', 'one', 'plain'])
  writeRun(file, run('busy'))
  appendFileSync(file, JSON.stringify(run('one')).slice(0, -2))
  writeRun(file, run('plain'))
  expect(remaining(5, readLedger(file))).toEqual(['plain', 'one', 'plain'])
})

test('runs of several commits count together, and a run that failed sets the count back', () => {
  const [first, second, failed, third] = [run('plain'), run('busy'), run('one', ['a']), run('plain')]
  expect(inARow([first, second])).toEqual([first, second])
  expect(inARow([first, second, failed])).toEqual([])
  expect(inARow([first, second, failed, third])).toEqual([third])
})

test('a test that failed or was retried in any run is listed with how often and when', () => {
  const runs = [run('plain'), run('busy', ['a']), run('one', ['a'], ['b'])]
  expect(unstable(runs)).toEqual(['2 of 3 runs (busy, one): a', '1 of 3 runs (one): b'])
})

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
/** Files that look at a server of their own. */
const ALONE = /(^|\/)(standby|export-broken)(\.test)?\.ts$/

test('a test looks at the sessions and locks of its own database, since all databases are on one server', () => {
  const tests = readdirSync(PACKAGES)
    .flatMap((name) =>
      readdirSync(join(PACKAGES, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
    )
    .filter((path) => /^[\w-]+\/(test|src)\/.*\.ts$/.test(path) && !path.includes('node_modules') && !ALONE.test(path))
  const statements = tests.flatMap((path) =>
    Array.from(
      readFileSync(join(PACKAGES, path), 'utf8').matchAll(
        /(["'`])\s*select\s(?:(?!\1).)*\bpg_(?:locks|stat_activity)\b(?:(?!\1).)*\1/gs,
      ),
      ([statement]) => ({ path, statement }),
    ),
  )
  expect(statements.length).toBeGreaterThan(10)
  expect(
    statements.filter(
      ({ statement }) => !/current_database\(\)|datname|\bpid = (?:\$1|any\(\$1\)|pg_backend_pid\(\))/.test(statement),
    ),
  ).toEqual([])
})
