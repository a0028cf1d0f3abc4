// What a file may say, as far as one can tell without the server.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { FaultyFile } from './place.ts'
import { readConfigFile } from './read.ts'
import { faultsOfSchema, readSchema } from './schema.ts'

const read = (text: string) => readConfigFile('f', text, {})

async function faults(text: string): Promise<string> {
  return read(text).then(
    ({ config }) => `none: ${JSON.stringify(config)}`,
    (error: Error) => error.message,
  )
}

test('a refusal moves no cursor and colours nothing, whatever the file calls its fields', async () => {
  const told = await faults('"che\\e[31mcks": 1\nchecks:\n  "k\\u202e\\r": { url: x }\nversion: 1\n')
  expect(told).toContain('f:1:1: che [31mcks is not a known field\nf:3:3: checks.k  must be a key')
  expect(told.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
})

test('a fault repeats no more than 200 characters of the name of a field', async () => {
  const told = await faults(`version: 1\n? ${'y'.repeat(5000)}\n: 1\n`)
  expect(told).toMatch(/^f:2:\d: y{199}… is not a known field$/)
})

test('defaults fill what a thing does not say, and a thing without a name is called as its key', async () => {
  const { config } = await read(`
version: 1
defaults:
  checks: { interval_sec: 60, tags: [web] }
checks:
  shop: { url: https://shop.example.com/, tags: [] }
  api: { url: https://api.example.com/, name: The API, interval_sec: 30 }
`)
  expect(config.checks).toEqual({
    shop: { name: 'shop', url: 'https://shop.example.com/', interval_sec: 60, tags: [] },
    api: { name: 'The API', url: 'https://api.example.com/', interval_sec: 30, tags: ['web'] },
  })
})

test('a default that cannot stand beside what a thing says gives way', async () => {
  const { config } = await read(`
version: 1
defaults:
  checks: { interval_sec: 60, all_monitors: true }
  heartbeats: { interval_sec: 60, grace_sec: 5 }
checks:
  a: { url: https://a.example.com/, monitors: [m1] }
heartbeats:
  b: { cron: 0 2 * * * }
`)
  expect(config.checks?.a).toEqual({ name: 'a', url: 'https://a.example.com/', interval_sec: 60, monitors: ['m1'] })
  expect(config.heartbeats?.b).toEqual({ name: 'b', cron: '0 2 * * *', grace_sec: 5 })
})

test('a fault of shape hides none of the rules of other checks', async () => {
  const check = (name: string, rest: string) =>
    `  ${name}: { url: "https://a.example.com/", interval_sec: 60, ${rest} }`
  const lines = ['version: 1', 'checks:', check('a', 'colour: red'), check('b', 'match_mode: regex, match_string: "("')]
  expect((await faults(lines.join('\n'))).split('\n')).toEqual([
    'f:3:57: checks.a.colour is not a known field',
    expect.stringMatching(/^f:4:\d+: checks\.b\.match_string is not a valid /),
  ])
  for (const broken of ['checks:', 'checks: [1]', 'checks: x', '- 1', 'defaults:', 'checks: { a: 5 }']) {
    expect(await faults(broken)).toMatch(/^f:\d+:\d+: /)
  }
})

test.each([
  ['no version', 'checks: {}', 'f:1:1: version is required'],
  ['another version', 'version: 2', 'f:1:1: version must be 1'],
  [
    'a word that is misspelt',
    `version: 1\nchecks:\n  a:\n    url: https://a.example.com/\n    intervall_sec: 60`,
    'f:5:5: checks.a.intervall_sec is not a known field; did you mean interval_sec?',
  ],
  [
    'a key that is none',
    'version: 1\nchecks:\n  Shop: {}',
    'f:3:3: checks.Shop must be a key: 1 to 64 characters of a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
  ],
  [
    'a number in quotes',
    'version: 1\nchecks: { a: { url: "https://a.example.com/", interval_sec: "60" } }',
    'f:2:47: checks.a.interval_sec must be a whole number',
  ],
  [
    'a value out of its bounds',
    'version: 1\nchecks: { a: { url: "https://a.example.com/", interval_sec: 0 } }',
    'f:2:47: checks.a.interval_sec must be from 1 to 2678400',
  ],
  ['nothing where something must be', 'version: 1\nchecks:\n  a:\n    url:\n', 'f:4:5: checks.a.url must not be empty'],
  ['a check without a target', 'version: 1\nchecks:\n  a: { interval_sec: 60 }', 'f:3:3: checks.a.url is required'],
  [
    'a target that is none',
    'version: 1\nchecks:\n  a: { url: "gopher://a.example.com", interval_sec: 60 }',
    /^f:3:8: checks\.a\.url must /,
  ],
  [
    'a pattern that RE2 does not know',
    'version: 1\nchecks:\n  a:\n    url: https://a.example.com/\n    interval_sec: 60\n    match_mode: regex\n    match_string: "(?=x)"',
    /^f:7:5: checks\.a\.match_string is not a valid /,
  ],
  [
    'a header that is none',
    'version: 1\nchecks:\n  a:\n    url: https://a.example.com/\n    interval_sec: 60\n    headers:\n      "a b": x',
    'f:7:7: checks.a.headers.a b must have a valid header name',
  ],
  [
    'a reference to nothing',
    'version: 1\nchecks:\n  a:\n    url: https://a.example.com/\n    interval_sec: 60\n    depends_on: router',
    'f:6:5: checks.a.depends_on must be a key from checks in this file, key:NAME for an item in another file, or id:ID',
  ],
])('%s is refused with its place', async (_, text, line) => {
  const told = await faults(text)
  if (typeof line === 'string') expect(told).toBe(line)
  else expect(told).toMatch(line)
})

test('a field without which a kind of channel cannot send must not be empty, and an optional one may be', async () => {
  const text = (destination: string) =>
    `version: 1\nchannels:\n  a:\n    kind: slack\n    destination: ${destination}\n`
  expect(await faults(text('{ webhook_url: "" }'))).toBe('f:5:20: channels.a.destination.webhook_url must not be empty')
  const optional = '{ webhook_url: "https://hooks.example.com/", webhook_secret: "" }'
  expect((await read(text(optional))).warnings).toEqual([])
  // Left out, a secret stays as it is.
  expect((await read(text('{}'))).warnings).toEqual([])
})

test('retries that are never made are warned of with their place', async () => {
  const text = (check: string) =>
    `version: 1\nchecks:\n  a:\n    url: https://a.example.com/\n    retry_count: 2\n    interval_sec: 15\n${check}`
  const line =
    'checks.a.retry_count has no effect with fewer than 2 monitors: one retry takes up to 17 s, and the check runs every 15 s'
  expect((await read(text(''))).warnings).toEqual([{ at: { line: 5, column: 5 }, line }])
  expect((await read(text('    timeout_sec: 8\n'))).warnings).toEqual([])
  expect((await read(text('    monitors: [one, two]\n'))).warnings).toEqual([])
})

test('fields that contradict each other are warned of with their place, and the server says whether they may stand', async () => {
  const text =
    'version: 1\ndefaults: { checks: { max_response_time_ms: 2000 } }\nchecks:\n  a:\n    url: https://a.example.com/\n    interval_sec: 60\n    degraded_over_ms: 3000\n'
  const { config, warnings } = await read(text)
  expect(config.checks).toHaveProperty('a')
  const line = 'checks.a.degraded_over_ms must be less than max_response_time_ms (2000 ms)'
  expect(warnings).toEqual([{ at: { line: 7, column: 5 }, line }])
  // Beside a fault they are none.
  expect(await faults(`${text}    depends_on: router\n`)).toMatch(/^f:8:5: checks\.a\.depends_on [^\n]+$/)
  expect(await faults(`${text}    oops: 1\n`)).toMatch(/^f:8:5: checks\.a\.oops [^\n]+$/)
})

test('what is wrong is told all at once, in the order of the file', async () => {
  const text = `version: 1
checks:
  a: { url: "gopher://a.example.com", interval_sec: 60 }
  b: { url: https://b.example.com/ }
  c: { url: https://c.example.com/, interval_sec: 60, depends_on: z }
`
  expect((await faults(text)).split('\n').map((line) => line.split(':')[1])).toEqual(['3', '4', '5'])
})

test('things of other files, and things without a key, are named by prefix', async () => {
  const text = `version: 1
checks:
  a: { url: https://a.example.com/, interval_sec: 60, depends_on: "key:router" }
  b: { url: https://b.example.com/, interval_sec: 60, depends_on: "id:7k2m9x0c4v5b" }
  c: { url: https://c.example.com/, interval_sec: 60, depends_on: a }
`
  expect(await faults(text)).toMatch(/^none: /)
})

test('the schema is one that ajv compiles, and whatever ajv refuses is refused here and the other way round', async () => {
  const schema = await readSchema()
  const Ajv = createRequire(createRequire(import.meta.url).resolve('ajv-formats'))('ajv').default
  const ajv = new Ajv({ strict: true, allErrors: true })
  const validate = ajv.compile(
    JSON.parse(readFileSync(new URL('../../schema/dogwatch.schema.json', import.meta.url), 'utf8')),
  )
  const names = Object.keys(schema.definitions?.checks?.properties ?? {})
  const value = fc.oneof(
    fc.integer({ min: -5, max: 5000 }),
    fc.boolean(),
    fc.string(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.constant({ a: 'b' }),
  )
  const thing = fc.dictionary(fc.constantFrom(...names, 'scope', 'steps', 'oops'), value, { maxKeys: 6 })
  const scope = fc.record(
    { all: fc.boolean(), tags: fc.array(fc.string()), checks: fc.array(value) },
    { requiredKeys: [] },
  )
  const route = fc.record(
    {
      scope: fc.oneof(scope, value),
      steps: fc.array(fc.record({ after_sec: value, channels: fc.array(fc.string()) }, { requiredKeys: [] })),
      severity: fc.constantFrom('critical', 'loud'),
    },
    { requiredKeys: [] },
  )
  const key = fc.constantFrom('a', 'b-c', 'D', '', '__proto__')
  const file = fc.record(
    {
      version: fc.constantFrom(1, 2, '1'),
      checks: fc.dictionary(key, thing),
      heartbeats: fc.dictionary(key, thing),
      routes: fc.dictionary(key, route),
      'x-any': value,
      other: value,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(file, (given) => {
      const plain: unknown = JSON.parse(JSON.stringify(given))
      const found = faultsOfSchema(schema, plain)
      if (validate(plain) !== (found.length === 0)) throw new Error(JSON.stringify([found, validate.errors]))
    }),
    { numRuns: 400 },
  )
})

test('whatever stands in a file, it is read or its faults are told', async () => {
  const example = readFileSync(new URL('../../examples/dogwatch.yaml', import.meta.url), 'utf8')
  const env = { TELEGRAM_TOKEN: '123456789:AAFx', API_TOKEN: 'x' }
  expect((await readConfigFile('f', example, env)).config.checks).toHaveProperty('shop')
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '<<: *web',
      '&web',
      '${X}',
      '- ',
      '\t',
      '\0',
      '": ',
      '[{',
      '? ',
      '!!map',
      '...',
      '%YAML 1.2',
      '\ufeff',
      '__proto__: 1',
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(example.length), fc.nat(40), piece, async (at, gone, text) => {
      const broken = example.slice(0, at) + text + example.slice(at + gone)
      const failure = await readConfigFile('f', broken, env).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) return
      expect(failure).toBeInstanceOf(FaultyFile)
      expect((failure as Error).message).toMatch(/^f:\d+:\d+: .+/)
    }),
    { numRuns: 150 },
  )
})

test('a file can be read without the variables, and what is wrong beside them is told', async () => {
  const text = `version: 1
defaults: { checks: { url: "\${URL}" } }
checks:
  a: { interval_sec: 60, match_string: "\${A}", match_mode: "\${A}", depends_on: "\${B}", name: "\${C}" }
  b: { interval_sec: 60, depends_on: nobody }
`
  await expect(
    readConfigFile('f', 'version: 1\nchecks: { a: { names: "${A}" } }', {}, { withoutVariables: true }),
  ).rejects.toThrow('checks.a.names is not a known field; did you mean name?')
  await expect(readConfigFile('f', text, {}, { withoutVariables: true })).rejects.toThrow(
    /^f:5:\d+: checks\.b\.depends_on must be a key from checks[^\n]+$/,
  )
  // A value that is not known contradicts nothing.
  const slow = ', degraded_over_ms: 20000, timeout_sec: "${D}"'
  const sound = text.replace(', depends_on: nobody', slow)
  const { source, warnings } = await readConfigFile('f', sound, {}, { withoutVariables: true })
  expect(warnings).toEqual([])
  expect([...source.missing]).toEqual(['URL', 'A', 'B', 'C', 'D'])
  await expect(readConfigFile('f', text, { A: 'a', B: 'a', C: 'x' })).rejects.toThrow(
    'the environment variable URL is not set',
  )
})

test('numbers, dates and choices that nobody should write are refused by name', async () => {
  const hostile = [
    '.inf',
    '-.inf',
    '.nan',
    '1e400',
    '-1',
    '1.5',
    '"60"',
    '9007199254740993',
    '2001-01-01',
    'constructor',
    '__proto__',
  ]
  const places: [field: string, text: (value: string) => string, judgedByServer?: readonly string[]][] = [
    ['interval_sec', (value) => `checks: { a: { url: "https://a.example.com/", interval_sec: ${value} } }`],
    [
      'timeout_sec',
      (value) => `checks: { a: { url: "https://a.example.com/", interval_sec: 60, timeout_sec: ${value} } }`,
    ],
    [
      'match_mode',
      (value) => `checks: { a: { url: "https://a.example.com/", interval_sec: 60, match_mode: ${value} } }`,
    ],
    [
      'grace_sec',
      (value) => `heartbeats: { a: { interval_sec: 60, grace_sec: ${value} } }`,
      ['-1', '9007199254740993'],
    ],
    ['version', (value) => `checks: {}\nversion: ${value}`],
    ['interval_sec', (value) => `defaults: { checks: { interval_sec: ${value} } }`],
  ]
  for (const [field, text, judgedByServer = []] of places) {
    for (const value of hostile.filter((one) => !judgedByServer.includes(one))) {
      const own = text(value)
      const said = await faults(own.includes('version:') ? own : `version: 1\n${own}`)
      expect({ value, said }).toEqual({ value, said: expect.stringMatching(new RegExp(`^f:.*${field}`)) })
    }
  }
})

test('a section, a thing or a field called as something of every object is what the file says it is', async () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
    expect(await faults(`version: 1\n${name}: {}`)).toContain(`${name} is not a known field`)
    expect(await faults(`version: 1\nchecks: { a: { url: "https://a.example.com/", ${name}: 1 } }`)).toContain(
      `a.${name} is not a known field`,
    )
  }
  const { config } = await read(
    'version: 1\nchecks: { constructor: { url: "https://a.example.com/", interval_sec: 60 } }',
  )
  expect(Object.keys(config.checks ?? {})).toEqual(['constructor'])
})
