// npm test: gates, then the tests of every package. Turbo leaves out those that it has seen pass; with CI set, nothing is left out.
// npm test -- NAMES: the tests of these names alone, of any package, without gates but for the build.
// npm test -w packages/X [-- NAMES]: the tests of one package.
import { mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildCommand, buildGate, longGates, quickGates, workspaces } from './testing/gates.ts'
import { makePlace, removePlace } from './testing/place.ts'
import { bin, root, run } from './testing/run.ts'
import {
  add,
  emptyTally,
  readTally,
  reportOf,
  type Tally,
  takeJestResult,
  writeSeconds,
  writeTally,
} from './testing/tally.ts'

/** Variable that a run of all tests sets, because it has already built everything. */
const IS_BUILT = 'DOGWATCH_TEST_IS_BUILT'

/** Options that jest does not read from the configuration of a package if it runs several. */
const JEST = [
  '--disable-warning=ExperimentalWarning',
  // What a test made goes soon after it; looked for less often, it takes about a twentieth off the work of a worker.
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
  // Ends a test that would never end. It says nothing about speed: a busy machine takes its time.
  '--testTimeout=600000',
  // So does this for a worker that would never end.
  '--workerGracefulExitTimeout=60000',
  `--testSequencer=${join(root, 'scripts', 'testing', 'longest-first.cjs')}`,
]

/** Programs that tests start by the dozen find there what Node made of their modules the first time. */
const COMPILED = join(root, '.cache', 'compiled')

const tested = workspaces().filter((workspace) => workspace !== 'packages/contract')
/** Packages whose tests take minutes, mostly waiting, or start what is built. Two at the same time take no longer. */
const LONG = [
  'packages/agent',
  'packages/server',
  'packages/api',
  'packages/channels',
  'packages/embedded-postgres',
  'packages/store',
  'packages/alerting',
]
const LONG_AT_ONCE = 2
const SHORT = tested.filter((workspace) => !LONG.includes(workspace))
/** Number of workers. Tests mostly wait: for schedules, for the disk, for other processes. Two packages at once have five. */
const WORKERS: Readonly<Record<string, number>> = { 'packages/agent': 2, 'packages/api': 2, 'packages/server': 3 }
const NAMED_WORKERS = 3
/** Maximum number of workers of one run. With five on two busy cores, connections to Postgres timed out. */
const WORKERS_MAX = 4
const tallyOf = (workspace: string): string => join(root, workspace, '.cache', 'tests.json')

let runs = 0

const args = process.argv.slice(2)
const tally = await runTests()
// A run of all packages has one report, at its end.
if (process.env[IS_BUILT] === undefined) process.stdout.write(reportOf(tally))
process.exitCode = tally.failed > 0 ? 1 : 0

function runTests(): Promise<Tally> {
  const [flag, workspace = '', ...names] = args
  if (flag === '--package') return testPackage(workspace, names)
  return args.length > 0 ? testNames() : testAll()
}

/** Builds first, because some tests start programs. */
async function testNames(): Promise<Tally> {
  return (await faultOfBuild()) ?? (await jest(tested, args))
}

async function faultOfBuild(): Promise<Tally | undefined> {
  const { code, said } = await run(buildCommand(), 'pipe')
  if (code === 0) return undefined
  process.stdout.write(said)
  return { ...emptyTally(), failed: 1, failures: ['build'] }
}

async function testAll(): Promise<Tally> {
  for (const workspace of tested) rmSync(tallyOf(workspace), { force: true })
  const all = emptyTally()
  const short = emptyTally()
  const beside = async (): Promise<Tally> => {
    const gates = await quickGates()
    // The short ones before the long: beside the server's tests everything takes its time, and some of theirs count milliseconds.
    if (gates.failed === 0) add(short, await testsOf(SHORT, 1))
    return gates
  }
  const build = buildGate()
  // The quick gates and the short packages, which are tried from source, do not wait for the compiler. They keep one processor busy,
  // and so does it; after it the linter gets on. Tests wait a lot: for schedules, for the disk, for other processes.
  const linted = build.then(({ failed }) => (failed > 0 ? emptyTally() : longGates()))
  for (const gates of await Promise.all([build, beside()])) add(all, gates)
  const isSound = all.failed === 0
  const long = isSound ? testsOf(LONG, LONG_AT_ONCE) : emptyTally()
  for (const part of await Promise.all([linted, long])) add(all, part)
  if (isSound) add(all, short)
  writeSeconds(root, all)
  return all
}

/** Runs the tests of some packages, at most `atOnce` of them at the same time. */
async function testsOf(of: readonly string[], atOnce: number): Promise<Tally> {
  // Nothing is left out, so there is nothing to ask turbo; and in one run of jest, every worker is of use until the end.
  if (process.env.CI) return jest(of, [])
  const all = emptyTally()
  const code = await turboTest(of, atOnce)
  for (const workspace of of) add(all, readTally(tallyOf(workspace)))
  if (code !== 0 && all.failed === 0) add(all, { ...emptyTally(), failed: 1, failures: ['turbo: the run itself'] })
  return all
}

async function turboTest(of: readonly string[], atOnce: number): Promise<number> {
  const options = ['--continue', `--concurrency=${atOnce}`, '--env-mode=loose', '--ui=stream', '--log-prefix=none']
  const which = of.map((workspace) => `--filter=./${workspace}`)
  const env = { [IS_BUILT]: 'yes', TURBO_TELEMETRY_DISABLED: '1' }
  const { code } = await run([bin('turbo'), 'run', 'test', ...which, ...options], 'inherit', env)
  return code
}

async function testPackage(workspace: string, names: readonly string[]): Promise<Tally> {
  const fault = process.env[IS_BUILT] === undefined ? await faultOfBuild() : undefined
  if (fault) return fault
  // Two packages may be tested at the same time on the server that this variable names.
  if (process.env.TEST_DATABASE_URL !== undefined) process.env.DOGWATCH_TEST_TAG ??= basename(workspace)
  const all = await jest([workspace], names)
  writeTally(tallyOf(workspace), all)
  return all
}

/** Runs jest over one or several packages. */
async function jest(of: readonly string[], names: readonly string[]): Promise<Tally> {
  const resultFile = join(root, '.cache', `jest-${process.pid}-${runs++}.json`)
  mkdirSync(join(root, '.cache'), { recursive: true })
  const [only = '', ...others] = of.map((workspace) => `${workspace}/jest.config.js`)
  // An option has to follow: the names of projects end there.
  const which = others.length === 0 ? ['-c', only] : ['--projects', only, ...others]
  const count =
    names.length > 0
      ? NAMED_WORKERS
      : Math.min(
          WORKERS_MAX,
          of.reduce((sum, workspace) => sum + (WORKERS[workspace] ?? 0), 0),
        ) || 1
  const workers = names.some((name) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(name))
    ? []
    : [`--maxWorkers=${count}`]
  const options = ['--json', `--outputFile=${resultFile}`, ...workers, ...(process.env.CI ? ['--ci'] : [])]
  const place = makePlace()
  const env = { NODE_COMPILE_CACHE: COMPILED, ...(place !== undefined && { TMPDIR: place }) }
  const { code } = await run([process.execPath, ...JEST, ...which, ...options, ...names], 'inherit', env)
  if (place !== undefined) removePlace(place)
  return takeJestResult(resultFile, code, root)
}
