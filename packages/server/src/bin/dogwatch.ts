// Runs the `dogwatch` command: the server and all operator commands.
import './supported-node.ts'
import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { buildProgram } from './program.ts'

const REFUSED = 1
const USAGE = 2

try {
  await buildProgram().parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Prints one line for an error. Returns the exit code. */
function report(error: unknown): number {
  // Commander has already printed a line of its own, or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
  if (error instanceof ConfigError) {
    process.stderr.write(`dogwatch: invalid settings\n${error.faults.map((fault) => `  ${fault}\n`).join('')}`)
    return USAGE
  }
  process.stderr.write(`dogwatch: ${lineOf(error)}\n`)
  return REFUSED
}

function lineOf(error: unknown): string {
  // If all addresses of a host refuse the connection, the error itself has no message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(lineOf).join(', ')
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return text.split(/[\r\n]/)[0] ?? ''
}
