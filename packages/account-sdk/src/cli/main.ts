// Runs the command `dogwatch-account`, which reads an account for scripts and people. Only Node runs the files in this folder.

import { readFile } from 'node:fs/promises'
import { ApiError, DogwatchError } from '#core/errors'
import { AccountClient } from '../client.ts'
import type { LogEvent } from '../core-types.ts'
import { VERSION } from '../version.ts'
import { type Access, type Command, readCommand, USAGE, UsageError } from './arguments.ts'
import { keepingCursor, readCursor } from './cursor-file.ts'
import { exportTo } from './export-file.ts'
import { formatFor, printList, printResults, printSettings } from './printing.ts'
import { Refusal } from './refusal.ts'
import { ofThisProcess, StopReason, type Surroundings, write } from './surroundings.ts'
import { onOneLine } from './tables.ts'

/** Runs the command of this process and returns its exit code. */
export async function main(): Promise<number> {
  const { around, release } = ofThisProcess()
  try {
    return await run(around)
  } finally {
    release()
  }
}

/** Runs the command in `around`. Returns 0 on success, 1 if refused or failed, 2 if called wrongly. */
export async function run(around: Surroundings): Promise<number> {
  try {
    await obey(around, readCommand(around.args, around.env))
    return 0
  } catch (error) {
    if (around.signal.reason instanceof StopReason) return around.signal.reason.code
    const failure = failureOf(error)
    around.stderr.write(`dogwatch-account: ${onOneLine(failure.line)}\n`)
    return failure.code
  }
}

async function obey(around: Surroundings, command: Command): Promise<void> {
  if (command.name === 'help') return write(around, USAGE)
  if (command.name === 'version') return write(around, `${VERSION}\n`)
  const client = await clientFor(around, command.access)
  const { signal } = around
  if (command.name === 'export') return exportTo(around, client, command.out)
  if (command.name === 'follow') return follow(around, client, command)
  const format = formatFor(around, command.format)
  if (command.name === 'settings') return printSettings(around, format, await client.settings({ signal }))
  if (command.name === 'results') {
    return printResults(around, format, client.pages(command.guid, { after: command.since, signal }))
  }
  return printList(around, format, command.name, await client[command.name]({ signal }))
}

async function follow(
  around: Surroundings,
  client: AccountClient,
  { guid, since, format, cursorFile }: Command & { name: 'follow' },
): Promise<void> {
  const cursor = cursorFile === undefined ? undefined : await readCursor(cursorFile)
  const pages = client.follow(guid, { cursor, after: since, signal: around.signal })
  const lines = format ?? (around.stdout.isTTY ? 'table' : 'ndjson')
  await printResults(around, lines, cursorFile === undefined ? pages : keepingCursor(pages, cursorFile))
}

async function clientFor(around: Surroundings, { server, token }: Access): Promise<AccountClient> {
  const text = 'text' in token ? token.text : await readTokenFile(token.file)
  const log = (event: LogEvent) => {
    if (event.type !== 'wait' || !around.stderr.isTTY) return
    around.stderr.write(`\r\u001b[Kwaiting ${Math.ceil(event.wait_ms / 1000)} s\r`)
  }
  return new AccountClient({ baseUrl: server, token: text, userAgent: `dogwatch-account/${VERSION}`, log })
}

async function readTokenFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Refusal(`cannot read the token file ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
  })
}

function failureOf(error: unknown): { code: number; line: string } {
  if (error instanceof UsageError) return { code: 2, line: error.message }
  if (error instanceof ApiError) {
    const words = error.requestId === undefined ? '' : ` (request ${error.requestId})`
    return { code: 1, line: `${error.status}: ${error.message}${words}` }
  }
  if (error instanceof Refusal || error instanceof DogwatchError) return { code: 1, line: error.message }
  // The client throws these errors for an invalid argument, such as a server that is not a URL.
  if (error instanceof TypeError || error instanceof RangeError) return { code: 2, line: error.message }
  return { code: 1, line: error instanceof Error ? error.message : String(error) }
}
