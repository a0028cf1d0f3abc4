// Definitions that stay here: what a file must be, and what they are laid over.
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { diffDefinitions } from '../../src/definitions-diff.ts'
import {
  DefinitionFaults,
  type Definitions,
  type DefinitionsEvent,
  DefinitionsFile,
  overlay,
  parseDefinitions,
} from '../../src/private-definitions.ts'
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

test.each<[string, unknown, string]>([
  ['no url', { match_string: SECRET }, 'a: url is missing or of the wrong type'],
  ['an unknown scheme', { url: `ftp://${SECRET}` }, 'a: the url must begin with http://, https://, tcp:// or tls://'],
  ['tcp without a port', { url: `tcp://${SECRET}` }, 'a: the url must be tcp://host:port'],
  ['a field of the schedule', { ...definition, interval_sec: 60 }, 'a: has a field that is none of a definition'],
  ['a mode that is none', { ...definition, match_mode: SECRET }, 'a: match_mode has none of the allowed values'],
  [
    'a broken expression',
    { ...definition, match_mode: 'regex', match_string: `${SECRET}(` },
    'a: match_string is not a regular expression (RE2)',
  ],
  [
    'an operator alone',
    { ...definition, status_code_op: 'eq' },
    'a: status_code_op goes together with status_code_value',
  ],
  [
    'a header with a line break',
    { ...definition, headers: { a: `${SECRET}\r\nb: c` } },
    'a: the headers cannot be sent',
  ],
  [
    'a hop-by-hop header',
    { ...definition, headers: { Connection: SECRET } },
    'a: the headers have one that belongs to the connection',
  ],
  [
    'a header that is no text',
    { ...definition, headers: { [SECRET]: 1 } },
    'a: headers is missing or of the wrong type',
  ],
])('%s is a fault, told without what was written', (_, entry, fault) => {
  const faults = faultsOf(file({ a: entry, b: definition }))
  expect(faults).toEqual([fault])
  expect(faults.join()).not.toContain(SECRET)
})

test('every fault of a file is told at once', () => {
  expect(faultsOf(file({ a: {}, b: definition, c: { url: 'x' } })).map((fault) => fault[0])).toEqual(['a', 'c'])
  expect(faultsOf(`{"a": "${SECRET}`)).toEqual(['is not JSON'])
  expect(faultsOf('[]')).toEqual(['must be an object of definitions by the guid of their check'])
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
      faults: ['c: the url must begin with http://, https://, tcp:// or tls://'],
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
    { event: 'definitions_refused', faults: ['others may read or write it: chmod 600'] },
    { event: 'definitions_refused', faults: [expect.stringContaining('ENOENT')] },
  ])
})

test('the difference tells what waits and what is not asked for', () => {
  const checks = [checkRow({ guid: 'a', url: '' }), checkRow({ guid: 'b', url: '' }), checkRow({ guid: 'c' })]
  expect(diffDefinitions(checks, parseDefinitions(file({ a: definition, c: definition, d: definition })))).toEqual({
    waiting: ['b'],
    unmatched: ['d'],
    not_private: ['c'],
  })
})
