// What every command has in common: settings, exit codes, and what goes to which stream.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildProgram } from '../../src/bin/program.ts'
import { type Operator, operator, runDogwatch, usageFault } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

const NOWHERE = 'postgres://u:hunter2@127.0.0.1:1/none'

test('a flag wins over the environment', async () => {
  const { code, out, err } = await runDogwatch(['org', 'list', '--database-url', o.databaseUrl], {
    env: { DATABASE_URL: NOWHERE },
  })
  expect({ code, out, err }).toEqual({ code: 0, out: '[]\n', err: '' })
})

test('bad settings are told all at once, with a code that is not 0, before anything starts', async () => {
  const { code, out, err } = await o.run(['serve', '--log-level', 'loud'], {
    env: { PORT: '99999', DATABASE_URL: 'mysql://x:hunter2@y/z', TRUST_PROXY: 'everybody', LOG_LEVEL: 'info' },
  })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toBe(
    `dogwatch: invalid settings
  PORT must be a port number from 0 to 65535
  DATABASE_URL must be a URL that starts with postgres:// or postgresql://
  TRUST_PROXY must be a comma-separated list of addresses or ranges, for example 10.0.0.0/8
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent
`,
  )
})

test('every setting of the server is described, and nothing else is', async () => {
  const { out } = await runDogwatch(['serve', '--help'])
  const told = [...out.matchAll(/overrides\s+([A-Z_]+)/g)].map(([, name]) => name)
  const page = await readFile(new URL('../../docs/reference/settings.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| `/.test(line))
  const described = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  )
  expect(told).toContain('PORT')
  expect(described.sort()).toEqual(told.sort())
})

test('every command is described, and nothing else is', async () => {
  const wanted = buildProgram().commands.flatMap((command) =>
    command.commands.length > 0 ? command.commands.map((verb) => `${command.name()} ${verb.name()}`) : [command.name()],
  )
  const page = await readFile(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8')
  const described = [...page.matchAll(/^\| `([a-z-]+(?: [a-z-]+)?)/gm)].map(([, name]) => name)
  expect(wanted).toContain('org create')
  expect(described.sort()).toEqual(wanted.sort())
})

describe('a database that cannot be reached is a refusal that says so, without its password', () => {
  test.each([NOWHERE, 'postgres://u:hunter2@db.invalid:1/none'])('%s', async (DATABASE_URL) => {
    const line = await o.refusal(['org', 'list'], { env: { DATABASE_URL } })
    expect(line).toContain(new URL(DATABASE_URL).hostname)
    expect(line).not.toContain('hunter2')
  })

  test('by a name of several addresses', async () => {
    const addresses = "[{ address: '127.0.0.1', family: 4 }, { address: '127.0.0.2', family: 4 }]"
    const program = `import dns from 'node:dns'; dns.lookup = (name, options, answer) => answer(null, ${addresses})`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(program)}`
    const env = { DATABASE_URL: 'postgres://u:hunter2@localhost:1/none', NODE_OPTIONS }
    expect(await o.refusal(['org', 'list'], { env })).toBe(
      'connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1',
    )
  })

  test('migrate too', async () => {
    expect(await o.refusal(['migrate'], { env: { DATABASE_URL: NOWHERE } })).toMatch(/127\.0\.0\.1:1\b/)
  })
})

describe('a usage fault is exit 2, and nothing on standard output', () => {
  const cases: Record<string, [args: string[], line: RegExp]> = {
    'no command': [[], /^Usage: dogwatch /],
    'half a command': [['org'], /^Usage: dogwatch org /],
    'an unknown command': [['organisation'], /^error: unknown command 'organisation'/],
    'an unknown verb': [['org', 'destroy'], /^error: unknown command 'destroy'/],
    'an unknown flag': [['org', 'list', '--all'], /^error: unknown option '--all'/],
    'a flag left out': [['org', 'set-plan', '--org', '1'], /^error: required option '--plan <plan>' not specified/],
    'a flag without its value': [['check', 'export', '--org'], /^error: option '--org <id>' argument missing/],
    'an argument too many': [['org', 'list', 'please'], /^error: too many arguments/],
    'what is no id': [['check', 'export', '--org', '1e3'], /It must be a numeric id\.$/],
    'an id beyond all ids': [['check', 'export', '--org', '9007199254740993'], /It must be a numeric id\.$/],
    'a role that is none': [['serve', '--role', 'king'], /Allowed choices are all, web, worker\.$/],
  }
  test.each(Object.entries(cases))('%s', async (_, [args, line]) => {
    expect(await usageFault(o, args)).toMatch(line)
  })
})

test('help that was asked for is no fault', async () => {
  const { code, out, err } = await o.run(['check', 'import', '--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('--monitors')
})
