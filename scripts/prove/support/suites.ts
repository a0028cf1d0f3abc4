// Runs suites of the server's tests in another setting, and says what failed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface Failure {
  /** `packages/server/test/http/health.test.ts` */
  file: string
  /** The full name of the test; empty when the file itself could not run. */
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

/**
 * `patterns`: as jest takes them; none for all tests of the server. `file`: for jest's report. `limit_ms`: when tests that have not ended
 * are ended, and count as failed.
 */
export async function runSuites(
  patterns: readonly string[],
  file: string,
  env: Readonly<Record<string, string>>,
  limit_ms?: number,
): Promise<Verdict> {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
  const args = [
    ...jest,
    '-c',
    'packages/server/jest.config.js',
    '--testTimeout=180000',
    // They wait a lot.
    '--maxWorkers=2',
    `--testSequencer=${join(ROOT, 'scripts', 'testing', 'longest-first.cjs')}`,
    '--silent',
    '--no-colors',
    '--json',
    `--outputFile=${file}`,
    ...patterns,
  ]
  await rm(file, { force: true })
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    // What tests have started goes with them.
    detached: limit_ms !== undefined,
  })
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
  const late = limit_ms === undefined ? undefined : setTimeout(end, limit_ms)
  if (late) process.once('exit', end)
  const begun = performance.now()
  let said = ''
  const ended: string[] = []
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-10_000)
    // It takes minutes, so each file that passed is reported at once.
    for (const [line] of chunk.toString().matchAll(/^(PASS|FAIL) .*$/gm)) {
      ended.push(line)
      process.stdout.write(`${line}\n`)
    }
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(late)
  process.off('exit', end)
  if (signal === 'SIGKILL') {
    const why = `not done after ${Math.round((performance.now() - begun) / 1000)} s; ended: ${ended.join(', ')}`
    return { passed: 0, failed: 1, skipped: 0, failures: [{ file: patterns.join(' '), test: '', why }] }
  }
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => Promise.reject(new Error(said)))) as Report
  const failures = report.testResults.flatMap(({ name, message, assertionResults }): Failure[] => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    const path = name.slice(ROOT.length)
    if (assertionResults.length === 0) return [{ file: path, test: '', why: oneLine(message) }]
    return failed.map((one) => ({ file: path, test: one.fullName, why: oneLine(one.failureMessages.join(' ')) }))
  })
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
    failures,
  }
}

export function lineOf({ file, test, why }: Failure): string {
  return [file, test, why].filter((part) => part !== '').join(': ')
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').slice(0, 400)
}
