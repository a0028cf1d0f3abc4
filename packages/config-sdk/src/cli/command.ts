// Declares how commands are added to the program.

import type { Command } from 'commander'
import type { Surroundings } from './surroundings.ts'

export interface CommandContext {
  around: Surroundings
  /** Sets the exit code of the program, which is otherwise 0. */
  exitWith(code: number): void
}

/** Adds one command to the program. `start` creates the command with a given name. */
export type AddCommand = (start: (name: string) => Command, made: CommandContext) => void

/** Adds the flags of a command that sends requests to the server. */
export function withAccess(command: Command): Command {
  return command
    .option('--server <url>', 'base URL of the server (default: DOGWATCH_URL)')
    .option('--token-file <file>', 'file with the configuration token (default: DOGWATCH_CONFIG_TOKEN)')
}
