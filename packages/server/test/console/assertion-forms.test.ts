// Assertions and what a request sends, in the form of a check and on its page, for a member without scripts.
import { describe, expect, test } from '@jest/globals'
import { bob, fault, guidHere, oneCheck, stored, w } from '../support/check-pages.ts'

/** Fills the rows of assertions: each has a part, a path, a comparison and a value. */
const rows = (...all: readonly (readonly [on: string, at: string, is: string, value: string])[]) =>
  Object.fromEntries(
    ['on', 'at', 'is', 'value'].map((part, index) => [`assertion_${part}`, all.map((row) => row[index] ?? '')]),
  )
const REQUEST = { method: 'PUT', status_codes: '200-299, 301', ip_family: 'both', max_redirects: '3', post_data: 'x' }
const shown = () =>
  bob
    .all('.assertions li')
    .map((row) => [
      row.querySelector('[name=assertion_on] [selected]')?.getAttribute('value') ?? '',
      row.querySelector('[name=assertion_at]')?.getAttribute('value') ?? '',
      row.querySelector('[name=assertion_is] [selected]')?.getAttribute('value') ?? '',
      row.querySelector('[name=assertion_value]')?.getAttribute('value') ?? '',
    ])

test('a check gets its request and its assertions, with values as they were typed, and an edit keeps them', async () => {
  await bob.open('/checks/new')
  await bob.submit('/checks/new', {
    name: 'api',
    url: 'https://api.example/',
    proxy: 'http://u:secret-word@proxy.example:3128',
    ...REQUEST,
    ...rows(
      ['json', ' $.n ', 'gte', '5'],
      ['', '', 'eq', ''],
      ['json', '$.n', 'ne', '"5"'],
      ['json', '$.up', 'eq', 'true'],
      ['json', '$.error', 'absent', ''],
      ['json', '$.left', 'eq', 'null'],
      ['header', 'content-length', 'eq', '5'],
      ['body', '', 'contains', '"two\\nlines"'],
      ['certificate', 'days_left', 'gt', '7.5'],
    ),
  })
  const content = {
    method: 'PUT',
    status_codes: ['200-299', '301'],
    ip_family: 'both',
    max_redirects: 3,
    cert_warn_percent: 33,
    restricted: true,
    proxy: 'http://u:secret-word@proxy.example:3128',
    assertions: [
      { on: 'json', at: '$.n', is: 'gte', value: 5 },
      { on: 'json', at: '$.n', is: 'ne', value: '5' },
      { on: 'json', at: '$.up', is: 'eq', value: true },
      { on: 'json', at: '$.error', is: 'absent' },
      { on: 'json', at: '$.left', is: 'eq', value: null },
      { on: 'header', at: 'content-length', is: 'eq', value: '5' },
      { on: 'body', is: 'contains', value: 'two\nlines' },
      { on: 'certificate', at: 'days_left', is: 'gt', value: 7.5 },
    ],
  }
  const guid = guidHere()
  expect(await stored(guid)).toMatchObject(content)
  await bob.open(`/checks/${guid}/definition`)
  expect(bob.text()).toContain('JSON body $.n is at least 5')
  expect(bob.text()).toContain('JSON body $.error does not exist')
  expect(bob.page.html).not.toContain('secret-word')
  await bob.open(`/checks/${guid}/edit`)
  expect(bob.page.html).not.toContain('secret-word')
  await bob.submit(`/checks/${guid}/edit`)
  expect(await stored(guid)).toMatchObject(content)
})

describe('a refusal names the assertion and its part, and keeps what was typed', () => {
  test.each<[string, [string, string, string, string], string]>([
    ['no part', ['', '$.a', 'eq', '1'], '“Assertions” 2: the part must be one of'],
    ['a path with a filter', ['json', '$.a[?b]', 'eq', '1'], '“Assertions” 2: the path or name must be a JSON path'],
    ['a text that has no order', ['json', '$.a', 'gt', 'b'], '“Assertions” 2: the value must be a number for gt.'],
    ['a bad pattern', ['body', '', 'regex', '('], '“Assertions” 2: the value is not a valid regular expression'],
    ['a foreign part', ['stratum', '', 'lt', '3'], '“Assertions” 2: the part does not apply to https:// targets.'],
  ])('%s', async (_, row, line) => {
    await bob.open('/checks/new')
    const typed = rows(['json', '$.ok', 'eq', 'true'], row)
    await bob.submit('/checks/new', { name: 'api', url: 'https://api.example/', ...typed })
    expect([bob.page.status, fault()]).toEqual([400, [expect.stringContaining(line)]])
    expect(shown().slice(0, 2)).toEqual([['json', '$.ok', 'eq', 'true'], row])
    const at = ['the path', 'the comparison', 'the value'].findIndex((part) => line.includes(part))
    const input = `#field-assertions-1${['', '-at', '-is', '-value'][at + 1]}`
    expect(bob.all(`details.part[open] ${input}`).map((one) => one.getAttribute('aria-invalid'))).toEqual(['true'])
  })
})

test('a form has room for twenty assertions, and refuses one more', async () => {
  const all = Array.from({ length: 21 }, (_, index): [string, string, string, string] => [
    'json',
    `$[${index}]`,
    'eq',
    '1',
  ])
  await bob.open('/checks/new')
  await bob.submit('/checks/new', { name: 'api', url: 'https://api.example/', ...rows(...all) })
  expect(fault()).toEqual(['“Assertions” must have 20 entries or fewer.'])
  await bob.submit('/checks/new', rows(...all.slice(1)))
  expect(await stored(guidHere())).toMatchObject({
    assertions: all.slice(1).map(([, at]) => expect.objectContaining({ at })),
  })
})

test('the suggested share of a lifetime is for targets with a certificate, and other shares are refused there', async () => {
  await bob.open('/checks/new')
  expect(bob.all('#field-cert_warn_percent')[0]?.getAttribute('value')).toBe('33')
  await bob.submit('/checks/new', { name: 'host', url: 'icmp://host.example' })
  expect(await stored(guidHere())).toMatchObject({ cert_warn_percent: 0 })
  await bob.open('/checks/new')
  await bob.submit('/checks/new', { name: 'host', url: 'icmp://host.example', cert_warn_percent: '20' })
  expect(fault()).toEqual([expect.stringMatching(/does not apply to icmp:\/\/ targets: clear this field/)])
  const guid = await oneCheck({ url: 'https://old.example/' })
  await bob.open(`/checks/${guid}/edit`)
  expect(bob.all('#field-cert_warn_percent')[0]?.getAttribute('value')).toBe('')
})

test('a proxy keeps its password only while it stays where it is', async () => {
  const proxy = 'http://u:secret-word@proxy.example:3128'
  const guid = await oneCheck({ url: 'https://api.example/', proxy })
  await bob.open(`/checks/${guid}/edit`)
  expect(bob.all('#field-proxy')[0]?.getAttribute('value')).toBe('http://u:***@proxy.example:3128')
  await bob.submit(`/checks/${guid}/edit`, { proxy: 'http://u:***@thief.example:3128' })
  expect(fault()).toEqual([expect.stringMatching(/“Proxy” must be given again/)])
  expect(await stored(guid)).toMatchObject({ proxy })
  expect(await w.rows('select from audit_entries where detail::text like $1', '%secret-word%')).toEqual([])
})
