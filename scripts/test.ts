// npm test: gates, then the tests of every package. Turbo leaves out those that it has seen pass; with CI set, nothing is left out.
// npm test -- NAMES: the tests of these names alone, of any package, without gates but for the build.
// npm test -w packages/X [-- NAMES]: the tests of one package.
import { mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildCommand, buildGate, longGates, quickGates, workspaces } from './testing/gates.ts'
import { makePlace, removePlace } from './testing/place.ts'
import { bin, type RunResult, root, run } from './testing/run.ts'
import {
  add,
  emptyTally,
  readTally,
  reportOf,
  sum,
  type Tally,
  takeJestResult,
  writeSeconds,
  writeTally,
} from './testing/tally.ts'

/** Variable that a run of all tests sets for turbo, because it has already tested the packages and stored their tallies. */
const IS_TESTED = 'DOGWATCH_TEST_IS_TESTED'

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
/** Packages whose tests take minutes, mostly waiting, or start built programs. */
const LONG = [
  'packages/agent',
  'packages/server',
  'packages/api',
  'packages/channels',
  'packages/embedded-postgres',
  'packages/store',
  'packages/alerting',
]
const SHORT = tested.filter((workspace) => !LONG.includes(workspace))
/** Number of workers for a package. Tests mostly wait: for schedules, for the disk, and for other processes. */
const WORKERS: Readonly<Record<string, number>> = { 'packages/agent': 2, 'packages/api': 2, 'packages/server': 3 }
const NAMED_WORKERS = 3
/** Number of workers of the short packages, which mostly calculate. */
const SHORT_WORKERS = 2
/** Maximum number of workers of one run. With five on two busy cores, connections to Postgres timed out. */
const WORKERS_MAX = 4
const tallyOf = (workspace: string): string => join(root, workspace, '.cache', 'tests.json')

let runs = 0

const args = process.argv.slice(2)
const tally = await runTests()
// Prints the report, unless this is a part of a run of all packages, which prints one report at its end.
if (process.env[IS_TESTED] === undefined) process.stdout.write(reportOf(tally))
process.exitCode = tally.failed > 0 ? 1 : 0

function runTests(): Promise<Tally> {
  const [flag, workspace = '', ...names] = args
  if (flag === '--package') return testPackage(workspace, names)
  return args.length > 0 ? testNames() : testAll()
}

/** Builds everything, because some tests start built programs, and then runs the named tests. */
async function testNames(): Promise<Tally> {
  return (await faultOfBuild()) ?? sum(await jest(tested, args))
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
    // Runs the short packages first, because some of their tests measure milliseconds, and beside the long ones everything is slow.
    if (gates.failed === 0 && failed === 0) add(short, await testsOf(SHORT))
    return gates
  }
  // The quick gates run beside the compiler, and the linter beside the tests, which mostly wait.
  const linted = build.then(({ failed }) => (failed > 0 ? emptyTally() : longGates()))
  for (const gates of await Promise.all([build, beside()])) add(all, gates)
  const isSound = all.failed === 0
  const long = isSound ? testsOf(LONG) : emptyTally()
  for (const part of await Promise.all([linted, long])) add(all, part)
  if (isSound) add(all, short)
  writeSeconds(root, all)
  return all
}

/** Tests some packages, but only those that turbo has not seen pass. With CI set, tests all of them. */
async function testsOf(of: readonly string[]): Promise<Tally> {
  const left = process.env.CI ? of : await listUntested(of)
  // Runs all tests in one run of jest, which keeps every worker busy until the end.
  const tallies = left.length === 0 ? [] : (await jest(left, [])).map((one, index) => withTests(one, left[index] ?? ''))
  if (process.env.CI) return sum(tallies)
  for (const [index, workspace] of left.entries()) writeTally(tallyOf(workspace), tallies[index] ?? emptyTally())
  // Stores the new tallies of packages that passed, and restores those of the others.
  await turbo(of, ['--continue', '--ui=stream', '--output-logs=none', '--log-prefix=none'])
  return sum(of.map((workspace) => readTally(tallyOf(workspace))))
}

/** Returns the tally, or a failure if jest found no test of the package. */
function withTests(tally: Tally, workspace: string): Tally {
  if (tally.files.length > 0 || tally.failed > 0) return tally
  return { ...tally, failed: 1, failures: [`${workspace}: no test was found`] }
}

async function listUntested(of: readonly string[]): Promise<string[]> {
  const { said } = await turbo(of, ['--dry=json'])
  const { tasks } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)) as TurboPlan
  const known = new Set<string>()
  for (const { task, directory, cache } of tasks)
    if (task === 'test' && cache.status === 'HIT') known.add(directory.replaceAll('\\', '/'))
  return of.filter((workspace) => !known.has(workspace))
}

interface TurboPlan {
  readonly tasks: readonly { task: string; directory: string; cache: { status: 'HIT' | 'MISS' } }[]
}

function turbo(of: readonly string[], options: readonly string[]): Promise<RunResult> {
  const which = of.map((workspace) => `--filter=./${workspace}`)
  const env = { [IS_TESTED]: 'yes', TURBO_TELEMETRY_DISABLED: '1' }
  return run([bin('turbo'), 'run', 'test', ...which, '--env-mode=loose', ...options], 'pipe', env)
}

async function testPackage(workspace: string, names: readonly string[]): Promise<Tally> {
  if (process.env[IS_TESTED] !== undefined) return readTally(tallyOf(workspace))
  const fault = await faultOfBuild()
  if (fault) return fault
  // Gives each package a name of its own for databases, because two packages may be tested at the same time on the server in this
  // variable.
  if (process.env.TEST_DATABASE_URL !== undefined) process.env.DOGWATCH_TEST_TAG ??= basename(workspace)
  return sum(await jest([workspace], names))
}

/** Runs jest over one or several packages, and returns the tally of each. */
async function jest(of: readonly string[], names: readonly string[]): Promise<Tally[]> {
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
          of.reduce((all, workspace) => all + (WORKERS[workspace] ?? 0), 0),
        ) || SHORT_WORKERS
  const workers = names.some((name) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(name))
    ? []
    : [`--maxWorkers=${count}`]
  const options = ['--json', `--outputFile=${resultFile}`, ...workers, ...(process.env.CI ? ['--ci'] : [])]
  const place = makePlace()
  const env = { NODE_COMPILE_CACHE: COMPILED, ...(place !== undefined && { TMPDIR: place }) }
  const { code } = await run([process.execPath, ...JEST, ...which, ...options, ...names], 'inherit', env)
  if (place !== undefined) removePlace(place)
  return takeJestResult(resultFile, code, root, of)
}
