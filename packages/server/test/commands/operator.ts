// An operator at a terminal: the built command, on a database of this test's own.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Deps } from '@dogwatch/domain/deps'
import { enroll, type Identity } from '@dogwatch/domain/monitors/enroll'
import { createOrganisation } from '@dogwatch/domain/organisations/organisation'
import { systemClock } from '@dogwatch/runtime/clock'
import { silentLog } from '@dogwatch/runtime/log'
import { openDatabase } from '@dogwatch/store/database'
import { expect } from '@jest/globals'
import { createTestDatabase, settingsFor, wayTo } from '../../../store/test/support/database.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { shippedServer } from '../support/shipped-server.ts'
import type { Command, Outcome } from './command-server.ts'

export const PROGRAM = fileURLToPath(new URL('../../dist/bin/dogwatch.js', import.meta.url))
const COMMAND_SERVER = fileURLToPath(new URL('./command-server.ts', import.meta.url))
const TIMEOUT_MS = 120_000

export interface Given {
  /** What stands on standard input; else it is empty. */
  input?: string
  env?: Record<string, string>
  /** Runs what is built, module by module, which NODE_OPTIONS may add to. */
  isBuilt?: boolean
}

export interface Operator {
  databaseUrl: string
  deps: Deps
  /** Runs `dogwatch` with these arguments to its end: with settings of its own, in a process of its own. */
  run(args: readonly string[], given?: Given): Promise<Outcome>
  /** The one JSON document of a command that must succeed and say nothing else. */
  answer(args: readonly string[], given?: Given): Promise<unknown>
  /** The one line of a command that must be refused, without its prefix. */
  refusal(args: readonly string[], given?: Given): Promise<string>
  rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>
  /** Everything that is stored, as text: to see that something is not, or that nothing moved. */
  stored(): Promise<string>
  org(plan?: string): Promise<number>
  monitor(org_id: number | null): Promise<Identity>
  close(): Promise<void>
}

/** `template`: as test databases have it. */
export async function operator(template?: Parameters<typeof createTestDatabase>[0]): Promise<Operator> {
  if (!existsSync(PROGRAM))
    throw new Error('nothing is built: run node_modules/.bin/tsc -b packages/server/tsconfig.build.json')
  const testDatabase = await createTestDatabase(template)
  const database = openDatabase({ ...wayTo(testDatabase.url), poolSize: 2 })
  const looking = openDatabase({ url: testDatabase.url, poolSize: 2 })
  const deps: Deps = { database, clock: systemClock, random: randomBytes, log: silentLog }
  const rows: Operator['rows'] = async (sql, ...values) =>
    (await looking.pools.machines.query<Record<string, unknown>>(sql, values)).rows
  const commands = commandServer()
  const run: Operator['run'] = (args, { input = '', env } = {}) => {
    const settings = { ...(env?.DATABASE_URL === undefined && settingsFor(testDatabase.url)), ...env }
    if (env === undefined) return commands.run({ args, input, env: { ...CHILD_ENVIRONMENT, ...settings } })
    return runDogwatch(args, { input, env: settings })
  }
  return {
    databaseUrl: testDatabase.url,
    deps,
    run,
    rows,
    answer: async (args, given) => {
      const { code, out, err } = await run(args, given)
      expect({ args, code, err }).toEqual({ args, code: 0, err: '' })
      return JSON.parse(out) as unknown
    },
    refusal: async (args, given) => {
      const { code, out, err } = await run(args, given)
      expect({ args, code, out, err }).toEqual({ args, code: 1, out: '', err: expect.any(String) })
      const [, line] = /^dogwatch: ([^\r\n]+)\n$/.exec(err) ?? []
      expect({ args, err, isOneLine: line !== undefined }).toEqual({ args, err, isOneLine: true })
      return line ?? ''
    },
    stored: async () => {
      const tables = await rows("select tablename from pg_tables where schemaname = 'public' order by 1")
      const parts = tables.map(async ({ tablename }) => ({
        tablename,
        rows: await rows(`select t::text from ${String(tablename)} t order by 1`),
      }))
      return JSON.stringify(await Promise.all(parts))
    },
    org: async (plan = 'team') => {
      const owner_email = `${randomBytes(6).toString('hex')}@example.com`
      return (await createOrganisation(deps, { name: 'org', plan, owner_email })).org_id
    },
    monitor: (org_id) => enroll(deps, { org_id }, { name: 'rack 4', region: 'eu', country: 'DE', city: 'Berlin' }),
    close: async () => {
      await Promise.all([commands.close(), database.close(), looking.close()])
      await testDatabase.drop()
    },
  }
}

/** One process for many commands, one after another; it starts with the first. */
function commandServer() {
  let child: ChildProcess | undefined
  let besides = ''
  let answered: (outcome: Outcome | Error) => void = () => {}
  const start = (): ChildProcess => {
    const execArgv = ['--disable-warning=ExperimentalWarning']
    const started = fork(COMMAND_SERVER, { env: CHILD_ENVIRONMENT, execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        besides += chunk.toString()
      })
    }
    started.on('message', (outcome: Outcome) => answered(outcome))
    started.once('exit', () => answered(new Error(`a command ended the process of all: ${besides}`)))
    return started
  }
  const run = async (command: Command): Promise<Outcome> => {
    child ??= start()
    child.send(command)
    const answer = await new Promise<Outcome | Error>((resolve) => (answered = resolve))
    if (answer instanceof Error) throw answer
    return answer
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (command: Command): Promise<Outcome> => {
      const turn = last.then(() => run(command))
      last = turn.catch(() => {})
      return turn
    },
    close: async () => {
      if (child?.exitCode !== null) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
      // What a command wrote past standard output and standard error would be in no answer.
      expect(besides).toBe('')
    },
  }
}

/** Runs `dogwatch` to its end with nothing in its environment but what is given. */
export async function runDogwatch(
  args: readonly string[],
  { input = '', env = {}, isBuilt = false }: Given = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [isBuilt ? PROGRAM : await shippedServer(), ...args], {
    env: { ...CHILD_ENVIRONMENT, ...env },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  // Who does not read its input may be gone before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number | null, out, err }
}

/** What commander says to somebody who mistyped: exit 2, nothing on standard output. Returns its first line. */
export async function usageFault(of: Operator, args: readonly string[]): Promise<string> {
  const { code, out, err } = await of.run(args)
  expect({ args, code, out, says: err !== '' }).toEqual({ args, code: 2, out: '', says: true })
  return err.split('\n')[0] ?? ''
}
