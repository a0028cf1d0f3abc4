// What a file that is written looks like.

import { expect, test } from '@jest/globals'
import { Keys } from './keys.ts'
import { fileOf } from './pull.ts'
import { readConfigFile } from './read.ts'
import { readSchema } from './schema.ts'
import type { ListedItem } from './server.ts'
import { writeConfigFile } from './write.ts'

const CHECK = {
  url: 'https://shop.example.com/',
  enabled: true,
  restricted: false,
  interval_sec: 60,
  match_string: '',
  result_detail_max_chars: 256,
  state: 'up',
  all_monitors: true,
  monitors: ['m1'],
}
const things: ListedItem[] = [
  {
    section: 'checks',
    id: 'g2',
    key: 'shop',
    fields: { ...CHECK, name: 'Shop', depends_on: 'g1', headers: { 'X-Empty': '' } },
  },
  { section: 'checks', id: 'g1', key: 'router', fields: { ...CHECK, name: 'router', enabled: false } },
  { section: 'checks', id: 'g3', key: undefined, fields: { ...CHECK, name: 'Nameless' } },
  {
    section: 'checks',
    id: 'g4',
    key: 'far',
    fields: { ...CHECK, name: 'far', depends_on: 'g3', all_monitors: undefined },
  },
  {
    section: 'heartbeats',
    id: 'h1',
    key: 'backup',
    fields: { name: 'backup', interval_sec: 86_400, grace_sec: 0, enabled: true, state: 'new' },
  },
]

test('a file has what cannot be left out, in one order, and names things by their keys', async () => {
  const text = writeConfigFile(fileOf(things, await readSchema()), './schema.json')
  expect(text).toBe(`# yaml-language-server: $schema=./schema.json
version: 1
checks:
  far:
    url: https://shop.example.com/
    interval_sec: 60
    depends_on: id:g3
    monitors:
      - m1
  router:
    url: https://shop.example.com/
    interval_sec: 60
    enabled: false
  shop:
    name: Shop
    url: https://shop.example.com/
    interval_sec: 60
    depends_on: router
    headers:
      X-Empty: ""
heartbeats:
  backup:
    interval_sec: 86400
    grace_sec: 0
`)
  const { config } = await readConfigFile('f', text, {})
  expect(config.checks?.shop).toMatchObject({ name: 'Shop', depends_on: 'router' })
})

test('dollars and braces of the server are no variables of the environment', async () => {
  const text = writeConfigFile(
    fileOf(
      [{ section: 'checks', id: 'g', key: 'a', fields: { ...CHECK, name: 'a', post_data: '${HOME} $${X} $1' } }],
      await readSchema(),
    ),
    's',
  )
  const { config } = await readConfigFile('f', text, {})
  expect(config.checks?.a?.post_data).toBe('${HOME} $${X} $1')
})

test.each([
  ['Shop (EU)', 'shop-eu'],
  ['Zürich – Büro', 'zurich-buro'],
  ['日本', 'unnamed'],
  ['-_-', 'unnamed'],
  ['x'.repeat(200), 'x'.repeat(64)],
])('the key of %j is %s', (name, key) => {
  expect(new Keys().take(name, 'unnamed')).toBe(key)
  expect(new Keys([key]).take(name, 'unnamed')).toBe(`${key.slice(0, 57)}-2`)
})
