// What a plan may show of a field.
import { expect, test } from '@jest/globals'
import { shownOf } from './differences.ts'
import { readConfigFile } from './read.ts'

const TOKEN = `tok-${'long'.repeat(100)}`

async function show(text: string) {
  const { source } = await readConfigFile('f', `version: 1\n${text}`, { TOK: TOKEN })
  return shownOf(source, new Map())
}

const SHOP = 'checks: { shop: { url: "https://shop.example.com/", interval_sec: 60 } }'
const cut = (text: string) => `${text.slice(0, 300)}… (${text.length} characters)`

test('what defaults take from the environment is not shown, before or after', async () => {
  const shown = await show(
    `defaults: { checks: { headers: { Accept: "a \${TOK}" }, match_string: "\${TOK}" } }\n${SHOP}`,
  )
  const headers = { before: { Accept: 'rotated' }, after: { Accept: `a ${TOKEN}` } }
  const hidden = { before: '(from the environment)', after: '(from the environment)' }
  expect(shown(['checks', 'shop'], { field: 'headers', ...headers })).toEqual({ field: 'headers', ...hidden })
  const match_string = { before: 'rotated', after: cut(TOKEN) }
  expect(shown(['checks', 'shop'], { field: 'match_string', ...match_string })).toEqual({
    field: 'match_string',
    ...hidden,
  })
})

test('fields that may hold secrets are hidden whole as text, and of what is deleted', async () => {
  const shown = await show(SHOP)
  const shop = ['checks', 'shop']
  const hidden = (field: string) => ({ field, before: '(hidden)' })
  const before = cut(JSON.stringify({ 'X-Plain': 'p'.repeat(300), Authorization: 'hunter2' }))
  expect(shown(shop, { field: 'headers', before })).toEqual(hidden('headers'))
  expect(shown(shop, { field: 'post_data', before: 'user=a&pass=b' })).toEqual(hidden('post_data'))
  expect(shown(undefined, { field: 'headers', before: { 'X-Plain': 'hunter2' } })).toEqual(hidden('headers'))
  expect(shown(shop, { field: 'post_data', before: '(secret)', compared: false })).toMatchObject({ compared: false })
  expect(shown(undefined, { field: 'url', before: 'https://me:hunter2@a.example.com/' })).toEqual({
    field: 'url',
    before: 'https://me:***@a.example.com/',
  })
  expect(shown(undefined, { field: 'url', before: cut(`https://me:${'h'.repeat(400)}@a.example.com/`) })).toEqual({
    field: 'url',
    before: 'https://***',
  })
})

test('a value of the environment that the server has cut is still found elsewhere', async () => {
  const shown = await show(`x-a: "\${TOK}"\n${SHOP}`)
  const shop = ['checks', 'shop']
  const before = (field: string, value: string) => shown(shop, { field, before: value }).before
  expect(before('match_string', cut(`is ${TOKEN}`))).toBe('is ${TOK}… (407 characters)')
  expect(before('steps', cut(JSON.stringify([{ a: TOKEN }])))).toBe('[{"a":"${TOK}… (414 characters)')
  expect(before('match_string', 'tok-long')).toBe('tok-long')
})
