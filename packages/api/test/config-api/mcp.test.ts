// `dogwatch-config mcp`, spoken to by the official client over standard input and output.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Client } from '@modelcontextprotocol/client'
import { configToken } from '../support/config-api.ts'
import { callTool, connectMcp } from '../support/mcp.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
const open: Client[] = []
beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  monitor = await w.monitor(org, 'fra-1')
})
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})
afterAll(() => w.close())

async function connect(scopes: string[]): Promise<{ client: Client; call: Call }> {
  const token = await configToken(w, org, { scopes })
  const client = await connectMcp(w, token)
  open.push(client)
  const call: Call = async (name, args) => {
    const said = await callTool(client, name, args)
    expect(JSON.stringify(said)).not.toContain(token)
    return said
  }
  return { client, call }
}

type Call = (name: string, args?: Record<string, unknown>) => ReturnType<typeof callTool>

const SHOP = {
  key: 'shop',
  name: 'Shop',
  url: 'https://probe:secret@shop.example.com/health',
  interval_sec: 60,
  match_string: 'ok',
}

async function failing(name: string): Promise<string> {
  const [guid = ''] = await w.checks(org, [{ name, tags: ['web'] }], 'all')
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { success: false, ran_at, http_status: 502, error: 'status 502' })])
  return guid
}

test('with a token that may write, a program sees what is down and why, and a check is proposed before it is applied', async () => {
  const { client, call } = await connect(['write'])
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'list_down',
    'list_incidents',
    'read_incident',
    'explain_check',
    'list_results',
    'propose_check',
    'apply_check',
    'run_check',
  ])
  expect(tools.filter(({ inputSchema }) => inputSchema.additionalProperties !== false)).toEqual([])
  expect(await call('list_down')).toEqual({ text: 'Nothing is down.', isError: false })

  const guid = await failing('Basket')
  const down = await call('list_down', { tag: 'web' })
  expect(down.text).toContain(`check Basket (${guid}): down since `)
  expect(down.text).toContain('status 502')
  const id = down.text.split('incident ').at(-1) ?? ''
  expect((await call('read_incident', { incident: id })).text).toContain('Monitor fra-1: failing since ')
  const explained = await call('explain_check', { check: guid })
  expect(explained.text).toContain('Rule: the status must be below 400')
  expect(explained.text).toContain('Alerts: down after 1 failure')
  expect(explained.text).toContain('Failed result at ')

  const results = await call('list_results', { check: guid, outcome: 'failed', since: '2026-01-01T00:00:00Z' })
  expect(results.text).toMatch(/^\S+: failed: status 502, status 502, 12 ms, from fra-1$/)
  expect((await call('list_results', { check: guid, outcome: 'passed' })).text).toBe('No such result.')

  const proposed = await call('propose_check', { check: SHOP })
  expect(proposed.text).toContain('created check shop')
  expect(proposed.text).toContain('url: not set -> https://probe:***@shop.example.com/health')
  const count = async () =>
    (await w.rows('select from checks where org_id = $1 and key = $2', org.org_id, 'shop')).length
  expect(await count()).toBe(0)
  const plan = proposed.text.split('Plan id: ')[1] ?? ''
  const other = await call('apply_check', { check: { ...SHOP, interval_sec: 30 }, plan })
  expect([other.text.startsWith('Nothing was changed'), await count()]).toEqual([true, 0])
  const applied = await call('apply_check', { check: SHOP, plan })
  expect([applied.text.endsWith('Done.'), applied.isError, await count()]).toEqual([true, false, 1])
  const again = (await call('propose_check', { check: SHOP })).text
  expect(again).toMatch(
    /^replaced check shop\n {2}url: has a secret that the token cannot compare\nNothing was changed/,
  )
  const hidden = { ...SHOP, url: 'https://probe:***@shop.example.com/health' }
  const same = (await call('propose_check', { check: hidden })).text
  expect(same).toBe('The check already has these values; nothing would change.')
  expect((await call('explain_check', { check: 'key:shop' })).text).not.toContain('secret')

  // Both of one instant: no time leads from one to the other.
  const nyc = await w.monitor(org, 'nyc-2')
  const [twice = ''] = await w.checks(org, [{}], 'all')
  const ran_at = w.clock.now().toISOString()
  for (const { client: its } of [monitor, nyc]) await its.upload([result(twice, { ran_at })])
  const first = (await call('list_results', { check: twice, limit: 1 })).text
  const after = /^There may be older ones: repeat the call with after "([^"]+)"\.$/m.exec(first)?.[1]
  const second = (await call('list_results', { check: twice, limit: 1, after })).text
  const monitorsOf = [first, second].map((text) => /from (\S+)$/m.exec(text)?.[1])
  expect(monitorsOf.toSorted()).toEqual(['fra-1', 'nyc-2'])
})

test('what is down and incidents are read page by page', async () => {
  const { call } = await connect(['read'])
  const guids = [await failing('Pier 1'), await failing('Pier 2'), await failing('Pier 3')]
  const MORE = /^There are more: repeat the call with after "([^"]+)"\.$/m
  for (const [tool, args] of [
    ['list_down', { tag: 'web' }],
    ['list_incidents', { state: 'open', tag: 'web' }],
  ] as const) {
    const seen: string[] = []
    let after: string | undefined
    do {
      const { text } = await call(tool, { ...args, limit: 1, ...(after !== undefined && { after }) })
      seen.push(...(/\(([^)]+)\): down since/.exec(text)?.slice(1) ?? []))
      after = MORE.exec(text)?.[1]
    } while (after !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(guids))
  }
  expect((await call('list_incidents', { after: 'nowhere' })).isError).toBe(true)
})

test('a check is run out of turn, and what it came to is told', async () => {
  const [guid = ''] = await w.checks(org, [{ name: 'Cellar' }], 'all')
  await monitor.client.sync()
  const { call } = await connect(['checks:write', 'checks:read'])
  const said = call('run_check', { check: guid, monitor: monitor.id })
  let id = ''
  await eventually(async () => {
    id = (await monitor.client.sync()).runs?.at(-1)?.id ?? ''
    return id !== ''
  }, 'the run is asked for')
  const ran_at = w.clock.now().toISOString()
  await monitor.client.reportRuns([{ id, success: false, kind: 'timeout', error: 'timeout', latency_ms: 10, ran_at }])
  expect(await said).toEqual({ text: 'It failed: timeout, 10 ms, from fra-1.', isError: false })
})

test('with a token that may only read there is no tool that changes anything, and faults are one line', async () => {
  const { client, call } = await connect(['read'])
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('apply_check')
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
  const missing = await call('explain_check', { check: 'key:nowhere' })
  expect(missing).toEqual({ text: expect.stringMatching(/^404: [^\n]+$/), isError: true })
  const faulty = await call('propose_check', { check: { ...SHOP, key: 'other', url: 'gopher://x' } })
  expect(faulty).toEqual({ text: expect.stringMatching(/^400: [^\n]+url[^\n]+$/), isError: true })
  const refused = async (name: string, args: Record<string, unknown>) =>
    call(name, args).then(
      ({ isError }) => isError,
      () => true,
    )
  expect(await refused('list_down', { everything: true })).toBe(true)
  expect(await refused('list_incidents', { limit: 5000 })).toBe(true)
  expect(await refused('propose_check', { check: { ...SHOP, tags: Array(500).fill('x') } })).toBe(true)
  expect(await refused('apply_check', { check: SHOP, plan: '0'.repeat(16) })).toBe(true)
})

test('numbers, dates and choices that nobody should send are refused in a line, whatever the tool', async () => {
  const { client, call } = await connect(['write'])
  const { tools } = await client.listTools()
  const guid = await failing('Lamp')
  const right = new Map(Object.entries({ check: guid, incident: 'x', plan: 'x' }))
  const values = [1e308, -1, '1e400', '0001-01-01T00:00:00Z', '9999-12-31T23:59:60Z', 'constructor']
  let count = 0
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: string[] }
    for (const field of Object.keys(properties)) {
      for (const value of values) {
        const given = Object.fromEntries(required.map((one) => [one, right.get(one) ?? SHOP]))
        const said = await call(name, { ...given, [field]: value }).catch((error: Error) => ({ text: error.message }))
        expect({
          name,
          field,
          value,
          text: said.text,
          isFault: /internal|TypeError|500/.test(said.text),
        }).toMatchObject({ isFault: false })
        expect(said.text).not.toBe('')
        count++
      }
    }
  }
  expect(count).toBeGreaterThan(80)
})
