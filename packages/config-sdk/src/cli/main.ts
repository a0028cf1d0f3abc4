// Runs the command `dogwatch-config`, which plans and applies a configuration file. Only Node runs the files in this folder.

import { Command, CommanderError } from 'commander'
import { FaultyFile } from '../file/place.ts'
import { ApiError, DogwatchError } from '../index.ts'
import { VERSION } from '../version.ts'
import { COMMANDS } from './commands.ts'
import { Refusal } from './refusal.ts'
import { ofThisProcess, StopReason, type Surroundings } from './surroundings.ts'

/** Runs the command of this process and returns its exit code. */
export async function main(): Promise<number> {
  const { around, release } = ofThisProcess()
  try {
    return await run(around)
  } finally {
    release()
  }
}

/** Runs the command in `around`. Returns 0 on success, 2 if a plan has differences, 1 for anything else. */
export async function run(around: Surroundings): Promise<number> {
  let code = 0
  try {
    refuseTokens(around.args)
    await programOf(around, (one) => (code = one)).parseAsync([...around.args], { from: 'user' })
    return code
  } catch (error) {
    if (around.signal.reason instanceof StopReason) return around.signal.reason.code
    // Commander has already printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
    around.stderr.write(wordsOf(error))
    return 1
  }
}

function programOf(around: Surroundings, exitWith: (code: number) => void): Command {
  const program = new Command('dogwatch-config')
    .description('Plan and apply a Dogwatch configuration file.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void around.stdout.write(text),
      writeErr: (text) => void around.stderr.write(text.replace(/^error: /, 'dogwatch-config: ')),
    })
  for (const add of COMMANDS) {
    // Creates each command by the program, because Commander copies the program's settings only to such commands.
    add((name) => program.command(name), { around, exitWith })
  }
  program.addHelpText('after', HELP)
  return program
}

const HELP = `
The server is set by DOGWATCH_URL or --server URL, and the token by DOGWATCH_CONFIG_TOKEN or --token-file FILE.
Exit codes: 0 success, 1 error, 2 the plan has differences.`

function refuseTokens(args: readonly string[]): void {
  if (args.some((arg) => arg.includes('dogwatch_cfg_'))) {
    throw new Refusal(
      'a token in the arguments is visible to other users of this machine; set DOGWATCH_CONFIG_TOKEN or use --token-file',
    )
  }
}

function wordsOf(error: unknown): string {
  // Prints one line for each fault, as compilers do.
  if (error instanceof FaultyFile) return `${error.message}\n`
  return `dogwatch-config: ${lineOf(error)}\n`
}

function lineOf(error: unknown): string {
  if (error instanceof ApiError) {
    const request = error.requestId === undefined ? '' : ` (request ${error.requestId})`
    return `${error.status}: ${error.message}${request}`
  }
  if (error instanceof Refusal || error instanceof DogwatchError) return error.message
  return error instanceof Error ? error.message : String(error)
}
