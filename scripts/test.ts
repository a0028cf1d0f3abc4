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

/** Variable that a run of all tests sets for its parts, because it has already built everything. */
const IS_BUILT = 'DOGWATCH_TEST_IS_BUILT'

/** Options of Node and jest that jest does not read from a package's configuration if it tests several packages at once. */
const JEST = [
  '--disable-warning=ExperimentalWarning',
  // Most memory of a test is garbage soon after the test. With larger young generations, workers spend about a twentieth less
  // time on collecting it.
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
  // Ends a test that hangs. The limit says nothing about speed, because a busy machine is slow.
  '--testTimeout=600000',
  // Ends a worker that hangs.
  '--workerGracefulExitTimeout=60000',
  `--testSequencer=${join(root, 'scripts', 'testing', 'longest-first.cjs')}`,
]

/** Cache for compiled modules, because tests start the same programs dozens of times. */
const COMPILED = join(root, '.cache', 'compiled')

const tested = workspaces().filter((workspace) => workspace !== 'packages/contract')
/**
 * Packages whose tests take minutes, mostly waiting, or start built programs. The tests of two of them at the same time take no
 * longer than those of one.
 */
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
/**
 * Number of workers for each package. Tests mostly wait: for schedules, for the disk, and for other processes. Two packages at
 * the same time have at most five workers.
 */
const WORKERS: Readonly<Record<string, number>> = { 'packages/agent': 2, 'packages/api': 2, 'packages/server': 3 }
const NAMED_WORKERS = 3
/** Maximum number of workers of one run. With five on two busy cores, connections to Postgres timed out. */
const WORKERS_MAX = 4
const tallyOf = (workspace: string): string => join(root, workspace, '.cache', 'tests.json')

let runs = 0

const args = process.argv.slice(2)
const tally = await runTests()
// Prints the report, unless this is a part of a run of all packages, which prints one report at its end.
if (process.env[IS_BUILT] === undefined) process.stdout.write(reportOf(tally))
process.exitCode = tally.failed > 0 ? 1 : 0

function runTests(): Promise<Tally> {
  const [flag, workspace = '', ...names] = args
  if (flag === '--package') return testPackage(workspace, names)
  return args.length > 0 ? testNames() : testAll()
}

/** Builds everything, because some tests start built programs, and then runs the named tests. */
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
  const build = buildGate()
  const beside = async (): Promise<Tally> => {
    const gates = await quickGates()
    // Some tests start programs that are built.
    const { failed } = await build
    // Runs the short packages first. Beside the server's tests everything is slow, and some tests of short packages measure
    // milliseconds.
    if (gates.failed === 0 && failed === 0) add(short, await testsOf(SHORT, 1))
    return gates
  }
  // The quick gates run beside the compiler, and the linter beside the tests, which mostly wait.
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
  // Runs all tests in one run of jest, which keeps every worker busy until the end. Turbo is useful only to skip tests that have
  // passed before.
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
  // Gives each package a name of its own for databases, because two packages may be tested at the same time on the server in this
  // variable.
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
  // An option must follow `--projects`, because it ends the list of projects.
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
