// Runs the command dogwatch-agent: the agent itself, one check by hand, or the validation of a file of definitions.
import './process/supported-node.ts'
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import type { Check } from '@dogwatch/monitor-sdk'
import { Command } from 'commander'
import { AGENT_ENVIRONMENT, AGENT_FLAGS } from '../bin/node-flags.js'
import { Agent } from './agent.ts'
import { fieldsIn } from './definitions/check-fields.ts'
import { diffDefinitions } from './definitions/definitions-diff.ts'
import { faultsOf, readOwnerOnly } from './definitions/definitions-file.ts'
import { type Definitions, parseDefinitions } from './definitions/private-definitions.ts'
import { FLAGS, readConfig, variableOf } from './process/config.ts'
import { exitNow } from './process/ending.ts'
import { bugOf, EXIT_USAGE, Fatal, wordsOf } from './process/fatal.ts'
import { createLog, type Log, say } from './process/log.ts'
import { fewLookupThreads, takeNodeSettings } from './process/lookup-threads.ts'
import { heedSupervisor } from './process/supervisor.ts'
import { VERSION } from './process/version.ts'
import { runCheck } from './run/run-check.ts'
import { runOnce } from './run/run-once.ts'
import { printable } from './run/waterfall.ts'
import { loadChecks } from './sync/check-set.ts'

/** Maximum duration of an enrollment by hand, in milliseconds. */
const ENROLL_MS = 60_000

const program = new Command('dogwatch-agent')
  .description('Runs the checks of a Dogwatch server from this machine.')
  .version(VERSION)
  .enablePositionalOptions()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
  .configureOutput({ outputError: (text) => complain(text.trim().replace(/^error: /, '')) })
  .allowExcessArguments()
  .action(runAgent)
addFlags(program)
addFlags(
  program
    .command('enroll')
    .description('enroll this machine with the token on standard input, sync once, and exit')
    .action(enrollOnly),
)
program
  .command('uninstall')
  .description(
    'remove an agent that was installed with the installer (--purge also removes its identity and unsent results)',
  )
  .allowUnknownOption()
  .action(() => {
    // The command that the installer creates handles `uninstall` itself, so the agent receives it only if it was installed
    // otherwise.
    throw new Fatal('this agent was not installed by the installer, so there is nothing to uninstall', 1)
  })

program
  .command('run-once')
  .description('check this URL once and show the duration of each phase')
  .argument('<url>')
  .option('--json', 'print one JSON document instead')
  .option('--public-targets-only', 'only connect to public addresses')
  .option('--fields <FILE>', 'JSON file with more fields of the check, such as assertions (- for standard input)')
  .action(runOnceByHand)

const definitions = program.command('definitions').description('work with private definitions')
definitions
  .command('validate')
  .description('check whether the agent would accept this file')
  .argument('<file>')
  .action(async (file: string) => print({ definitions: (await readDefinitions(file)).size }))
definitions
  .command('diff')
  .description('compare this file with the checks of the last sync')
  .argument('<file>')
  .requiredOption('--state-dir <DIR>', 'the agent’s state directory')
  .action(showDiff)

function addFlags(command: Command): void {
  for (const { name, value, help } of FLAGS) {
    command.option(value === undefined ? `--${name}` : `--${name} <${value}>`, `${help} [${variableOf(name)}]`)
  }
}

async function runAgent(flags: Record<string, string | true | undefined>, { args }: Command): Promise<void> {
  if (args.length > 0) throw new Fatal(`unknown command ${args[0]}; see --help`, EXIT_USAGE)
  const config = readConfig(byFlag(flags), process.env)
  takeNodeSettings(AGENT_FLAGS, AGENT_ENVIRONMENT)
  const log = createLog(config['log-level'], config['log-format'])
  endOnBugs(log)
  const warning = fewLookupThreads(process.env)
  if (warning) say(log, 'warn', warning)
  const agent = new Agent({
    config,
    runCheck,
    log,
    enrollment_token: process.env.DOGWATCH_ENROLLMENT_TOKEN?.trim(),
    trusted_dir: process.env.CREDENTIALS_DIRECTORY,
  })
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())
  process.on('SIGHUP', () => agent.reload())
  if (config.supervised) heedSupervisor(process.stdin, { onLine: () => agent.syncNow(), onEnd: () => stopping.abort() })
  await agent.run(stopping.signal)
  exitNow(0)
}

/** Runs the agent until its first complete sync, and prints the monitor's id. Installers use this function. */
async function enrollOnly(flags: Record<string, string | true | undefined>, { args }: Command): Promise<void> {
  if (args.length > 0) throw new Fatal('enroll accepts no arguments', EXIT_USAGE)
  const config = readConfig(byFlag(flags), process.env)
  const { DOGWATCH_ENROLLMENT_TOKEN: given } = process.env
  const isTold = given !== undefined || config['enrollment-token-file'] !== undefined || process.stdin.isTTY
  const enrollment_token = isTold ? given?.trim() : (await textOf(process.stdin)).trim()
  const done = new AbortController()
  const late = setTimeout(() => done.abort(), ENROLL_MS)
  let synced: string | undefined
  const agent = new Agent({
    config: { ...config, 'metrics-port': undefined },
    runCheck,
    log: createLog(config['log-level'] === 'info' ? 'warn' : config['log-level'], config['log-format']),
    enrollment_token,
    reclaim_after_ms: 0,
    onFullSync: (monitor_id, checks) => {
      synced = `monitor ${monitor_id}; the first sync succeeded with ${checks === 1 ? '1 check' : `${checks} checks`}`
      done.abort()
    },
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => done.abort())
  await agent.run(done.signal)
  clearTimeout(late)
  if (synced === undefined) throw new Fatal(`no successful sync with ${config.server} within ${ENROLL_MS / 1000} s`, 1)
  process.stdout.write(`dogwatch-agent: enrolled as ${synced}\n`)
  exitNow(0)
}

/**
 * Logs an uncaught exception without its message, which may name a target, and exits so that the service manager restarts the
 * agent.
 */
function endOnBugs(log: Log): void {
  process.on('uncaughtException', (error: unknown) => {
    say(log, 'error', { event: 'bug', ...bugOf(error) })
    process.exit(1)
  })
}

interface RunOnceFlags {
  json?: boolean
  publicTargetsOnly?: boolean
  fields?: string
}

async function runOnceByHand(url: string, flags: RunOnceFlags): Promise<void> {
  const { json = false, publicTargetsOnly: public_targets_only = program.opts().publicTargetsOnly === true } = flags
  const rules = flags.fields === undefined ? {} : await readFields(flags.fields)
  process.exitCode = await runOnce(url, { json, public_targets_only, rules })
}

async function readFields(file: string): Promise<Partial<Check>> {
  try {
    return fieldsIn(file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8'))
  } catch (error) {
    throw new Fatal(`cannot use the fields in ${file}: ${wordsOf(error)}`, EXIT_USAGE)
  }
}

/** Returns the values by flag. Commander's names are in camel case, and the value of a switch is true. */
function byFlag(flags: Record<string, string | true | undefined>): Record<string, string | undefined> {
  const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(FLAGS.map(({ name }) => [name, flags[camel(name)]?.toString()]))
}

async function showDiff(file: string, { stateDir }: { stateDir: string }): Promise<void> {
  const read = await readDefinitions(file)
  const saved = await loadChecks(stateDir)
  if (!saved) {
    throw new Fatal(
      `cannot read any checks in ${stateDir}; make sure that this is the agent's state directory, that you can read the directory, and that the agent has synced`,
      1,
    )
  }
  print({ synced_at: saved.saved_at, ...diffDefinitions(saved.checks, read) })
}

async function readDefinitions(file: string): Promise<Definitions> {
  try {
    return parseDefinitions((await readOwnerOnly(file)).text)
  } catch (error) {
    throw new Fatal([`cannot use the definitions in ${file}:`, ...faultsOf(error)].join('\n  '), 1)
  }
}

function complain(words: string): void {
  process.stderr.write(`dogwatch-agent: ${printable(words)}\n`)
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}

try {
  await program.parseAsync()
} catch (error) {
  complain(wordsOf(error))
  exitNow(error instanceof Fatal ? error.exitCode : 1)
}
