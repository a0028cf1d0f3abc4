// Numbers and choices of commands, with infinities, extremes and names of the prototype: one line that names the option, and no change.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PROTOTYPE_NAMES } from '../../../api/test/support/hostile-values.ts'
import { type Operator, operator } from './operator.ts'

let o: Operator
let org: string
beforeAll(async () => {
  o = await operator()
  org = String(await o.org())
})
afterAll(() => o.close())

const NUMBERS = ['1e400', '-1', '-0', '1.5', '0x10', 'NaN', '', '9007199254740993', '9'.repeat(400), 'constructor']
/** Where whole numbers are expected, for which no id is unknown. */
const LARGE = ['2147483648', '9'.repeat(40)]

interface Tried {
  args: (value: string) => string[]
  /** The option, or how a refusal calls it. */
  names: RegExp
  values: readonly string[]
}

const heartbeat = (option: string) => (value: string) => {
  const given = { 'interval-sec': '60', 'grace-sec': '0', 'resend-interval-sec': '0', [option]: value }
  return [
    'heartbeat',
    'create',
    '--org',
    org,
    '--name',
    'n',
    ...Object.entries(given).map((one) => `--${one.join('=')}`),
  ]
}

const SECONDS: readonly Tried[] = [
  ...['interval-sec', 'grace-sec', 'resend-interval-sec'].map((option) => ({
    args: heartbeat(option),
    names: new RegExp(option.replaceAll('-', '[-_]')),
    values: [...NUMBERS, ...LARGE],
  })),
  {
    args: (value) => ['enrollment-token', 'create', '--org', org, `--ttl-sec=${value}`],
    names: /ttl[-_]sec/,
    values: [...NUMBERS, ...LARGE],
  },
]

const CHOICES: readonly Tried[] = [
  { args: (value) => ['org', 'set-plan', '--org', org, '--plan', value], names: /plan/, values: PROTOTYPE_NAMES },
  {
    args: (value) => ['channel', 'create', '--org', org, '--name', 'n', '--kind', value, '--email', 'a@example.com'],
    names: /kind/,
    values: PROTOTYPE_NAMES,
  },
  { args: (value) => ['org', 'set-status-page', '--org', org, value], names: /on|off/, values: PROTOTYPE_NAMES },
  { args: (value) => ['org', 'set-max-monitors', '--org', org, `--`, value], names: /count/, values: NUMBERS },
  { args: (value) => ['delivery', 'list', `--org=${value}`], names: /--org|organisation/, values: NUMBERS },
  { args: (value) => ['channel', 'test', `--id=${value}`], names: /--id|channel/, values: NUMBERS },
]

test.each([...SECONDS, ...CHOICES].map((one) => [one.names.source, one] as const))(
  '%s',
  async (_, { args, names, values }) => {
    const before = await o.stored()
    for (const value of values) {
      const { code, out, err } = await o.run(args(value))
      const [line = ''] = err.split('\n')
      const told = { value: value.slice(0, 20), code, line: line.slice(0, 120) }
      expect({ ...told, out, isRefused: code === 1 || code === 2, isNamed: names.test(line) }).toEqual({
        ...told,
        out: '',
        isRefused: true,
        isNamed: true,
      })
      expect(line.length).toBeLessThan(700)
    }
    expect(await o.stored()).toBe(before)
  },
)

test('every option that is a number of seconds is among them', () => {
  const folder = new URL('../../src/bin/commands/', import.meta.url)
  const text = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const options = text.join('\n').match(/'--[a-z-]+ <seconds>'/g) ?? []
  expect(options).toHaveLength(SECONDS.length)
})
