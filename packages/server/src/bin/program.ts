// Builds the command line: the server and all operator commands.
import { addAlertLinkCommands } from './commands/alert-links.ts'
import { addApiTokenCommands } from './commands/api-token.ts'
import { addChannelCommands } from './commands/channel.ts'
import { addCheckCommands } from './commands/check.ts'
import { addConfigurationTokenCommands } from './commands/configuration-token.ts'
import { addDeliveryCommands } from './commands/delivery.ts'
import { addEnrollmentTokenCommands } from './commands/enrollment-token.ts'
import { addHeartbeatCommands } from './commands/heartbeat.ts'
import { addMemberCommands } from './commands/member.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addMonitorCommands } from './commands/monitor.ts'
import { addOrgCommands } from './commands/org.ts'
import { addRetentionCommands } from './commands/retention.ts'
import { addServeCommand } from './commands/serve.ts'
import { addShardCommand } from './commands/shard.ts'
import { addUserCommands } from './commands/user.ts'
import { OperatorCommand } from './setup.ts'

/** Returns the program with all its commands, which throws instead of exiting. */
export function buildProgram(): OperatorCommand {
  const program = new OperatorCommand('dogwatch')
    .description('Dogwatch uptime monitoring: the server and its operator commands.')
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
  return program
}
