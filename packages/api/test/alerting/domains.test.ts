// Domain checks: when a registration ends, asked from a registry that is a real HTTP server.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPost } from '@dogwatch/channels/egress'
import { RDAP_MAX_BYTES, readServices, shippedServices } from '@dogwatch/channels/rdap'
import { readCheckWithState } from '@dogwatch/domain/checks/read'
import { askRegistries } from '@dogwatch/domain/judged/ask-registries'
import { readRegistration } from '@dogwatch/domain/judged/domains'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type Org, type World, world } from '../support/world.ts'

const DAY_SEC = 86_400

let w: World
let registry: Server
let requests: string[] = []
let answer: (response: ServerResponse, name: string) => void

beforeAll(async () => {
  w = await world()
  registry = createServer(({ url = '' }, response) => {
    requests.push(url)
    answer(response, url.split('/').at(-1) ?? '')
  })
  await new Promise<void>((resolve) => void registry.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  registry.closeAllConnections()
  registry.close()
  await w.close()
})
afterEach(async () => {
  requests = []
  await w.rows('update checks set deleted = true where not deleted')
  await w.rows('delete from registrations')
})

const registriesOf = () => {
  const { port } = registry.address() as AddressInfo
  const services = readServices({ services: [[['com', 'uk', 'org'], [`http://127.0.0.1:${port}/rdap/`]]] })
  return { services, get: openPost('anywhere', 5000, RDAP_MAX_BYTES) }
}

/** Lets time pass until new names are due, asks, and judges. */
async function ask(sec = 30): Promise<number> {
  await judgeByServer(w.deps)
  w.clock.forward(sec)
  const asked = await askRegistries(w.deps, registriesOf())
  w.clock.forward(30)
  await judgeByServer(w.deps)
  return asked
}

const found =
  (days: number, given: Record<string, unknown> = {}) =>
  (response: ServerResponse, name: string) =>
    response.end(
      JSON.stringify({
        ldhName: name.toUpperCase(),
        events: [
          { eventAction: 'expiration', eventDate: new Date(w.clock.now().getTime() + days * 86_400_000).toISOString() },
        ],
        entities: [
          {
            roles: ['registrar'],
            vcardArray: [
              'vcard',
              [
                ['version', {}, 'text', '4.0'],
                ['fn', {}, 'text', 'Names Ltd'],
              ],
            ],
          },
        ],
        nameservers: [{ ldhName: 'NS1.EXAMPLE.COM' }],
        status: ['active'],
        padding: 'x'.repeat(20_000),
        ...given,
      }),
    )

const check = async (org: Org, url: string) => (await w.checks(org, [{ name: 'names', url }]))[0] ?? ''
const stateOf = async (org: Org, guid: string) => (await readCheckWithState(w.deps, org.org_id, guid)).state?.state

test('a check is up, degraded and down as the end of the registration comes near, and each change is one alert', async () => {
  const org = await w.org()
  const guid = await check(org, 'domain:www.example.co.uk?warn=30&fail=7')
  answer = found(40)
  expect(await ask()).toBe(1)
  expect(requests).toEqual(['/rdap/domain/example.co.uk'])
  expect(await stateOf(org, guid)).toBe('up')
  expect(await readRegistration(w.deps, 'domain:www.example.co.uk')).toMatchObject({
    ...{ name: 'example.co.uk', registrar: 'Names Ltd', name_servers: ['ns1.example.com'], statuses: ['active'] },
  })
  answer = found(20)
  await ask(1.2 * DAY_SEC)
  expect(await stateOf(org, guid)).toBe('degraded')
  answer = found(5)
  await ask(1.2 * DAY_SEC)
  expect(await stateOf(org, guid)).toBe('down')
  answer = found(400)
  await ask(1.2 * DAY_SEC)
  expect(await stateOf(org, guid)).toBe('up')
  const events = await w.rows(`select type from events where org_id = $1 order by created_at, type`, org.org_id)
  expect(events.map(({ type }) => type)).toEqual(['check.degraded', 'check.down', 'check.undegraded', 'check.up'])
})

test('a name is asked once a day, for all organisations together and by any number of servers', async () => {
  const orgs = [await w.org(), await w.org()]
  for (const org of orgs) await check(org, `domain:example.com?warn=${(org.org_id % 300) + 1}`)
  answer = found(400)
  await judgeByServer(w.deps)
  w.clock.forward(30)
  const asked = await Promise.all([1, 2, 3].map(() => askRegistries(w.deps, registriesOf())))
  expect(asked.reduce((sum, one) => sum + one, 0)).toBe(1)
  await ask(0.9 * DAY_SEC)
  expect(requests).toHaveLength(1)
  await ask(0.4 * DAY_SEC)
  expect(requests).toHaveLength(2)
})

test('a registry that wants fewer requests is left alone, with all of its names', async () => {
  const org = await w.org()
  for (const name of ['a', 'b', 'c']) await check(org, `domain:${name}.org`)
  answer = (response) => response.writeHead(429, { 'retry-after': '7200' }).end()
  await ask()
  await ask(3600)
  expect(requests).toHaveLength(1)
  answer = found(400)
  await ask(7200)
  await ask(7200)
  expect(new Set(requests).size).toBe(3)
})

test('a registry is asked for a few names a minute', async () => {
  const org = await w.org()
  for (let n = 0; n < 7; n++) await check(org, `domain:name${n}.com`)
  answer = found(400)
  expect(await ask()).toBe(5)
  expect(await askRegistries(w.deps, registriesOf())).toBe(0)
  expect(await ask(60)).toBe(2)
})

test.each<[string, string, (response: ServerResponse, name: string) => void, string]>([
  ['has no RDAP service', 'domain:example.de', found(400), 'the registry of .de has no RDAP service'],
  [
    'does not know the name',
    'domain:example.com',
    (response) => response.writeHead(404).end(),
    'the registry does not know the name',
  ],
  [
    'gives no end',
    'domain:example.com',
    found(1, { events: [{ eventAction: 'registration', eventDate: '2020-01-01' }] }),
    'the registry does not say when registrations end',
  ],
  [
    'answers with something else',
    'domain:example.com',
    (response) => response.end('<html>'),
    'the registry has not answered yet',
  ],
  [
    'answers about another name',
    'domain:example.com',
    found(400, { ldhName: 'other.com' }),
    'the registry has not answered yet',
  ],
  [
    'cuts its answer',
    'domain:example.com',
    (response) => response.writeHead(200, { 'content-length': '900' }).write('{"eve', () => response.destroy()),
    'the registry has not answered yet',
  ],
  [
    'redirects in a circle',
    'domain:example.com',
    (response, name) => response.writeHead(302, { location: `/rdap/domain/${name}` }).end(),
    'the registry has not answered yet',
  ],
])('a registry that %s: the check is not monitored, and says why', async (_, url, hostile, reason) => {
  const org = await w.org()
  const guid = await check(org, url)
  answer = hostile
  await ask()
  const { check: row } = await readCheckWithState(w.deps, org.org_id, guid)
  expect(await stateOf(org, guid)).toBe('unmonitored')
  expect(await w.rows('select reason from judgements where check_id = $1 and ended_at is null', row.check_id)).toEqual([
    { reason },
  ])
  expect(await w.rows('select type from events where org_id = $1', org.org_id)).toEqual([])
})

test('the shipped list has the large registries', () => {
  const services = shippedServices()
  expect(services.get('com')).toMatch(/^https:.*verisign/)
  expect(services.size).toBeGreaterThan(1000)
})
