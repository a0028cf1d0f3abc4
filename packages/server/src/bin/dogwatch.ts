// The `dogwatch` command: the server and everything that operators do.
import './supported-node.ts'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { addAlertLinkCommands } from './commands/alert-links.ts'
import { addApiTokenCommands } from './commands/api-token.ts'
import { addConfigurationTokenCommands } from './commands/configuration-token.ts'
import { addChannelCommands } from './commands/channel.ts'
import { addDeliveryCommands } from './commands/delivery.ts'
import { addHeartbeatCommands } from './commands/heartbeat.ts'
import { addMemberCommands } from './commands/member.ts'
import { addUserCommands } from './commands/user.ts'
import { addCheckCommands } from './commands/check.ts'
import { addEnrollmentTokenCommands } from './commands/enrollment-token.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addMonitorCommands } from './commands/monitor.ts'
import { addRetentionCommands } from './commands/retention.ts'
import { addResultsCommands } from './commands/results.ts'
import { addOrgCommands } from './commands/org.ts'
import { addServeCommand } from './commands/serve.ts'
import { addShardCommand } from './commands/shard.ts'

const REFUSED = 1
const USAGE = 2

const program = new Command('dogwatch')
  .description('Uptime monitoring: the server, and commands for its operator.')
  .showHelpAfterError(false)
  .exitOverride()
// Commands that are added after this line inherit exitOverride and the error output.
program.configureOutput({ writeErr: (text) => process.stderr.write(text) })
addServeCommand(program)
addMigrateCommand(program)
addShardCommand(program)
addOrgCommands(program)
addEnrollmentTokenCommands(program)
addMonitorCommands(program)
addCheckCommands(program)
addUserCommands(program)
addMemberCommands(program)
addHeartbeatCommands(program)
addChannelCommands(program)
addDeliveryCommands(program)
addApiTokenCommands(program)
addConfigurationTokenCommands(program)
addAlertLinkCommands(program)
addRetentionCommands(program)
addResultsCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** One line for the refusal, and its exit code. */
function report(error: unknown): number {
  // Commander has printed its own line, or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  if (error instanceof ConfigError) {
    process.stderr.write(`dogwatch: bad settings\n${error.faults.map((fault) => `  ${fault}\n`).join('')}`)
    return USAGE
  }
  process.stderr.write(`dogwatch: ${lineOf(error)}\n`)
  return REFUSED
}

function lineOf(error: unknown): string {
  // A host of several addresses that all refuse: the error itself has no message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(lineOf).join(', ')
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return text.split(/[\r\n]/)[0] ?? ''
}
