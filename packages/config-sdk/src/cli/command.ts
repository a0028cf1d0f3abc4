// What a command is made with.

import type { Command } from 'commander'
import type { Surroundings } from './surroundings.ts'

export interface Made {
  around: Surroundings
  /** What to exit with, if it is not 0. */
  exitWith(code: number): void
}

/** Adds a command: `start` begins one of that name. */
export type AddCommand = (start: (name: string) => Command, made: Made) => void

/** The flags of whatever asks the server. */
export function withAccess(command: Command): Command {
  return command
    .option('--server <url>', 'base URL of the server (default: DOGWATCH_URL)')
    .option('--token-file <file>', 'file with the configuration token (default: DOGWATCH_CONFIG_TOKEN)')
}
