// Results of checks and the log of deliveries, by the configuration API.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { configToken, configurator } from '../support/config-api.ts'
import { type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  monitor = await w.monitor(org, 'fra-1')
  ask = configurator(w, await configToken(w, org, { scopes: ['read'] }))
})
afterAll(() => w.close())

interface Page {
  results: { ran_at: string; monitor_id: string; success: boolean; error?: string }[]
  next?: string
}

const START = Date.parse('2026-11-20T11:00:00.000Z')
const at = (minute: number) => new Date(START + minute * 60_000).toISOString().replace('Z', '000Z')

/** A result a minute; every third one fails. */
async function checkWithResults(count: number): Promise<string> {
  const [guid = ''] = await w.checks(org, [{}], 'all')
  await monitor.client.upload(
    Array.from({ length: count }, (_, minute) =>
      result(guid, {
        ran_at: at(minute),
        ...(minute % 3 === 0 && { success: false, http_status: 502, error: 'status 502' }),
      }),
    ),
  )
  return guid
}

test('pages of results hold each one once, the newest first', async () => {
  const guid = await checkWithResults(7)
  const minutes: string[] = []
  let next: string | undefined
  const sizes: number[] = []
  do {
    const { body } = await ask('get', `/checks/${guid}/results?limit=3${next === undefined ? '' : `&after=${next}`}`)
    const page = body as Page
    sizes.push(page.results.length)
    minutes.push(...page.results.map(({ ran_at }) => ran_at))
    next = page.next
  } while (next !== undefined)
  expect(minutes).toEqual([6, 5, 4, 3, 2, 1, 0].map(at))
  expect(sizes).toEqual([3, 3, 1])
})

test('results are asked for by outcome, monitor and time', async () => {
  const guid = await checkWithResults(7)
  const minutesOf = async (query: string) => {
    const { status, body } = await ask('get', `/checks/${guid}/results?${query}`)
    expect(status).toBe(200)
    return (body as Page).results.map(({ ran_at }) => (Date.parse(ran_at) - START) / 60_000)
  }
  expect(await minutesOf('success=false')).toEqual([6, 3, 0])
  expect(await minutesOf(`monitor=${monitor.id}&success=true&limit=2`)).toEqual([5, 4])
  expect(await minutesOf('monitor=nobody')).toEqual([])
  expect(await minutesOf(`since=${at(2)}&until=${at(5)}`)).toEqual([4, 3, 2])
  const failed = await ask('get', `/checks/${guid}/results?success=false&limit=1`)
  expect((failed.body as Page).results[0]).toMatchObject({
    monitor_id: monitor.id,
    monitor_name: 'fra-1',
    success: false,
    http_status: 502,
    error: 'status 502',
  })
  const odd = await ask('get', `/checks/${guid}/results?after=nonsense`)
  expect([odd.status, odd.text]).toEqual([400, 'after must be the value of "next" from the previous page'])
  // Postgres cannot store such a text.
  expect(await minutesOf('monitor=%00')).toEqual([])
  expect((await ask('get', `/checks/${guid}/results?after=${at(2).replaceAll(':', '~')}_%00`)).status).toBe(400)
})

test('the log says what was sent to whom, and what came of it', async () => {
  const writes = configurator(w, await configToken(w, org))
  await writes('post', '/channels', { key: 'ops', name: 'Ops', kind: 'ntfy', destination: { ntfy_topic: 'ops' } })
  await writes('post', '/channels', { key: 'boss', name: 'Boss', kind: 'ntfy', destination: { ntfy_topic: 'boss' } })
  const [guid = ''] = await w.checks(org, [{ name: 'Shop' }], 'all')
  await monitor.client.upload([result(guid, { success: false, ran_at: w.clock.now().toISOString() })])
  const test = await writes('post', '/channels/key:ops/test')
  const { delivery } = test.body as { delivery: string }
  const told = async (query = '') => {
    const { status, body } = await ask('get', `/deliveries${query}`)
    expect(status).toBe(200)
    const { deliveries } = body as { deliveries: { event: string; channel: { name: string }; incident?: string }[] }
    return deliveries.map(({ event, channel }) => `${event} ${channel.name}`).sort()
  }
  expect(await told()).toEqual(['channel.test Ops', 'check.down Boss', 'check.down Ops'])
  expect(await told('?channel=key:boss')).toEqual(['check.down Boss'])
  expect(await told(`?check=${guid}`)).toEqual(['check.down Boss', 'check.down Ops'])
  const [incident] = await w.rows('select incident_id from incidents where org_id = $1', org.org_id)
  expect(await told(`?incident=${String(incident?.incident_id)}&channel=key:ops`)).toEqual(['check.down Ops'])
  expect(await told('?incident=none')).toEqual([])
  expect(await told('?state=failed')).toEqual([])
  expect(await told('?state=pending&channel=key:boss')).toEqual(['check.down Boss'])
  const one = await ask('get', `/deliveries/${delivery}`)
  expect(one.body).toMatchObject({ id: delivery, event: 'channel.test', state: 'pending', attempts: 0 })
  const first = await ask('get', '/deliveries?limit=2')
  const { next, deliveries: newest } = first.body as { next: string; deliveries: { id: string }[] }
  const rest = await ask('get', `/deliveries?limit=2&after=${next}`)
  expect((rest.body as { deliveries: unknown[] }).deliveries).toHaveLength(1)
  expect(rest.body).not.toHaveProperty('next')
  const unknown = await ask('get', '/deliveries?channel=key:nobody')
  expect([unknown.status, unknown.text]).toEqual([404, 'no channel with that key'])

  const seenWith = async (...scopes: string[]) => {
    const read = configurator(w, await configToken(w, org, { scopes }))
    const { body } = await read('get', `/deliveries?check=${guid}&limit=1`)
    const [its] = (body as { deliveries: { id: string }[] }).deliveries
    expect((await read('get', `/deliveries/${its?.id}`)).body).toEqual(its)
    return its
  }
  const all = { names: ['Shop'], incident: incident?.incident_id }
  expect(await seenWith('read')).toMatchObject(all)
  const blind = await seenWith('channels:read')
  expect(blind).not.toHaveProperty('names')
  expect(blind).not.toHaveProperty('incident')
  expect(await seenWith('channels:read', 'heartbeats:read')).toEqual(blind)
  expect(await seenWith('channels:read', 'checks:read')).toEqual({ ...blind, names: ['Shop'] })
  expect(await seenWith('channels:read', 'incidents:read')).toEqual({ ...blind, incident: incident?.incident_id })

  // Retention, or whoever deletes a channel, may take away what a page ended with.
  const [head, last] = newest.map(({ id }) => id)
  await w.rows('delete from deliveries where org_id = $1 and delivery_id = $2', org.org_id, last)
  expect((await ask('get', `/deliveries?limit=2&after=${next}`)).body).toEqual(rest.body)
  for (const gone of [head, 'nonsense', `${next}0_1`]) {
    const answer = await ask('get', `/deliveries?after=${gone}`)
    expect([answer.status, answer.text]).toEqual([400, 'after must be the value of "next" from the previous page'])
  }
})
