// A full group fits into one message of each kind that people read: no line and no link of it is cut.

import type { Dispatch, Message } from '@dogwatch/channels/channel'
import { channelKinds } from '@dogwatch/channels/registry'
import { expect, test } from '@jest/globals'
import { mailOf } from '../../channels/src/email/message.ts'
import { groupMessage } from '../src/group-words.ts'

const SETTINGS = {
  ntfy_url: 'https://ntfy.example.com',
  egress_allow: [],
  smtp_url: undefined,
  mail_from: 'Dogwatch <dogwatch@example.com>',
}
const KINDS = channelKinds().flatMap((kind) => (kind.grouped === undefined ? [] : [{ ...kind, grouped: kind.grouped }]))
const linkOf = (n: number) => `https://dogwatch.of-a-company.example.com/a/dogwatch_act_${`${n}x`.padEnd(72, '0')}`

/** An alert whose title is as long as any, in characters that take three bytes, or that markup means something by. */
function alert(n: number, name: string): { type: string; message: Message } {
  const org = { label: 'Organisation', value: 'An organisation with a name of some length' }
  const base = { severity: 'down', lines: [], facts: [org], link: 'https://dogwatch.example/' } as const
  return { type: 'check.down', message: { ...base, title: `Down: ${name}`, acknowledge: linkOf(n) } }
}

/** What vendors refuse or cut is longer than this. */
const bytes = (text: string) => Buffer.byteLength(text)
const jsonIn = (body: string) => JSON.parse(body) as Record<string, string>
const SIZES: Readonly<Record<string, (body: string) => [size: number, most: number]>> = {
  ntfy: (body) => [bytes(jsonIn(body).message ?? ''), 4096],
  discord: (body) => {
    const { embeds } = JSON.parse(body) as { embeds: { title: string; description: string; fields: object[] }[] }
    const texts = embeds.flatMap(({ title, description, fields }) => [
      title,
      description,
      ...fields.flatMap(Object.values),
    ])
    return [texts.join('').length, 6000]
  },
  teams: (body) => [bytes(body), 28 * 1024],
  telegram: (body) => [(jsonIn(body).text ?? '').replaceAll(/<[^>]*>/g, '').length, 4096],
  pushover: (body) => [(jsonIn(body).message ?? '').length, 1024],
  'google-chat': (body) => [bytes(body), 32_000],
  matrix: (body) => [bytes(body), 65_536],
  mattermost: (body) => [body.length, 16_383],
  zulip: (form) => [form.length, 10_000],
  'twilio-sms': (form) => [(form.split('Body=')[1] ?? '').length, 1600],
  'twilio-voice': (form) => [(form.split('Twiml=')[1] ?? '').length, 4000],
  signal: (body) => [bytes(jsonIn(body).message ?? ''), 2000],
}

async function sent(kind: (typeof KINDS)[number], message: Message): Promise<string> {
  const at = '2026-11-20T12:00:00.000000Z'
  const data = { org: { name: 'o' }, channel: { id: 1, name: 'c' } }
  const dispatch: Dispatch = {
    ...{
      webhook_id: 'msg_1_1',
      org_id: 1,
      sent_at: new Date(at),
      type: 'alerts.summary',
      timestamp: at,
      data,
      message,
    },
    destination: kind.example,
  }
  const { sending } = kind
  if (sending.by === 'other')
    return mailOf({ ...dispatch, destination: { email: 'a@b.example' } }, SETTINGS.mail_from).text
  const request = await sending.request(dispatch, SETTINGS)
  if (!('body' in request)) throw new Error(request.fault)
  const isForm = request.headers?.['content-type']?.includes('form') ?? false
  return isForm ? decodeURIComponent(request.body.replaceAll('+', ' ')) : request.body
}

test.each(KINDS.map((kind) => [kind.name, kind] as const))('%s holds as many alerts as it says', async (name, kind) => {
  for (const one of ['検'.repeat(80), 'a-b_c*d~e|f'.repeat(8), 'shop']) {
    const alerts = Array.from({ length: kind.grouped }, (_, n) => alert(n, one))
    const text = await sent(kind, groupMessage(alerts, 'https://dogwatch.example/incidents'))
    const missing = alerts.flatMap((_, n) => [
      ...(new RegExp(`(?<!\\d)${n + 1}\\.? Down`).test(text) ? [] : [`line ${n + 1}`]),
      ...(text.includes(linkOf(n)) || name === 'twilio-voice' ? [] : [`link ${n + 1}`]),
    ])
    const [size, most] = SIZES[name]?.(text) ?? [0, 0]
    expect({ one, missing, tooLong: Math.max(0, size - most) }).toEqual({ one, missing: [], tooLong: 0 })
  }
})

test('a group says how many alerts it has of each kind, and is as urgent as the most urgent of them', () => {
  const down = alert(0, 'shop')
  const up = {
    type: 'check.up',
    message: { ...down.message, severity: 'up', title: 'Recovered: api after 5 min' } as const,
  }
  const { title, severity, lines, acknowledgements } = groupMessage([up, down], 'https://dogwatch.example/incidents')
  expect({ title, severity, lines }).toEqual({
    title: '2 alerts: 1 recovered, 1 down',
    severity: 'down',
    lines: ['1. Recovered: api after 5 min', '2. Down: shop'],
  })
  expect(acknowledgements?.map(({ label }) => label)).toEqual(['Acknowledge 1', 'Acknowledge 2'])
})
