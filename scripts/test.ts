// npm test: the gates in order, then every test; stops at the first that fails. Arguments go to jest, which then runs alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface Gate {
  readonly what: string
  readonly commands: readonly (readonly string[])[]
}

interface Tally {
  passed: number
  failed: number
  skipped: number
}

const GATES: readonly Gate[] = [
  { what: 'generated files are current', commands: existing(join(root, 'scripts', 'verify.ts')) },
  {
    what: 'the OpenAPI documents are sound',
    commands: [
      [bin('redocly'), 'lint', 'openapi/monitor.yaml', 'openapi/account.yaml', '--config', 'openapi/redocly.yaml'],
    ],
  },
  {
    what: 'nothing released was taken away',
    commands: ['monitor', 'account'].map((name) => {
      const pair = [`openapi/released/${name}.yaml`, `openapi/${name}.yaml`]
      return [bin('redocly'), 'diff', ...pair, '--config', 'openapi/redocly.yaml', '--fail-on', 'major']
    }),
  },
  // Before lint, which asks the built SDKs for their types.
  { what: 'types', commands: typeChecks() },
  { what: 'format', commands: [[bin('biome'), 'format', '.']] },
  // Without its cache: what a type rule finds in one file follows from others.
  { what: 'lint', commands: [[bin('eslint'), '--max-warnings', '0', 'packages', 'scripts']] },
]

const jestArgs = process.argv.slice(2)
const tally: Tally = { passed: 0, failed: 0, skipped: 0 }
const gatesHold = jestArgs.length > 0 || (await runGates())
if (gatesHold) await runJest(jestArgs)
// Once more what is asked over HTTP, with Prism between the tests and the server as a second judge of every answer.
if (gatesHold && jestArgs.length === 0 && tally.failed === 0)
  await runJest(['test/(monitor|account)-api/'], { DOGWATCH_TEST_JUDGE: 'prism' })
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : ''
process.stdout.write(`Tests: ${tally.passed} passed, ${tally.failed} failed${skipped}\n`)
process.exitCode = tally.failed > 0 ? 1 : 0

function existing(script: string): string[][] {
  return existsSync(script) ? [[process.execPath, script]] : []
}

function typeChecks(): string[][] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }
  const projects = [
    'packages/server/tsconfig.test.json',
    'packages/monitor-sdk/test',
    'packages/account-sdk/test',
    'packages/agent/test',
    'scripts/tsconfig.json',
  ]
  return [[bin('tsc'), '-b', ...workspaces], ...projects.map((project) => [bin('tsc'), '--noEmit', '-p', project])]
}

async function runGates(): Promise<boolean> {
  for (const gate of GATES) {
    if (!(await holds(gate))) return false
  }
  return true
}

async function holds({ what, commands }: Gate): Promise<boolean> {
  const begun = performance.now()
  const took = () => `(${((performance.now() - begun) / 1000).toFixed(1)} s)`
  for (const command of commands) {
    const { code, said } = await run(command, 'pipe')
    if (code === 0) continue
    process.stdout.write(`${said.trim()}\nfailed: ${what} ${took()}\n`)
    tally.failed++
    return false
  }
  process.stdout.write(`ok: ${what} ${took()}\n`)
  tally.passed++
  return true
}

interface JestResult {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly numRuntimeErrorTestSuites: number
}

async function runJest(args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const resultFile = join(root, '.cache', `jest-${process.pid}.json`)
  mkdirSync(join(root, '.cache'), { recursive: true })
  const jest = [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '-c', 'packages/server/jest.config.js']
  const options = ['--json', `--outputFile=${resultFile}`, ...(process.env.CI ? ['--ci'] : []), ...args]
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const { code } = await run([process.execPath, ...flags, ...jest, ...options], 'inherit', env)
  const result = existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, 'utf8')) as JestResult) : null
  rmSync(resultFile, { force: true })
  if (result) count(result)
  // A run that broke off, or found no test, is a failure although no test failed.
  if (tally.failed === 0 && (code !== 0 || result?.success !== true)) tally.failed++
}

function count(result: JestResult): void {
  tally.passed += result.numPassedTests
  // A file that cannot be loaded has no tests to count; it is one failure.
  tally.failed += result.numFailedTests + result.numRuntimeErrorTestSuites
  tally.skipped += result.numPendingTests + result.numTodoTests
}

async function run(
  [program = '', ...args]: readonly string[],
  output: 'pipe' | 'inherit',
  env: Record<string, string> = {},
) {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    shell: process.platform === 'win32',
  })
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  // Ctrl-C reaches the child as well: its end ends us, with the count of what was done.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  const ignore = () => {}
  process.on('SIGINT', ignore).on('SIGTERM', pass)
  const code = await once(child, 'close').then(
    ([status]) => (status as number | null) ?? 1,
    (error: Error) => {
      said += error.message
      return 1
    },
  )
  process.off('SIGINT', ignore).off('SIGTERM', pass)
  return { code, said }
}
