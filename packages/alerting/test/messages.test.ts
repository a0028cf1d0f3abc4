// Compares the words of each event with the file that the tests of the channels read. DOGWATCH_UPDATE_GOLDEN=1 rewrites the file.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Destination, Dispatch } from '@dogwatch/channels/channel'
import type { ChannelSettings } from '@dogwatch/channels/kind'
import { type Channels, createChannels } from '@dogwatch/channels/registry'
import { EVENT_TYPES, type EventType } from '@dogwatch/domain/events/event'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SAMPLE_OF, SAMPLES } from '../../channels/src/webhook-template/samples.ts'
import { type MailServer, mailServer } from '../../channels/test/support/mail-server.ts'
import { messageFor as inWords } from '../src/message.ts'
import { EVENTS } from './support/events.ts'
import { type Receiver, receiver } from './support/receiver.ts'

const LINK = 'https://dogwatch.example'
const NOW = '2026-11-20T12:00:00.000000Z'
const WORDED = fileURLToPath(new URL('../../channels/fixtures/events.json', import.meta.url))
let inbox: Receiver
let mail: MailServer
let settings: ChannelSettings
let channels: Channels
beforeAll(async () => {
  inbox = await receiver()
  mail = await mailServer()
  settings = {
    egress_allow: ['127.0.0.0/8'],
    smtp_url: `smtp://127.0.0.1:${mail.port}`,
    mail_from: 'Dogwatch <alerts@dogwatch.example>',
    ntfy_url: inbox.url,
  }
  channels = createChannels(settings)
})
afterAll(async () => {
  channels.email?.close?.()
  await inbox.close()
  await mail.close()
})

function dispatch(type: string, data: Record<string, unknown>, destination: Destination): Dispatch {
  return {
    webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7',
    sent_at: new Date(NOW),
    type,
    timestamp: NOW,
    data,
    message: inWords({ type, timestamp: NOW, data }, LINK),
    destination,
  }
}

test('there is a case for every type of event', () => {
  expect(new Set(Object.values(EVENTS).map(({ type }) => type))).toEqual(new Set(EVENT_TYPES))
})

test('the channels are tried with every event in words', () => {
  const worded = Object.entries(EVENTS).map(([name, { type, data }]) => [
    name,
    { type, data, message: inWords({ type, timestamp: NOW, data }, LINK) },
  ])
  const text = `${JSON.stringify(Object.fromEntries(worded), null, 2)}\n`
  if (process.env.DOGWATCH_UPDATE_GOLDEN === '1') writeFileSync(WORDED, text)
  expect(readFileSync(WORDED, 'utf8')).toBe(text)
})

test('there is a sample of each event that a template may get', () => {
  // A new type of event does not compile without one.
  const all: Readonly<Record<Exclude<EventType, `${string}.closed`>, { type: string }>> = SAMPLE_OF
  for (const [key, { type }] of Object.entries(all)) expect(type).toBe(key)
  const sent = EVENT_TYPES.filter((type) => !type.endsWith('.closed'))
  expect(SAMPLES.map(({ type }) => type).toSorted()).toEqual([...sent].toSorted())
})

test('a check that many monitors see is told in a few lines', () => {
  const monitors = Array.from({ length: 40 }, (_, i) => ({
    id: `m${i}`,
    name: `rack ${i}`,
    failing: i > 0,
    ran_at: '',
  }))
  const { type, data } = EVENTS['a check is down'] ?? { type: '', data: {} }
  const { lines } = inWords({ type, timestamp: NOW, data: { ...data, monitors } }, LINK)
  expect(lines[1]).toBe(
    'Failing from 39 of 40 monitors: rack 1, rack 2, rack 3, rack 4, rack 5, rack 6, rack 7, rack 8, rack 9, rack 10 and 29 more. Passing: rack 0.',
  )
})

test('five hundred checks that nobody monitors are one message that every channel takes', async () => {
  const name = '& "very" <long> name '.repeat(9)
  const checks = Array.from({ length: 500 }, (_, i) => ({ guid: `g${i}`, name, since: '2026-11-20T11:00:00.000000Z' }))
  const data = { org: { name }, state: 'unmonitored', checks, still_unmonitored: [] }
  const everything = { webhook_url: inbox.url, webhook_secret: '', email: 'alice@example.com', ntfy_topic: 'dogs' }
  for (const kind of ['slack', 'ntfy', 'email', 'webhook']) {
    const sent = dispatch('check.unmonitored', data, everything)
    expect(await channels[kind]?.send(sent)).toMatchObject({ kind: 'delivered' })
  }
  const [slack, ntfy] = inbox.got.slice(-3).map(({ json }) => json as unknown)
  const texts = (slack as { blocks: { text?: { text: string } }[] }).blocks.map(({ text }) => text?.text ?? '')
  expect(texts[0]?.length).toBeLessThanOrEqual(150)
  expect(texts[1]?.length).toBeLessThanOrEqual(3000)
  expect(texts[1]).toMatch(/…$/)
  expect(Buffer.byteLength((ntfy as { message: string }).message)).toBeLessThanOrEqual(4096)
})
