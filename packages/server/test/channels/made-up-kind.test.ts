// A kind of channel that the registry did not know a moment ago is everywhere that channels are.
import { fileURLToPath } from 'node:url'
import type { ChannelKind } from '@dogwatch/channels/kind'
import { channelKinds, createChannels, kindNames, registerKind } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deliverOnce } from '../../../alerting/src/deliver.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { settingsFor } from '../../../store/test/support/database.ts'
import { runDogwatch } from '../commands/operator.ts'
import { Browser } from '../support/browser.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'
import { pigeon } from './pigeon/kind.ts'

const RING = 'DE-987654'
let w: World
let org: Org
let inbox: Receiver
beforeAll(async () => {
  registerKind(pigeon)
  w = await world()
  org = await w.org()
  inbox = await receiver()
})
afterAll(async () => {
  await inbox.close()
  await w.close()
  // Other test files share the registry.
  ;(channelKinds() as ChannelKind[]).splice(kindNames().indexOf(pigeon.name), 1)
})

const browserOf = async ({ owner_id, org_id }: Org) =>
  new Browser(w.direct, await openSession(w.deps, owner_id, org_id))
const stored = async ({ org_id }: Org) =>
  w.rows('select kind, destination, email from notification_channels where org_id = $1 order by id', org_id)

async function listed(of: Org): Promise<unknown> {
  const answer = await w.http.get(`${ACCOUNT}/notification-channels`).set('Authorization', `Bearer ${await w.pat(of)}`)
  return answer.status === 200 ? (answer.body as unknown) : answer.text
}

async function send(): Promise<void> {
  const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined }
  const channels = createChannels({ ...settings, ntfy_url: 'http://127.0.0.1:1' })
  await deliverOnce({ ...w.deps, channels, public_url: 'https://dogwatch.example' })
}

test('the console offers it, has its form, refuses what it refuses, and shows no secret of it', async () => {
  const one = await browserOf(org)
  await one.open('/channels/new')
  expect(one.text()).toContain('A message on the leg of a pigeon.')
  await one.open('/channels/new?kind=pigeon')
  expect(one.all('label').map(({ text }) => text.trim())).toEqual(['Name', 'Loft', 'Ring', 'Keeper'])
  expect(one.text()).toContain('As it stands on the ring of the pigeon.')
  await one.submit('/channels/new', { name: 'Alice', loft_url: inbox.url, ring_number: '7' })
  expect(one.all('[role=alert]').map(({ text }) => text.trim())).toEqual(['“Ring” must be such as DE-123456.'])
  await one.submit('/channels/new', { ring_number: RING })
  expect(one.text()).toContain('Send a test message to check that it works.')
  expect(one.all('dt').map(({ text }) => text)).toEqual(['State', 'Type', 'Destination', 'Country'])
  expect(one.all('dd').map(({ text }) => text)).toEqual(['Enabled', 'Pigeon', new URL(inbox.url).host, 'DE'])
  expect(one.page.html).not.toContain(RING)
  await one.open('/channels')
  expect(one.text()).toContain(new URL(inbox.url).host)
  expect(one.page.html).not.toContain(RING)
  expect(await stored(org)).toEqual([
    { kind: 'pigeon', destination: { loft_url: inbox.url, ring_number: RING }, email: '' },
  ])
})

test('the plan says who may have it', async () => {
  const free = await w.org('free')
  const one = await browserOf(free)
  await one.open('/channels/new')
  expect(one.all('a[href="/channels/new?kind=pigeon"]')).toEqual([])
  expect(one.text()).toMatch(/Pigeon\s+A message on the leg of a pigeon. Not available on the free plan./)
  const wanted = { kind: 'pigeon', name: 'Bob', loft_url: inbox.url, ring_number: RING }
  await expect(createChannel(w.deps, free.org_id, wanted)).rejects.toThrow(
    /^kind must be one of ntfy, email\b.* on the free plan$/,
  )
  const solo = await w.org('solo')
  await createChannel(w.deps, solo.org_id, wanted)
  await expect(createChannel(w.deps, solo.org_id, { ...wanted, ntfy_topic: 'x' })).rejects.toThrow(
    'ntfy_topic does not apply to pigeon channels',
  )
})

test('the account API lists it with its fields', async () => {
  expect(await listed(org)).toEqual([
    {
      id: expect.any(Number),
      name: 'Alice',
      kind: 'pigeon',
      enabled: true,
      destination: { loft_url: inbox.url, ring_number: RING },
    },
  ])
})

test('what it refuses is told without its secrets, what it takes is delivered, and its last word ends it', async () => {
  const one = await browserOf(org)
  await one.open('/channels')
  const path = one.all('tbody a')[0]?.getAttribute('href') ?? ''
  await one.open(path)
  inbox.answer = (response, { headers }) => void response.writeHead(500).end(`no pigeon ${String(headers['x-ring'])}`)
  await one.submit(`${path}/test`)
  await send()
  await one.open(path)
  expect(one.text()).toContain('status 500: no pigeon ***')
  inbox.answer = 204
  await one.submit(`${path}/test`)
  await send()
  expect(inbox.got.map(({ headers, json }) => [headers['x-ring'], json])).toEqual(
    Array(2).fill([RING, { carries: 'Test: Alice' }]),
  )
  inbox.answer = 404
  await one.open(path)
  await one.submit(`${path}/test`)
  await send()
  await one.open(path)
  expect(one.text()).toContain('Disabled')
})

test('the owner of its mailbox has to allow it first', async () => {
  const of = await w.org()
  const wanted = {
    kind: 'pigeon',
    name: 'Bob',
    loft_url: inbox.url,
    ring_number: RING,
    keeper_email: 'bob@example.com',
  }
  await createChannel(w.deps, of.org_id, wanted, undefined, { asksOwner: true })
  expect(await stored(of)).toMatchObject([{ email: 'bob@example.com' }])
  expect(await listed(of)).toMatchObject([{ destination: { keeper_email: 'bob@example.com' }, unconfirmed: true }])
  const one = await browserOf(of)
  await one.open('/channels')
  expect(one.text()).toContain('Awaiting confirmation')
})

test('the command line makes one', async () => {
  const of = await w.org()
  const registered = fileURLToPath(new URL('./pigeon/registered.js', import.meta.url))
  const env = { ...settingsFor(w.databaseUrl), NODE_OPTIONS: `--import=${registered}` }
  const given = { env, isBuilt: true }
  const help = await runDogwatch(['channel', 'create', '--help'], given)
  expect(help.out.replaceAll(/\s+/g, ' ')).toMatch(
    /--kind <kind> ntfy, email, webhook, slack\b.* or pigeon .*--ring-number <number> for pigeon: which pigeon flies/,
  )
  const wanted = ['--name', 'Carol', '--kind', 'pigeon', '--loft-url', inbox.url, '--ring-number', RING]
  const { code, err } = await runDogwatch(['channel', 'create', '--org', String(of.org_id), ...wanted], given)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(await stored(of)).toEqual([
    { kind: 'pigeon', destination: { loft_url: inbox.url, ring_number: RING }, email: '' },
  ])
})
