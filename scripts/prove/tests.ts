// Proves that the tests pass every time: runs `npm test` again and again, each time in a fresh clone of HEAD. Half of the runs have the
// machine as it is, a quarter two busy loops beside them, a quarter one processor (taskset). Lists the time of each run, and each test
// that did not pass in every run. A run that fails sets the count back to nought, and a new commit does not. The ledger keeps the runs
// that ended: a proof that was cut off goes on with the next run, and runs of several machines count together if the lines of their
// ledgers are put into one file. The output of a run that failed is beside it.
// npm run prove -- tests [--runs 20] [--ledger FILE] [--only plain|busy|one]
//   --ledger: where runs are kept (.cache/test-runs.jsonl)
//   --only: makes only the runs of this condition, of those that are left
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openFolder, readFlags, runProof, type Undo, undoAll } from '../lab/proof.ts'
import { readReport } from '../lab/suites.ts'
import {
  type Condition,
  inARow,
  lineOf,
  readLedger,
  remaining,
  type TestRun,
  unstable,
  writeRun,
} from './tests/ledger.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const flags = readFlags({
  runs: { type: 'string', default: '20' },
  ledger: { type: 'string', default: join(ROOT, '.cache', 'test-runs.jsonl') },
  only: { type: 'string' },
})
const RUNS = Number(flags.runs)
const LEDGER = resolve(flags.ledger)
/** Maximum duration of one run, in milliseconds. A longer run counts as failed. */
const RUN_MS = 3 * 3_600_000
/** Words before `npm test` in the command, by condition. */
const BEFORE: Readonly<Record<Condition, string[]>> = { plain: [], busy: [], one: ['taskset', '--cpu-list', '0'] }

await runProof('tests', RUNS * RUN_MS * 2, async (undo) => {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim()
  mkdirSync(dirname(LEDGER), { recursive: true })
  const left = remaining(RUNS, inARow(readLedger(LEDGER)))
  for (const condition of left.filter((one) => flags.only === undefined || one === flags.only)) {
    const run = await runOnce(commit, condition, undo)
    writeRun(LEDGER, run)
    process.stdout.write(`${lineOf(run)}\n${run.failures.map((name) => `  failed: ${name}\n`).join('')}`)
    if (!run.passed) break
  }
  const all = readLedger(LEDGER)
  for (const run of all) process.stdout.write(`${lineOf(run)}\n`)
  const runs = inARow(all)
  const missing = remaining(RUNS, runs).length
  const failed = all.at(-1)?.passed === false ? unstable(all) : unstable(runs)
  return {
    figures: `${runs.length} runs passed in a row, of ${all.length} made`,
    faults: [...failed, missing > 0 && `${missing} of ${RUNS} runs are still to be made`],
  }
})

/** Runs all tests in a new clone. Rejects if something else ended the run, because such a run does not count. */
async function runOnce(commit: string, condition: Condition, undo: Undo): Promise<TestRun> {
  const steps: (() => unknown)[] = []
  const end = () => undoAll(steps)
  undo(end)
  const clone = join(await openFolder((step) => void steps.push(step)), 'clone')
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone])
  execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone })
  const [log, began] = [`${LEDGER}.log`, Date.now()]
  const out = openSync(log, 'w')
  steps.push(() => closeSync(out))
  const start = (...command: string[]): ChildProcess => {
    const child = startAlone(command, clone, out)
    steps.push(() => killGroup(child))
    return child
  }
  const child = start(...BEFORE[condition], 'npm', 'test')
  if (condition === 'busy') for (const _ of [1, 2]) start(process.execPath, '--eval', 'for (;;);')
  const late = setTimeout(() => killGroup(child), RUN_MS)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(late)
  const seconds = (Date.now() - began) / 1000
  const isLate = seconds * 1000 >= RUN_MS
  const { counts, failures, retried } = readReport(readFileSync(log, 'utf8'))
  await end()
  if (code !== 0) renameSync(log, `${LEDGER}-${began}.log`)
  if (signal !== null && !isLate) throw new Error(`a run was cut off by ${signal}`)
  return {
    ...{ commit, condition, began_at: new Date(began).toISOString(), seconds, processors: availableParallelism() },
    ...{ passed: code === 0, counts, retried },
    failures: isLate ? ['the run did not end'] : code === 0 || failures.length > 0 ? failures : ['npm test itself'],
  }
}

/** Starts a program in a separate process group, with an environment like that of a new shell. */
function startAlone([program = '', ...args]: readonly string[], cwd: string, out: number): ChildProcess {
  const isOurs = (name: string): boolean => /^(npm_|NODE(?!_EXTRA_CA_CERTS)|DOGWATCH_|TURBO_|JEST_|CI$)/.test(name)
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs(name)))
  return spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', out, out] })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
