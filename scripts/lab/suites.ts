// Runs tests with `npm test` in another environment, and reads its report.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const TEST = fileURLToPath(new URL('../test.js', import.meta.url))

export interface Report {
  passed: number
  failed: number
  /** Names of the tests that failed. */
  failures: string[]
  retried: string[]
  /** Last line of the report, with the numbers of tests. */
  counts: string
  /** Whole output of the run. */
  said: string
}

/** Runs `npm test` with some arguments. */
export async function runSuites(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Report> {
  const child = spawn(process.execPath, [TEST, ...args], {
    ...{ env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  })
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'))
  process.once('exit', end)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdout.pipe(process.stdout)
  child.stderr.pipe(process.stderr)
  await once(child, 'close')
  process.off('exit', end)
  return readReport(said)
}

/** Reads the report at the end of the output of `npm test`. A run without counts has failed. */
export function readReport(said: string): Report {
  const named = (mark: string) =>
    Array.from(said.matchAll(new RegExp(`^${mark}: (.+)$`, 'gm')), ([, name = '']) => name)
  const [counts = 'no counts', passed = 0, failed = 1] = /^Tests: (\d+) passed, (\d+) failed.*$/m.exec(said) ?? []
  const retried = named('retried').filter((name) => name !== 'none')
  return { passed: Number(passed), failed: Number(failed), failures: named('failed'), retried, counts, said }
}
