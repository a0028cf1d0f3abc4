// Runs the checks of the sources that are not tests, such as format, types and spelling. Each is a gate.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, root, run } from './run.ts'
import { emptyTally, type Tally } from './tally.ts'

interface Gate {
  readonly what: string
  readonly commands: readonly (readonly string[])[]
  readonly env?: Record<string, string>
}

/** Path of cspell. The present Node runs it, because it needs a newer Node than npm may run on. */
const CSPELL = join(root, 'node_modules', 'cspell', 'bin.mjs')
/** Options of cspell that make it skip files without a mistake whose content and dictionaries have not changed. */
const ONLY_CHANGED = ['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/cspell']
const REDOCLY = ['--config', 'openapi/redocly.yaml']
/** Quick gates, which run first. */
const FIRST: readonly Gate[] = [
  { what: 'generated files are current', commands: existing(join(root, 'scripts', 'verify.ts')) },
  {
    what: 'the OpenAPI documents are sound',
    commands: [
      [bin('redocly'), 'lint', 'openapi/monitor.yaml', 'openapi/account.yaml', 'openapi/config.yaml', ...REDOCLY],
    ],
  },
  {
    what: 'nothing released was taken away',
    commands: ['monitor', 'account', 'config'].map((name) => {
      const pair = [`openapi/released/${name}.yaml`, `openapi/${name}.yaml`]
      return [bin('redocly'), 'diff', ...pair, ...REDOCLY, '--fail-on', 'major']
    }),
  },
  { what: 'format', commands: [[bin('biome'), 'format', '.']] },
]
/** Compiles all packages, because some tests start their programs. */
const BUILD: Gate = { what: 'build', commands: [buildCommand()] }

/** Slow gates, which run beside the tests. */
const LONG: readonly Gate[] = [
  { what: 'messages and documents follow the writing rules', commands: existing(join(root, 'scripts', 'prose.ts')) },
  {
    what: 'spelling',
    commands: [[process.execPath, CSPELL, 'lint', '--no-progress', '--no-summary', ...ONLY_CHANGED]],
  },
  // Lets the heap of the linter grow to five times the memory in use, up to a limit, which saves a quarter of its work.
  {
    what: 'types and lint',
    commands: [[bin('oxlint'), '--format', 'unix']],
    env: { GOGC: '400', GOMEMLIMIT: '3GiB' },
  },
]

export const quickGates = (): Promise<Tally> => holdAll(FIRST)

export const buildGate = (): Promise<Tally> => holdAll([BUILD])

export const longGates = (): Promise<Tally> => holdAll(LONG)

/** Returns the command that compiles all packages. If they are up to date, the command takes a second or two. */
export function buildCommand(): string[] {
  return [bin('tsc'), '-b', ...workspaces().map((workspace) => `${workspace}/tsconfig.build.json`)]
}

export function workspaces(): string[] {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }).workspaces
}

function existing(script: string): string[][] {
  return existsSync(script) ? [[process.execPath, script]] : []
}

/** Runs gates one after the other, until one fails. */
async function holdAll(gates: readonly Gate[]): Promise<Tally> {
  const tally = emptyTally()
  for (const gate of gates) {
    if (await holds(gate)) tally.passed++
    else {
      tally.failed++
      tally.failures.push(gate.what)
      break
    }
  }
  return tally
}

async function holds({ what, commands, env }: Gate): Promise<boolean> {
  const begun = performance.now()
  const took = () => `(${((performance.now() - begun) / 1000).toFixed(1)} s)`
  for (const command of commands) {
    const { code, said } = await run(command, 'pipe', env)
    if (code === 0) continue
    process.stdout.write(`${said.trim()}\nfailed: ${what} ${took()}\n`)
    return false
  }
  process.stdout.write(`ok: ${what} ${took()}\n`)
  return true
}
