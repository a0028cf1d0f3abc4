// Definitions that stay here: what a file must be, and what they are laid over.
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UNKNOWN_SCHEME } from '@dogwatch/check-rules/words'
import { expect, test } from '@jest/globals'
import { diffDefinitions } from '../../src/definitions/definitions-diff.ts'
import { type DefinitionsEvent, DefinitionsFile } from '../../src/definitions/definitions-file.ts'
import {
  DefinitionFaults,
  type Definitions,
  overlay,
  parseDefinitions,
} from '../../src/definitions/private-definitions.ts'
import { checkRow } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const SECRET = 'vault.internal.example'
const definition = { url: `https://${SECRET}/health`, match_string: 'sealed', headers: { 'x-key': 'k1' } }
const file = (entries: unknown) => JSON.stringify(entries)

test('local content fills a blank row, and all else is the server’s', () => {
  const row = checkRow({ guid: 'a', url: '', interval_sec: 45, result_detail_max_chars: 9, timeout_sec: 3 })
  expect(overlay(row, parseDefinitions(file({ a: definition })))).toEqual({
    check: { ...row, ...definition },
    isPrivate: true,
  })
})

test('a row with content is run as the server has it', () => {
  const row = checkRow({ guid: 'a' })
  expect(overlay(row, parseDefinitions(file({ a: definition })))).toEqual({ check: row, isPrivate: false })
})

test('a blank row without a definition is not run', () => {
  expect(overlay(checkRow({ guid: 'b', url: '' }), parseDefinitions(file({ a: definition })))).toBeUndefined()
})

function faultsOf(text: string): readonly string[] {
  try {
    parseDefinitions(text)
  } catch (error) {
    if (error instanceof DefinitionFaults) return error.faults
    throw error
  }
  return []
}

const FIELDS =
  'url, match_string, match_mode, post_data, headers, method, proxy, status_code_op, status_code_value, status_codes, assertions'
const long = (chars: number) => SECRET.padEnd(chars, 'x')

test.each<[string, unknown, string]>([
  ['no object', SECRET, 'must be an object'],
  ['no url', { match_string: SECRET }, 'url is required'],
  ['an empty url', { url: '', match_string: SECRET }, 'url is required'],
  ['a url that is no text', { url: [SECRET] }, 'url must be a string'],
  ['an unknown scheme', { url: `gopher://${SECRET}` }, `url ${UNKNOWN_SCHEME}`],
  ['a url with a space', { url: `http://${SECRET}/a b` }, 'url is not a valid URL'],
  ['tcp without a port', { url: `tcp://${SECRET}` }, 'url must have the form tcp://host:port'],
  ['a long url', { url: `http://x/${long(2048)}` }, 'url must be 2048 characters or fewer'],
  [
    'a field of the schedule',
    { ...definition, interval_sec: 60 },
    'interval_sec is set on the server and must not be in this file',
  ],
  ['an unknown field', { ...definition, [SECRET]: 1 }, `has an unknown field; allowed are ${FIELDS}`],
  [
    'a mode that is none',
    { ...definition, match_mode: SECRET },
    'match_mode must be one of contains, not_contains, regex, not_regex',
  ],
  [
    'a broken expression',
    { ...definition, match_mode: 'regex', match_string: `${SECRET}(` },
    'match_string is not a valid regular expression (RE2 syntax)',
  ],
  [
    'a lookahead, which RE2 has not',
    { ...definition, match_mode: 'not_regex', match_string: `(?=${SECRET})` },
    'match_string is not a valid regular expression (RE2 syntax)',
  ],
  ['a long text', { ...definition, post_data: long(65_537) }, 'post_data must be 65536 characters or fewer'],
  [
    'an operator alone',
    { ...definition, status_code_op: 'eq' },
    'status_code_value must be between 100 and 599 when status_code_op is set',
  ],
  [
    'a status that is none',
    { ...definition, status_code_op: 'eq', status_code_value: 600 },
    'status_code_value must be a whole number from 0 to 599',
  ],
  [
    'half a status',
    { ...definition, status_code_op: 'eq', status_code_value: 200.5 },
    'status_code_value must be a whole number from 0 to 599',
  ],
  [
    'a status alone',
    { ...definition, status_code_value: 200 },
    'status_code_op is required when status_code_value is set',
  ],
  [
    'a header with a line break',
    { ...definition, headers: { a: `${SECRET}\r\nb: c` } },
    'headers: a header must not contain line breaks or other control characters',
  ],
  [
    'a header with a space',
    { ...definition, headers: { [`${SECRET} a`]: '' } },
    'headers: a header must have a valid header name',
  ],
  [
    'a long header',
    { ...definition, headers: { a: long(8193) } },
    'headers: a header must be 8192 characters or fewer',
  ],
  [
    'a header twice',
    { ...definition, headers: { 'x-a': SECRET, 'X-A': '' } },
    'headers must not contain the same header twice',
  ],
  ['a header that is no text', { ...definition, headers: { [SECRET]: 1 } }, 'headers: a header must be a string'],
  ['a list of headers', { ...definition, headers: [SECRET] }, 'headers must be an object whose values are strings'],
  [
    'eleven headers',
    { ...definition, headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`x-${n}`, SECRET])) },
    'headers must have 10 headers or fewer',
  ],
])('%s is a fault, told without what was written', (_, entry, fault) => {
  expect(faultsOf(file({ a: entry, b: definition }))).toEqual([`a: ${fault}`])
})

test.each(
  [
    'Connection',
    'content-length',
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'transfer-encoding',
    'Upgrade',
  ].map((name) => [name]),
)('%s is refused, as the server does: it is not for a check to say', (name) => {
  expect(faultsOf(file({ a: { ...definition, headers: { [name]: SECRET } } }))).toEqual([
    'a: headers: a header is set automatically and must be omitted',
  ])
})

test('what stands for nothing in an export stands for nothing here', () => {
  const exported = { match_mode: '', post_data: '', headers: null, status_code_op: '', status_code_value: 0 }
  expect(parseDefinitions(file({ a: { ...definition, ...exported, headers: {} } })).get('a')).toEqual({
    ...definition,
    headers: {},
  })
  expect(parseDefinitions(`\uFEFF${file({ a: { ...exported, url: 'tcp://x:1' } })}`).get('a')).toEqual({
    url: 'tcp://x:1',
  })
})

test('every fault of a file is told at once', () => {
  expect(faultsOf(file({ a: {}, b: definition, c: { url: 'x' } })).map((fault) => fault[0])).toEqual(['a', 'c'])
  expect(faultsOf(`{"a": "${SECRET}`)).toEqual(['is not valid JSON (line 1 column 30)'])
  expect(faultsOf('[]')).toEqual(['must be an object that maps check guids to definitions'])
})

test('a guid that is named twice is told, wherever it stands, since the first would be lost without a word', () => {
  const one = JSON.stringify(definition)
  expect(faultsOf(`{"a":${one},"b":${one},"a":${one},"\\u0061":${one}}`)).toEqual(['a: appears more than once'])
  expect(faultsOf(`{"a":{"url":"tcp://x:1","post_data":"{\\"a\\":1,\\"a\\":2}"},"b":{"url":"tcp://a:1"}}`)).toEqual([])
  expect(faultsOf(`{"a":{"url":"tcp://x:1","url":"tcp://${SECRET}:2"}}`)).toEqual(['a: has a repeated field'])
  expect(faultsOf(`{"a":{"url":"http://x/","headers":{"x-a":"1","x-a":"${SECRET}"}}}`)).toEqual([
    'a: headers must not contain the same header twice',
  ])
})

test('names that mean something to JavaScript mean nothing here', () => {
  const odd = `{"__proto__":{"url":"tcp://x:1"},"constructor":{"url":"http://x/","headers":{"constructor":"1"}}}`
  expect([...parseDefinitions(odd)]).toEqual([
    ['__proto__', { url: 'tcp://x:1' }],
    ['constructor', { url: 'http://x/', headers: { constructor: '1' } }],
  ])
  expect(faultsOf(`{"a":{"url":"http://x/","headers":{"__proto__":"${SECRET}","x-a":"2"}}}`)).toEqual([
    'a: headers: a header must not be named __proto__',
  ])
  expect(faultsOf(`{"a":{"url":"tcp://x:1","__proto__":{"post_data":"${SECRET}"}}}`)).toEqual([
    `a: has an unknown field; allowed are ${FIELDS}`,
  ])
})

async function setUp() {
  const path = join(await tempDir(), 'definitions.json')
  const write = async (entries: unknown, mode = 0o600) => {
    await writeFile(`${path}.new`, file(entries), { mode })
    await chmod(`${path}.new`, mode)
    await rename(`${path}.new`, path)
  }
  await write({ a: definition })
  const events: DefinitionsEvent[] = []
  let held: Definitions = new Map()
  const onChange = (definitions: Definitions) => void (held = definitions)
  const opened = new DefinitionsFile({ path, onChange, log: (event) => events.push(event) })
  await opened.open()
  return { path, write, opened, events, guids: () => [...held.keys()] }
}

test('a change takes effect without a restart', async () => {
  const { write, opened, guids } = await setUp()
  await write({ a: definition, b: definition })
  await opened.refresh()
  expect(guids()).toEqual(['a', 'b'])
})

test('a file that is not right as a whole changes nothing, and is told once', async () => {
  const { write, opened, guids, events } = await setUp()
  await write({ b: definition, c: { url: SECRET } })
  await opened.refresh()
  await opened.refresh()
  expect(guids()).toEqual(['a'])
  expect(events.slice(1)).toEqual([
    {
      event: 'definitions_refused',
      faults: [`c: url ${UNKNOWN_SCHEME}`],
    },
  ])
  await write({ b: definition })
  await opened.refresh()
  expect(guids()).toEqual(['b'])
})

test('a file that others may read is refused, one that is gone changes nothing', async () => {
  const { path, write, opened, guids, events } = await setUp()
  await write({ b: definition }, 0o640)
  await opened.refresh()
  await rm(path)
  await opened.refresh()
  expect(guids()).toEqual(['a'])
  expect(events.slice(1)).toEqual([
    { event: 'definitions_refused', faults: ['must be accessible to its owner only; run chmod 600'] },
    { event: 'definitions_refused', faults: [expect.stringContaining('ENOENT')] },
  ])
})

test('a file that is no UTF-8 is refused, a byte order mark is ignored', async () => {
  const { path, opened, guids, events } = await setUp()
  await writeFile(path, file({ b: { ...definition, match_string: 'gr\u00fcn' } }), { encoding: 'latin1', mode: 0o600 })
  await opened.refresh()
  expect([guids(), events.at(-1)]).toEqual([['a'], { event: 'definitions_refused', faults: ['must be UTF-8'] }])
  await writeFile(path, `\uFEFF${file({ b: definition })}`)
  await opened.refresh()
  expect(guids()).toEqual(['b'])
})

test('the difference tells what waits and what is not asked for', () => {
  const checks = [checkRow({ guid: 'a', url: '' }), checkRow({ guid: 'b', url: '' }), checkRow({ guid: 'c' })]
  expect(diffDefinitions(checks, parseDefinitions(file({ a: definition, c: definition, d: definition })))).toEqual({
    waiting: ['b'],
    unmatched: ['d'],
    not_private: ['c'],
  })
})
