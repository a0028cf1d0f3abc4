// Runs suites of the server's tests in another setting, and returns what failed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const JEST = [
  ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
  ...['-c', 'packages/server/jest.config.js', '--testTimeout=600000', '--maxWorkers=2', '--silent', '--no-colors'],
  `--testSequencer=${join(ROOT, 'scripts', 'testing', 'longest-first.cjs')}`,
]

export interface Failure {
  /** `packages/server/test/http/health.test.ts` */
  file: string
  /** Full name of the test. Empty if the file itself could not run. */
  test: string
  why: string
}

export interface Verdict {
  passed: number
  failed: number
  skipped: number
  failures: Failure[]
}

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numRuntimeErrorTestSuites: number
  testResults: {
    name: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Runs tests. `file` is for jest's report. Tests that have not ended after `limit_ms` count as failed. */
export async function runSuites(
  patterns: readonly string[],
  file: string,
  env: Readonly<Record<string, string>>,
  limit_ms: number,
): Promise<Verdict> {
  await rm(file, { force: true })
  const child = spawn(process.execPath, [...JEST, '--json', `--outputFile=${file}`, ...patterns], {
    ...{ cwd: ROOT, env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  })
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
  const late = setTimeout(end, limit_ms)
  process.once('exit', end)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-10_000)
    for (const [line] of chunk.toString().matchAll(/^(PASS|FAIL) .*$/gm)) process.stdout.write(`${line}\n`)
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(late)
  process.off('exit', end)
  if (signal === 'SIGKILL') {
    const failure = { file: patterns.join(' '), test: '', why: `not done after ${limit_ms / 1000} s` }
    return { passed: 0, failed: 1, skipped: 0, failures: [failure] }
  }
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => Promise.reject(new Error(said)))) as Report
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
    failures: report.testResults.flatMap(({ name, message, assertionResults }): Failure[] => {
      const path = name.slice(ROOT.length)
      if (assertionResults.length === 0) return [{ file: path, test: '', why: oneLine(message) }]
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      return failed.map((one) => ({ file: path, test: one.fullName, why: oneLine(one.failureMessages.join(' ')) }))
    }),
  }
}

export function lineOf({ file, test, why }: Failure): string {
  return [file, test, why].filter((part) => part !== '').join(': ')
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, 400)
}
