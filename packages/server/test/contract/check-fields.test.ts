// The rows of a check's fields against all that must know them: the documents, the table, files, answers and the form.

import { readFile } from 'node:fs/promises'
import { ABILITIES } from '@dogwatch/check-rules/abilities'
import {
  DEFINITION_FIELDS,
  defaultOf,
  FIELD_NAMES,
  type FieldName,
  fieldsWith,
  rowOf,
} from '@dogwatch/check-rules/fields'
import { hideSecrets } from '@dogwatch/check-rules/secrets'
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
  org = await w.org()
})
afterAll(() => w.close())

const SYNCED = fieldsWith({ isSynced: true })

/** What a document or the table has besides the fields of a check. */
const OTHERS = {
  account: ['guid', 'state', 'state_since'],
  config: ['key', 'all_monitors', 'monitors'],
  monitor: ['guid', 'deleted', 'monitor_count', 'monitor_rank', 'updated_at'],
  table: [
    'org_id',
    'check_id',
    'guid',
    'deleted',
    'all_monitors',
    'key',
    'created_at',
    'updated_at',
    'definition_bytes',
    'least_detail_chars',
    'needs',
    'judged_by_server',
  ],
}

const DOCUMENT_TYPES = {
  url: 'string',
  text: 'string',
  word: 'string',
  whole: 'integer',
  'yes-no': 'boolean',
  headers: 'object',
  tags: 'array',
  statuses: 'array',
  assertions: 'array',
}
const COLUMN_TYPES = {
  ...DOCUMENT_TYPES,
  url: 'text',
  text: 'text',
  word: 'text',
  headers: 'jsonb',
  tags: 'ARRAY',
  statuses: 'ARRAY',
  assertions: 'jsonb',
}

const sorted = (names: readonly string[]) => [...names].sort()

interface Property {
  type?: string
  maximum?: number
  'x-extensible-enum'?: readonly string[]
}
interface Described {
  components: { schemas: { Check: { properties: Record<string, Property>; required: readonly string[] } } }
}

describe.each([
  ['account', account as unknown as Described, FIELD_NAMES, OTHERS.account],
  ['monitor', monitor as unknown as Described, SYNCED, OTHERS.monitor],
] as const)('the %s document', (_, document, names, others) => {
  const { properties, required } = document.components.schemas.Check

  test('has every field of a check, and none that has no row', () => {
    expect(sorted(Object.keys(properties))).toEqual(sorted([...names, ...others]))
  })

  test('has each with its type, its words and whether it always comes', () => {
    const told = names.map((name) => {
      const { type, 'x-extensible-enum': words } = properties[name] ?? {}
      return { name, type, ...(words && { words }), always: required.includes(name) }
    })
    expect(told).toEqual(
      names.map((name) => {
        const row = rowOf(name)
        const words = row.kind === 'word' && { words: row.words.map(([word]) => word).filter((word) => word !== '') }
        return { name, type: DOCUMENT_TYPES[row.kind], ...words, always: row.isAlwaysSent === true }
      }),
    )
  })

  test('bounds no field otherwise than its row', () => {
    for (const name of names) {
      const [row, { maximum } = {}] = [rowOf(name), properties[name]]
      if (maximum !== undefined && row.kind === 'whole') expect({ name, maximum }).toEqual({ name, maximum: row.max })
    }
  })
})

test('the document of the configuration API takes every field of a check, with its type and its words', () => {
  const { schemas } = (
    config as unknown as { components: { schemas: { CheckInput: { properties: Record<string, Property> } } } }
  ).components
  const told = Object.entries(schemas.CheckInput.properties).flatMap(([name, { type, 'x-extensible-enum': words }]) =>
    OTHERS.config.includes(name) ? [] : [{ name, type, ...(words && { words }) }],
  )
  const wanted = FIELD_NAMES.map((name) => {
    const row = rowOf(name)
    const words = row.kind === 'word' && { words: row.words.map(([word]) => word).filter((word) => word !== '') }
    return { name, type: DOCUMENT_TYPES[row.kind], ...words }
  })
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
  expect(told.sort(byName)).toEqual(wanted.sort(byName))
})

test.each([
  ['the monitor document', '../../../../openapi/monitor.yaml'],
  ['the README of the monitor SDK', '../../../monitor-sdk/README.md'],
])('%s names every ability', async (_, path) => {
  const page = await readFile(new URL(path, import.meta.url), 'utf8')
  const list = /^ *# Abilities$([^]*?)^ *# |^## Abilities$([^]*?)^## /m.exec(page)?.[0] ?? ''
  expect(ABILITIES.filter((ability) => !list.includes(`\`${ability}\``))).toEqual([])
})

describe('the table of checks', () => {
  test('has a column for every field, and none that has no row', async () => {
    const columns = await w.rows(
      "select column_name as name, data_type as type, is_nullable as empty from information_schema.columns where table_name = 'checks'",
    )
    const ofFields = columns.filter(({ name }) => !OTHERS.table.includes(String(name)))
    const wanted = FIELD_NAMES.map((name) => ({ name, type: COLUMN_TYPES[rowOf(name).kind], empty: 'NO' }))
    const byName = (one: { name?: unknown }, other: { name?: unknown }) =>
      String(one.name) < String(other.name) ? -1 : 1
    expect(ofFields.sort(byName)).toEqual(wanted.sort(byName))
  })

  test('keeps every field of a private definition blank', async () => {
    const [constraint] = await w.rows(
      "select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'private_definition_is_blank'",
    )
    const forgotten = DEFINITION_FIELDS.filter((name) => !String(constraint?.text).includes(`(${name} `))
    expect(forgotten).toEqual([])
  })
})

const ASSERTIONS = [
  { at: '$.db[0]', is: 'eq', on: 'json', value: null },
  { is: 'lt', on: 'size', value: 1.5 },
  { at: 'etag', is: 'exists', on: 'header' },
]

/** A value that is neither blank nor the default. */
function valueOf(field: FieldName): unknown {
  const row = rowOf(field)
  if (field === 'method') return 'PUT'
  if (field === 'proxy') return 'http://user:pass@proxy.example.com:3128'
  switch (row.kind) {
    case 'url':
      return 'https://shop.example.com/'
    case 'text':
      return `some ${field}`
    case 'word':
      return row.words[1]?.[0]
    case 'whole':
      return row.max
    case 'yes-no':
      return defaultOf(field) !== true
    case 'headers':
      return { Accept: 'text/html' }
    case 'tags':
      return ['eu', 'shop']
    case 'statuses':
      return ['200-299', '301']
    case 'assertions':
      return ASSERTIONS
  }
}

test('what is imported comes back whole: stored, in the file, in both APIs and in the form', async () => {
  const content = Object.fromEntries(FIELD_NAMES.map((field) => [field, valueOf(field)]))
  const own = await w.monitor(org)
  await own.client.reportStatus({ version: '1.0.0', uptime_sec: 1, unsent_results: 0, abilities: [...ABILITIES] })
  const [guid = ''] = await w.checks(org, [content], 'all')
  const [stored] = await w.rows('select * from checks where guid = $1', guid)
  expect(stored).toMatchObject(content)
  const answer = await w.http.get(`${ACCOUNT}/checks/${guid}`).set('Authorization', `Bearer ${await w.pat(org)}`)
  expect(answer.body).toMatchObject(content)
  const { checks } = await own.client.sync()
  expect(checks).toEqual([expect.objectContaining(Object.fromEntries(SYNCED.map((field) => [field, content[field]])))])
  const owner = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
  await owner.open('/checks/export')
  expect(JSON.parse(owner.page.html)).toEqual([{ guid, ...hideSecrets(content) }])
  await owner.open(`/checks/${guid}/edit`)
  // Each rule has inputs of its own.
  const inputOf = (field: FieldName) => (field === 'assertions' ? 'assertion_on' : field)
  const inputs = FIELD_NAMES.filter((field) => owner.all(`[name=${inputOf(field)}]`).length > 0)
  expect(inputs).toEqual(FIELD_NAMES)
  await owner.submit(`/checks/${guid}/edit`, {})
  expect((await w.rows('select * from checks where guid = $1', guid))[0]).toMatchObject(content)
})
