// How each kind of channel words each event, compared with what is in test/golden. DOGWATCH_UPDATE_GOLDEN=1 writes it anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Dispatch } from '../../src/alerting/channels/channel.ts'
import { type Channels, createChannels } from '../../src/alerting/channels/registry.ts'
import { describe as inWords } from '../../src/alerting/message.ts'
import { EVENT_TYPES } from '../../src/domain/events/event.ts'
import { EVENTS } from '../support/events.ts'
import { type MailServer, mailServer } from '../support/mail-server.ts'
import { type Receiver, receiver } from '../support/receiver.ts'

const LINK = 'https://dogwatch.example'
let inbox: Receiver
let mail: MailServer
let channels: Channels
beforeAll(async () => {
  inbox = await receiver()
  mail = await mailServer()
  channels = createChannels({
    egress_allow: ['127.0.0.0/8'],
    smtp_url: `smtp://127.0.0.1:${mail.port}`,
    mail_from: 'Dogwatch <alerts@dogwatch.example>',
    ntfy_url: inbox.url,
  })
})
afterAll(async () => {
  channels.email.close?.()
  await inbox.close()
  await mail.close()
})

/** What arrives for each event, by the name of its case. */
async function everything(kind: keyof Channels): Promise<[name: string, arrived: unknown][]> {
  const arrived: [string, unknown][] = []
  for (const [name, { type, data }] of Object.entries(EVENTS)) {
    expect(await channels[kind].send(dispatch(type, data))).toMatchObject({ kind: 'delivered' })
    const last = inbox.got.at(-1)
    arrived.push([name, kind === 'email' ? unfolded(mail.got.at(-1)?.raw ?? '') : last?.json])
  }
  return arrived
}

function dispatch(type: string, data: Record<string, unknown>): Dispatch {
  const timestamp = '2026-11-20T12:00:00.000000Z'
  return {
    webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7',
    sent_at: new Date(timestamp),
    type,
    timestamp,
    data,
    message: inWords({ type, timestamp, data }, LINK),
    destination: {
      name: 'on call',
      kind: '',
      webhook_url: inbox.url,
      webhook_secret: '',
      email: 'alice@example.com',
      ntfy_topic: 'alice-alerts',
    },
  }
}

/** A mail without what is different each time, and with the soft line breaks of its body undone. */
function unfolded(raw: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? []
  const [head = '', ...body] = raw.replaceAll(boundary, 'boundary').replaceAll('\r\n', '\n').split('\n\n')
  return [head, ...body.map((part) => part.replaceAll('=\n', ''))].join('\n\n')
}

function expectGolden(file: string, text: string): void {
  const path = fileURLToPath(new URL(`../golden/${file}`, import.meta.url))
  if (process.env.DOGWATCH_UPDATE_GOLDEN === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test('there is a case for every type of event', () => {
  expect(new Set(Object.values(EVENTS).map(({ type }) => type))).toEqual(new Set(EVENT_TYPES))
})

test.each(['webhook', 'slack', 'ntfy'] as const)('%s', async (kind) => {
  const arrived = Object.fromEntries(await everything(kind))
  expectGolden(`${kind}.json`, `${JSON.stringify(arrived, null, 2)}\n`)
})

test('email', async () => {
  const mails = await everything('email')
  expectGolden('email.txt', mails.map(([name, raw]) => `===== ${name} =====\n${String(raw)}`).join('\n'))
})

test('a check that many monitors see is told in a few lines', () => {
  const monitors = Array.from({ length: 40 }, (_, i) => ({
    id: `m${i}`,
    name: `rack ${i}`,
    failing: i > 0,
    ran_at: '',
  }))
  const { type, data } = EVENTS['a check is down'] ?? { type: '', data: {} }
  const { lines } = inWords({ type, timestamp: '2026-11-20T12:00:00.000000Z', data: { ...data, monitors } }, LINK)
  expect(lines[1]).toBe(
    'Failing from 39 of 40: rack 1, rack 2, rack 3, rack 4, rack 5, rack 6, rack 7, rack 8, rack 9, rack 10 and 29 more (rack 0 is fine).',
  )
})

test('five hundred checks that nobody monitors are one message that every channel takes', async () => {
  const name = '& "very" <long> name '.repeat(9)
  const checks = Array.from({ length: 500 }, (_, i) => ({ guid: `g${i}`, name, since: '2026-11-20T11:00:00.000000Z' }))
  const data = { org: { name }, state: 'unmonitored', checks, still_unmonitored: [] }
  for (const kind of ['slack', 'ntfy', 'email', 'webhook'] as const) {
    expect(await channels[kind].send(dispatch('check.unmonitored', data))).toMatchObject({ kind: 'delivered' })
  }
  const [slack, ntfy] = inbox.got.slice(-3).map(({ json }) => json as unknown)
  const texts = (slack as { blocks: { text?: { text: string } }[] }).blocks.map(({ text }) => text?.text ?? '')
  expect(texts[0]?.length).toBeLessThanOrEqual(150)
  expect(texts[1]?.length).toBeLessThanOrEqual(3000)
  expect(texts[1]).toMatch(/…$/)
  expect(Buffer.byteLength((ntfy as { message: string }).message)).toBeLessThanOrEqual(4096)
})
