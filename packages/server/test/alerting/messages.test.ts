// How each kind of channel words each event, compared with the golden file in its folder. DOGWATCH_UPDATE_GOLDEN=1 writes it anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Destination, Dispatch } from '../../src/channels/channel.ts'
import type { ChannelSettings, Field, HttpRequest } from '../../src/channels/kind.ts'
import { channelKinds, type Channels, createChannels, kindNames } from '../../src/channels/registry.ts'
import { messageFor as inWords } from '../../src/alerting/message.ts'
import { EVENT_TYPES } from '../../src/domain/events/event.ts'
import { EVENTS } from '../support/events.ts'
import { type MailServer, mailServer } from '../support/mail-server.ts'
import { type Receiver, receiver } from '../support/receiver.ts'

const LINK = 'https://dogwatch.example'
const KINDS = fileURLToPath(new URL('../../src/channels/', import.meta.url))
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
  const timestamp = '2026-11-20T12:00:00.000000Z'
  return {
    webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7',
    sent_at: new Date(timestamp),
    type,
    timestamp,
    data,
    message: inWords({ type, timestamp, data }, LINK),
    destination,
  }
}

/** JSON and forms as what they say, so that they can be read; where a request is no POST to always the same url, with both. */
function readable({ method, url, headers = {}, body }: HttpRequest, usual: string): unknown {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const said: unknown = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
  return method === undefined && url === usual ? said : { request: `${method ?? 'POST'} ${url}`, body: said }
}

/** A mail without what is different each time, and with the soft line breaks of its body undone. */
function unfolded(raw: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(raw) ?? []
  const [head = '', ...body] = raw.replaceAll(boundary, 'boundary').replaceAll('\r\n', '\n').split('\n\n')
  return [head, ...body.map((part) => part.replaceAll('=\n', ''))].join('\n\n')
}

function expectGolden(kind: string, file: string, text: string): void {
  const path = join(KINDS, kind, file)
  if (process.env.DOGWATCH_UPDATE_GOLDEN === '1') writeFileSync(path, text)
  expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : 'there is none: DOGWATCH_UPDATE_GOLDEN=1 writes it')
}

test('each kind has a folder, and each folder is a kind in the registry', () => {
  const folders = readdirSync(KINDS, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).toSorted()).toEqual(kindNames().toSorted())
})

test.each(channelKinds())('$name: no page shows a secret, and a field can be an option and a label', ({ fields }) => {
  const taken = ['org', 'kind', 'name', 'confirmed', 'id', 'enabled', 'unconfirmed', 'destination']
  for (const [field, { isSecret, shown, input }] of Object.entries<Field>(fields)) {
    expect(field).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(taken).not.toContain(field)
    if (isSecret) expect({ field, shown }).toEqual({ field, shown: 'never' })
    if (input === 'url')
      expect({ field, isNarrow: ['host', 'never'].includes(shown) }).toEqual({ field, isNarrow: true })
  }
})

test('there is a case for every type of event', () => {
  expect(new Set(Object.values(EVENTS).map(({ type }) => type))).toEqual(new Set(EVENT_TYPES))
})

test.each(channelKinds())('$name: every event', async ({ name, sending, example }) => {
  const arrived: [event: string, body: unknown][] = []
  let usual = ''
  for (const [event, { type, data }] of Object.entries(EVENTS)) {
    const sent = dispatch(type, data, example)
    if (sending.by === 'http') {
      const request = await sending.request(sent, settings)
      if ('fault' in request) throw new Error(request.fault)
      usual ||= request.url
      arrived.push([event, readable(request, usual)])
    } else if (sending.render) arrived.push([event, `${sending.render(sent)}\n`])
    else {
      // The rest sends mails.
      expect(await channels[name]?.send(sent)).toMatchObject({ kind: 'delivered' })
      arrived.push([event, unfolded(mail.got.at(-1)?.raw ?? '')])
    }
  }
  if (sending.by === 'http') {
    expectGolden(name, 'golden.json', `${JSON.stringify(Object.fromEntries(arrived), null, 2)}\n`)
  } else {
    expectGolden(name, 'golden.txt', arrived.map(([event, raw]) => `===== ${event} =====\n${String(raw)}`).join('\n'))
  }
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
