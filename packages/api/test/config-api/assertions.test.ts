// Assertions and what a request sends, at every door but the console's form: files, both APIs, bulk, the words of the MCP tools, search,
// audit and export.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { findOfOrg } from '@dogwatch/domain/search/find'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { run } from '../../../config-sdk/src/cli/main.ts'
import { checkLines } from '../../../config-sdk/src/mcp/words.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

let w: World
let folder: string
let org: Org
let token: string
beforeAll(async () => {
  w = await world()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-assertions-'))
})
beforeEach(async () => {
  org = await w.org('team')
  token = await configToken(w, org, { scopes: ['write', 'checks:secrets'] })
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await w.close()
})

const CONTENT = {
  method: 'PUT',
  status_codes: ['200-299', '301'],
  ip_family: 'both',
  max_redirects: 3,
  proxy: 'http://probe:proxy-word@proxy.example.com:3128',
  cert_warn_percent: 33,
  assertions: [
    { on: 'json', at: '$.n', is: 'eq', value: 5 },
    { on: 'json', at: '$.text', is: 'eq', value: '5' },
    { on: 'json', at: '$.left', is: 'eq', value: null },
    { on: 'json', at: '$.error', is: 'absent' },
    { on: 'header', at: 'x-canary', is: 'contains', value: 'canary-value' },
  ],
}
const SHOP = { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60, ...CONTENT }
const FILE = { version: 1, checks: { shop: SHOP } }

async function cli(args: string[], file: unknown = '', env: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough({ highWaterMark: 2 ** 24 })]
  const code = await run({
    args,
    env: { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: token, ...env },
    stdin: Readable.from([JSON.stringify(file)]),
    stdout,
    stderr,
    signal: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  return { code, out: await text(stdout), err: await text(stderr) }
}

const guidOf = async () => (await w.rows('select guid from checks where org_id = $1', org.org_id))[0]?.guid as string

test('a file is planned, applied, and pulled as it was, and a plan shows one rule that changes', async () => {
  const planned = await cli(['plan', '-'], FILE)
  expect(planned).toMatchObject({ code: 2, out: expect.stringContaining('"at":"$.n"') })
  expect(planned.out).not.toContain('proxy-word')
  expect(await cli(['apply', '-'], FILE)).toMatchObject({ code: 0, err: '' })
  expect(await cli(['plan', '-'], FILE)).toMatchObject({ code: 0, out: 'No changes: 1 item matches the file.\n' })
  const [pulled, variables] = [join(folder, 'pulled.yaml'), join(folder, 'variables')]
  expect(await cli(['pull', pulled, '--variables-file', variables])).toMatchObject({ code: 0 })
  const written = await readFile(pulled, 'utf8')
  expect(written).not.toContain('proxy-word')
  const [, name = ''] = /proxy: http:\/\/probe:\$\{(\w+)\}@proxy\.example\.com:3128/.exec(written) ?? []
  expect(await readFile(variables, 'utf8')).toContain(`${name}='proxy-word'`)
  const same = await cli(['plan', pulled], '', { [name]: 'proxy-word' })
  expect(same).toMatchObject({ code: 0, out: 'No changes: 1 item matches the file.\n' })
  const changed = { ...SHOP, assertions: CONTENT.assertions.with(0, { on: 'json', at: '$.n', is: 'eq', value: 6 }) }
  const { code, out } = await cli(['plan', '-'], { version: 1, checks: { shop: changed } })
  expect([code, out]).toEqual([2, expect.stringMatching(/^~ check shop\n {4}assertions: .*"value":5.*→.*"value":6/)])
})

test('both APIs and the export contain them, and only a token for secrets reads the password of the proxy', async () => {
  const ask = configurator(w, token)
  const created = await ask('post', '/checks', SHOP)
  expect([created.status, created.body]).toEqual([201, expect.objectContaining({ ...CONTENT, restricted: true })])
  const { guid } = created.body as { guid: string }
  const reader = configurator(w, await configToken(w, org, { scopes: ['read'] }))
  const { body } = await reader('get', `/checks/${guid}`)
  expect(body).toMatchObject({ ...CONTENT, proxy: 'http://probe:***@proxy.example.com:3128' })
  const kept = await ask('patch', `/checks/${guid}`, {
    proxy: 'http://probe:***@proxy.example.com:3128',
    name: 'Store',
  })
  expect([kept.status, kept.body]).toEqual([200, expect.objectContaining(CONTENT)])
  const moved = await ask('patch', `/checks/${guid}`, { proxy: 'http://probe:***@thief.example.com:3128' })
  expect([moved.status, moved.text]).toEqual([400, expect.stringMatching(/^proxy must be given again/)])
  const pat = { Authorization: `Bearer ${await w.pat(org)}` }
  const one = await w.http.get(`${ACCOUNT}/checks/${guid}`).set(pat)
  const all = await w.http.get(`${ACCOUNT}/export`).set(pat)
  expect([one.body, (all.body as { checks: unknown[] }).checks[0]]).toMatchObject([CONTENT, CONTENT])
  const back = await ask('put', `/checks/${guid}`, { ...SHOP, name: 'Store' })
  expect([back.status, back.headers.etag]).toEqual([200, kept.headers.etag])
})

test('search looks at targets and names only, the audit log names fields only, and tools say rules in words', async () => {
  const ask = configurator(w, token)
  const { body } = await ask('post', '/checks', SHOP)
  const { guid } = body as { guid: string }
  await ask('patch', `/checks/${guid}`, { assertions: [], status_codes: [] })
  for (const wanted of ['canary', 'proxy', '200-299', '$.n'])
    expect(await findOfOrg(w.deps, org.org_id, wanted)).toEqual([])
  const entries = await w.rows('select detail from audit_entries where org_id = $1', org.org_id)
  expect(JSON.stringify(entries)).toMatch(/assertions/)
  expect(JSON.stringify(entries)).not.toMatch(/canary|proxy-word|200-299/)
  const lines = checkLines(body as Parameters<typeof checkLines>[0]).join('\n')
  expect(lines).toContain(
    'with PUT, over IPv4 and over IPv6, with at most 3 redirects, through the proxy http://probe:***@',
  )
  expect(lines).toContain('Rule: the status must be one of 200-299, 301')
  expect(lines).toContain('Rule: JSON body $.error does not exist')
})

describe('a refusal names the rule and its part', () => {
  const assertions = [
    { on: 'body', is: 'exists' },
    { on: 'size', is: 'lt', value: 1 },
    { on: 'json', at: '$..a', is: 'exists' },
  ]
  const faulty = { ...SHOP, assertions }

  test('by the API, in bulk and in a file, where the file also says the line', async () => {
    const ask = configurator(w, token)
    const one = await ask('post', '/checks', faulty)
    expect([one.status, one.text]).toEqual([400, expect.stringMatching(/^assertions\[2\]\.at must be a JSON path/)])
    const changes = [{ action: 'put', kind: 'check', key: 'shop', body: faulty }]
    const bulk = await ask('post', '/bulk', { changes }, { Accept: 'application/problem+json' })
    expect(JSON.parse(bulk.text)).toMatchObject({ errors: [{ pointer: '#/changes/0/body/assertions/2/at' }] })
    const { code, err } = await cli(['validate', '-'], { version: 1, checks: { shop: faulty } })
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^stdin:1:\d+: checks\.shop\.assertions\[2\]\.at must be a JSON path/),
    ])
    expect(await guidOf()).toBeUndefined()
  })
})
