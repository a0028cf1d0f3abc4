// Compares the messages of each kind of channel with the golden file in its folder. DOGWATCH_UPDATE_GOLDEN=1 rewrites the file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ChannelSettings, Field, HttpRequest } from '../src/kind.ts'
import { type Channels, channelKinds, createChannels, kindNames } from '../src/registry.ts'
import { RenderThread } from '../src/webhook-template/apart.ts'
import { templateKind } from '../src/webhook-template/kind.ts'
import { dispatchOf, EVENTS } from './support/dispatches.ts'
import { type MailServer, mailServer } from './support/mail-server.ts'

const KINDS = fileURLToPath(new URL('../src/', import.meta.url))
let mail: MailServer
let settings: ChannelSettings
let channels: Channels
beforeAll(async () => {
  mail = await mailServer()
  settings = {
    egress_allow: ['127.0.0.0/8'],
    smtp_url: `smtp://127.0.0.1:${mail.port}`,
    mail_from: 'Dogwatch <alerts@dogwatch.example>',
    ntfy_url: 'https://ntfy.example',
  }
  channels = createChannels(settings)
})
afterAll(async () => {
  channels.email?.close?.()
  await mail.close()
})

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

// A busy machine gives the thread its time late, and that is no fault of a template.
const patient = templateKind(new RenderThread({ wait_ms: 60_000, stuck_ms: 60_000 }))
const KINDS_TO_RENDER = channelKinds().map((kind) => (kind.name === patient.name ? patient : kind))

test.each(KINDS_TO_RENDER)('$name: every event', async ({ name, sending, example }) => {
  const arrived: [event: string, body: unknown][] = []
  let usual = ''
  for (const event of Object.keys(EVENTS)) {
    const sent = dispatchOf(example, event)
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
