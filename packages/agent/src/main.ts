// The command dogwatch-agent: runs the agent, tries one check by hand, or looks through a file of definitions.
import { Command } from 'commander'
import { Agent } from './agent.ts'
import { loadChecks } from './check-set.ts'
import { FLAGS, readConfig, variableOf } from './config.ts'
import { diffDefinitions } from './definitions-diff.ts'
import { EXIT_USAGE, Fatal, wordsOf } from './fatal.ts'
import { createLog } from './log.ts'
import { DefinitionFaults, type Definitions, parseDefinitions, readOwnerOnly } from './private-definitions.ts'
import { runCheck } from './run-check.ts'
import { runOnce } from './run-once.ts'
import { VERSION } from './version.ts'

/** Name lookups block a thread each; the four that Node has by default let eight dead names hold up all others. */
const THREADS = '64'

const program = new Command('dogwatch-agent')
  .description('Runs the checks of a Dogwatch server from this machine.')
  .version(VERSION)
  .enablePositionalOptions()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
  .action(runAgent)
for (const { name, value, help } of FLAGS) {
  program.option(value === undefined ? `--${name}` : `--${name} <${value}>`, `${help} [${variableOf(name)}]`)
}

program
  .command('run-once')
  .description('runs a check of this URL once, and shows its phases')
  .argument('<url>')
  .option('--json', 'one JSON document instead')
  .action(runOnceByHand)

const definitions = program.command('definitions').description('private definitions')
definitions
  .command('validate')
  .description('says whether the agent would take this file')
  .argument('<file>')
  .action(async (file: string) => print({ definitions: (await readDefinitions(file)).size }))
definitions
  .command('diff')
  .description('compares this file with the checks of the last sync')
  .argument('<file>')
  .requiredOption('--state-dir <DIR>', 'the agent’s state directory')
  .action(showDiff)

async function runAgent(flags: Record<string, string | true | undefined>): Promise<void> {
  const config = readConfig(byFlag(flags), process.env)
  takeThreads()
  const agent = new Agent({
    config,
    runCheck,
    log: createLog(config['log-level']),
    enrollment_token: process.env.DOGWATCH_ENROLLMENT_TOKEN?.trim(),
    trusted_dir: process.env.CREDENTIALS_DIRECTORY,
  })
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())
  process.on('SIGHUP', () => agent.reload())
  await agent.run(stopping.signal)
  process.exit(0)
}

async function runOnceByHand(url: string, { json = false }: { json?: boolean }): Promise<void> {
  process.exitCode = await runOnce(url, { json, public_targets_only: program.opts().publicTargetsOnly === true })
}

/** Node reads the size of its pool before any code of ours runs: the same process begins anew with the size set. */
function takeThreads(): void {
  const { execve, execPath, execArgv, argv, env } = process
  if (env.UV_THREADPOOL_SIZE !== undefined || typeof execve !== 'function') return
  execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, UV_THREADPOOL_SIZE: THREADS })
}

/** Commander's names are in camel case, and a switch is true. */
function byFlag(flags: Record<string, string | true | undefined>): Record<string, string | undefined> {
  const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(FLAGS.map(({ name }) => [name, flags[camel(name)]?.toString()]))
}

async function showDiff(file: string, { stateDir }: { stateDir: string }): Promise<void> {
  const read = await readDefinitions(file)
  const saved = await loadChecks(stateDir)
  if (!saved) throw new Fatal(`there is no set of checks in ${stateDir}: the agent has not synced yet`, 1)
  print({ synced_at: saved.saved_at, ...diffDefinitions(saved.checks, read) })
}

async function readDefinitions(file: string): Promise<Definitions> {
  try {
    return parseDefinitions((await readOwnerOnly(file)).text)
  } catch (error) {
    const faults = error instanceof DefinitionFaults ? error.faults : [wordsOf(error)]
    throw new Fatal([`${file} is no file of definitions:`, ...faults].join('\n  '), 1)
  }
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`dogwatch-agent: ${wordsOf(error)}\n`)
  process.exit(error instanceof Fatal ? error.exitCode : 1)
}
