// What verifyWebhook takes and what it refuses. That it takes what the server sends is tested with the server.

import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts'

const SECRET = 'correct horse battery staple'
const ENCODED = `whsec_${Buffer.from(SECRET).toString('base64')}`
const SENT_SEC = 1_795_000_000
const BODY = '{"type":"channel.test","timestamp":"2026-11-20T12:00:00.000000Z","data":{"org":{"name":"Zoë"}}}'

function signature(body: string, key = SECRET, time: number | string = SENT_SEC): string {
  return `v1,${createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64')}`
}

function headersOf(changes: Record<string, string> = {}): Record<string, string> {
  const signed = signature(BODY)
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(SENT_SEC), 'webhook-signature': signed, ...changes }
}

function verify(
  request: { headers?: WebhookHeaders; body?: string | Uint8Array },
  options: Partial<VerifyOptions> & { agoSec?: number } = {},
) {
  const { agoSec = 0, ...rest } = options
  const now = () => (SENT_SEC + agoSec) * 1000
  return verifyWebhook({ headers: headersOf(), body: BODY, ...request }, { secret: SECRET, now, ...rest })
}

const taken: Record<string, () => ReturnType<typeof verify>> = {
  'a plain object of headers': () => verify({}),
  'Headers of fetch': () => verify({ headers: new Headers(headersOf()) }),
  'headers in any case': () =>
    verify({
      headers: Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value])),
    }),
  'a body of bytes': () => verify({ body: Buffer.from(BODY) }),
  'an encoded secret': () => verify({}, { secret: ENCODED }),
  'a second secret': () => verify({}, { secret: ['another one', SECRET] }),
  'a second signature': () =>
    verify({ headers: headersOf({ 'webhook-signature': `v1a,xx v1,%% v1,AAAA ${signature(BODY)}` }) }),
  'the oldest that is tolerated': () => verify({}, { agoSec: 300 }),
  'the newest that is tolerated': () => verify({}, { agoSec: -300 }),
  'an older one by a wider tolerance': () => verify({}, { agoSec: 3600, toleranceSec: 3600 }),
}
test.each(Object.entries(taken))('it takes %s', async (_, call) => {
  expect(await call()).toEqual({ id: 'msg_1', event: JSON.parse(BODY) })
})

const refused: Record<string, [code: string, call: () => ReturnType<typeof verify>]> = {
  'another body': ['bad_signature', () => verify({ body: `${BODY} ` })],
  'another id': ['bad_signature', () => verify({ headers: headersOf({ 'webhook-id': 'msg_2' }) })],
  'another time': ['bad_signature', () => verify({ headers: headersOf({ 'webhook-timestamp': `${SENT_SEC + 1}` }) })],
  'another secret': ['bad_signature', () => verify({}, { secret: 'another one' })],
  'a signature cut short': [
    'bad_signature',
    () => verify({ headers: headersOf({ 'webhook-signature': signature(BODY).slice(0, -8) }) }),
  ],
  'a signature of another version': [
    'bad_signature',
    () => verify({ headers: headersOf({ 'webhook-signature': signature(BODY).replace('v1', 'v2') }) }),
  ],
  'no signature': ['missing_header', () => verify({ headers: headersOf({ 'webhook-signature': '' }) })],
  'no headers': ['missing_header', () => verify({ headers: {} })],
  'one that is too old': ['too_old', () => verify({}, { agoSec: 301 })],
  'one that is ahead': ['too_new', () => verify({}, { agoSec: -301 })],
  'a time that is no number': ['bad_timestamp', () => verify({ headers: headersOf({ 'webhook-timestamp': '1e9' }) })],
  'a signed body that is no event': [
    'bad_body',
    () => verify({ body: '[]', headers: headersOf({ 'webhook-signature': signature('[]') }) }),
  ],
}
test.each(Object.entries(refused))('it refuses %s', async (_, [code, call]) => {
  await expect(call()).rejects.toMatchObject({ name: 'WebhookError', code })
})

test.each([[''], [[]], [['', SECRET]], ['whsec_'], ['whsec_%%%']])('a secret of %j is a mistake', async (secret) => {
  await expect(verify({}, { secret })).rejects.toThrow(TypeError)
})

test('a tolerance below 0 is a mistake', async () => {
  await expect(verify({}, { toleranceSec: -1 })).rejects.toThrow(RangeError)
})
