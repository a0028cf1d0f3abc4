// The loop that sends, and the process around it: woken, looking by itself, losing its connection, ending.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type PipelineOptions, startDelivering } from '@dogwatch/alerting/pipeline'
import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { systemClock } from '@dogwatch/runtime/clock'
import { openListener } from '@dogwatch/store/postgres/listen'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { sign } from '../../../channels/src/webhook/signature.ts'
import { settingsFor } from '../../../store/test/support/database.ts'
import { type Operator, operator } from '../commands/operator.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { shippedServer } from '../support/shipped-server.ts'
import { eventually } from '../support/world.ts'

let o: Operator
let inbox: Receiver
let org_id: number
let channel: number
let stops: (() => Promise<void>)[]
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())
beforeEach(async () => {
  stops = []
  inbox = await receiver()
  org_id = await o.org()
  channel = (await createChannel(o.deps, org_id, { kind: 'webhook', name: 'hook', webhook_url: inbox.url })).id
})
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await inbox.close()
})

function starts({ listen_url, ...options }: PipelineOptions & { listen_url?: string } = {}): () => Promise<void> {
  const settings = { egress_allow: ['127.0.0.1'], smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://x' }
  const sending = { ...o.deps, clock: systemClock, channels: createChannels(settings), public_url: 'http://x' }
  const listener = listen_url === undefined ? undefined : openListener(listen_url, () => {})
  const stop = startDelivering(sending, { ...options, listener })
  stops.push(async () => void (await Promise.all([stop(), listener?.close()])))
  return stop
}
const tell = (name: string) => happens({ ...o.deps, clock: systemClock }, org_id, 'check.down', name)
const arrived = (n: number) => eventually(() => inbox.got.length >= n, `${n} arrive`)
const listeners = () =>
  o.rows(
    "select pid from pg_stat_activity where application_name = 'dogwatch-listening' and datname = current_database()",
  )
const states = async () =>
  (await o.rows('select state from deliveries where org_id = $1', org_id)).map(({ state }) => String(state))

test('what is written is sent, whether or not anybody listens', async () => {
  starts()
  await tell('one')
  await arrived(1)
  starts({ listen_url: o.databaseUrl })
  await eventually(async () => (await listeners()).length === 1, 'it listens')
  await tell('two')
  await arrived(2)
})

test('what is written wakes who listens, long before they would look by themselves', async () => {
  starts({ listen_url: o.databaseUrl, poll_ms: 60_000 })
  await eventually(async () => (await listeners()).length === 1, 'it listens')
  for (const name of ['one', 'two']) {
    await tell(name)
    await eventually(() => inbox.told().includes(`check.down ${name}`), `${name} arrives`)
    await eventually(async () => (await states()).every((state) => state === 'delivered'), 'it is recorded')
  }
})

test('a retry is made when it is due, with nobody to say so', async () => {
  let failures = 1
  inbox.answer = (response) => void response.writeHead(failures-- > 0 ? 500 : 200).end()
  starts()
  await tell('one')
  await arrived(2)
  await eventually(async () => (await states()).includes('delivered'), 'it is recorded')
})

test('a connection that listens and is cut is opened again, and delivery goes on meanwhile', async () => {
  starts({ listen_url: o.databaseUrl })
  await eventually(async () => (await listeners()).length === 1, 'it listens')
  const [first] = await listeners()
  await o.rows('select pg_terminate_backend($1::integer)', first?.pid)
  await tell('one')
  await arrived(1)
  await eventually(async () => (await listeners()).some(({ pid }) => pid !== first?.pid), 'it listens again')
})

test('a database that nobody can listen on holds nothing up', async () => {
  starts({ listen_url: 'postgres://127.0.0.1:1/nowhere' })
  await tell('one')
  await arrived(1)
})

test('two loops share the work, and send nothing twice', async () => {
  starts({ listen_url: o.databaseUrl })
  starts({ listen_url: o.databaseUrl })
  for (let i = 0; i < 60; i++) await tell(`check ${i}`)
  await eventually(async () => (await states()).filter((state) => state === 'delivered').length === 60, 'all are sent')
  expect(new Set(inbox.got.map(({ headers }) => headers['webhook-id'])).size).toBe(60)
  expect(inbox.got).toHaveLength(60)
})

test('stopping lets what is under way end and be recorded, and takes nothing new', async () => {
  let answer: () => void = () => {}
  inbox.answer = (response) => void (answer = () => void response.writeHead(200).end())
  const stop = starts()
  await tell('one')
  await arrived(1)
  const stopped = stop()
  await tell('two')
  answer()
  await stopped
  expect(inbox.told()).toEqual(['check.down one'])
  expect((await states()).sort()).toEqual(['delivered', 'pending'])
})

test('a worker sends what `channel test` wrote, and `delivery list` tells what came of it', async () => {
  const worker = spawn(process.execPath, [await shippedServer(), 'serve', '--role', 'worker'], {
    env: {
      ...CHILD_ENVIRONMENT,
      ...settingsFor(o.databaseUrl),
      EGRESS_ALLOW: '127.0.0.1',
      PUBLIC_URL: 'https://dogwatch.example',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(worker, 'close')
  try {
    const { delivery_id } = (await o.answer(['channel', 'test', '--id', String(channel)])) as { delivery_id: number }
    await eventually(() => inbox.got.length > 0, 'it arrives')
    expect(inbox.got[0]?.json.type).toBe('channel.test')
    await eventually(async () => (await states()).includes('delivered'), 'it is recorded')
    expect(await o.answer(['delivery', 'list', '--org', String(org_id)])).toEqual([
      {
        delivery_id,
        event_id: expect.any(String),
        event: 'channel.test',
        subject: expect.stringMatching(/^test:/),
        channel: { id: channel, name: 'hook', kind: 'webhook' },
        state: 'delivered',
        attempts: 1,
        created_at: expect.any(String),
        next_attempt_at: null,
        last_attempt_at: expect.any(String),
        last_status: 204,
        last_latency_ms: expect.any(Number),
        last_error: null,
      },
    ])
  } finally {
    worker.kill('SIGTERM')
  }
  expect(await ended).toEqual([0, null])
})

test('commands about what is not there are refused', async () => {
  expect(await o.refusal(['channel', 'test', '--id', '999999'])).toBe('no channel with that id')
  expect(await o.refusal(['delivery', 'list', '--org', '999999'])).toBe('no organisation with that id')
  await o.answer(['channel', 'disable', '--id', String(channel)])
  expect(await o.refusal(['channel', 'test', '--id', String(channel)])).toBe(
    'this channel is disabled; enable it to send a test message',
  )
})

const PLAIN = ['a', 'whsec', 'not base64 at all']
const ENCODED = [24, 32, 64].map((bytes) => `whsec_${Buffer.alloc(bytes, 251).toString('base64')}`)
const UNUSABLE = {
  'not base64': 'whsec_not base64',
  nothing: 'whsec_',
  'too short': `whsec_${Buffer.alloc(23).toString('base64')}`,
  'too long': `whsec_${Buffer.alloc(65).toString('base64')}`,
  'without padding': `whsec_${Buffer.alloc(25).toString('base64').replaceAll('=', '')}`,
  'with bits that say nothing': `whsec_${Buffer.alloc(25).toString('base64').replace('A==', 'B==')}`,
  'of the alphabet of urls': `whsec_${Buffer.alloc(32, 251).toString('base64url')}`,
}
const withSecret = (webhook_secret: string) =>
  createChannel(o.deps, org_id, { kind: 'webhook', name: 'x', webhook_url: 'https://x.example', webhook_secret })

test.each([...PLAIN, ...ENCODED])('the secret %s is taken', async (secret) => {
  expect(await withSecret(secret)).toEqual({ id: expect.any(Number) })
})

test.each(Object.entries(UNUSABLE))('a secret in base64 that no receiver can use is refused: %s', async (_, secret) => {
  await expect(withSecret(secret)).rejects.toThrow(
    'webhook_secret must be whsec_ followed by 24 to 64 bytes in padded base64',
  )
})

test.each(ENCODED)('a receiver of Standard Webhooks can use %s', (secret) => {
  const at = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': sign(secret, 'msg_1', Math.floor(at.getTime() / 1000), '{}'),
  }
  expect(new Webhook(secret).verify('{}', headers)).toEqual({})
})
