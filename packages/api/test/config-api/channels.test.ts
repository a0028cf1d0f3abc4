// Channels by the configuration API: what they keep secret goes in and never comes out.

import type { ChannelKind } from '@dogwatch/channels/kind'
import { channelKinds, kindNames } from '@dogwatch/channels/registry'
import { document } from '@dogwatch/contract/config'
import { askOwners, confirmByLink, createConfirmation } from '@dogwatch/domain/channels/confirmation'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { liveOn } from '../retention/rows.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let ask: ReturnType<typeof configurator>
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  ask = configurator(w, await configToken(w, org))
})
afterAll(() => w.close())

const OPS = { name: 'Ops', kind: 'ntfy', destination: { ntfy_topic: 'ops-alerts' } }
const GOTIFY = {
  name: 'Gotify',
  kind: 'gotify',
  destination: { gotify_url: 'https://gotify.example.com/base', gotify_token: 'A1b2C3d4E5f6G7h' },
}
const HOOK = {
  name: 'Hook',
  kind: 'webhook',
  destination: { webhook_url: 'https://hooks.example.com/in/4711', webhook_secret: 'not-for-you' },
}
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const stored = async (id: string) =>
  (await w.rows('select destination from notification_channels where org_id = $1 and id = $2', org.org_id, id))[0]
    ?.destination

/** What people would send, every value of its own. */
function destinationOf({ fields, example }: ChannelKind): Record<string, string> {
  return { ...example, ...('twilio_token' in fields && { twilio_token: 'fedcba9876543210fedcba9876543210' }) }
}

function writeOnly({ fields }: ChannelKind, destination: Record<string, string>): [string, string][] {
  return Object.entries(fields).flatMap(([name, { isSecret, input }]): [string, string][] => {
    const value = destination[name] ?? ''
    return (isSecret || input === 'url') && value !== '' ? [[name, value]] : []
  })
}

test('a channel of any kind takes its secrets, keeps them, and tells nobody', async () => {
  const answers: unknown[] = []
  for (const kind of channelKinds()) {
    const destination = destinationOf(kind)
    const secrets = writeOnly(kind, destination)
    const sent = { name: 'Mine', key: kind.name, kind: kind.name, destination }
    const created = await ask('post', '/channels', sent, { 'Idempotency-Key': kind.name })
    expect([created.status, created.text]).toEqual([201, expect.any(String)])
    const path = `/channels/${idOf(created)}`
    const held = await stored(idOf(created))
    const read = await ask('get', path)
    expect((read.body as { secrets?: string[] }).secrets ?? []).toEqual(secrets.map(([field]) => field).sort())
    const replaced = await ask('put', path, read.body as object)
    expect([replaced.status, replaced.body, replaced.headers.etag]).toEqual([200, read.body, read.headers.etag])
    expect(await stored(idOf(created))).toEqual(held)
    const renamed = await ask('patch', `/channels/key:${kind.name}`, { name: 'Still mine' })
    expect(renamed.body).toMatchObject({ name: 'Still mine' })
    expect(await stored(idOf(created))).toEqual(held)
    answers.push(renamed.body)
    const kept = await w.rows(
      'select body, headers from repeatable_answers where org_id = $1 and idempotency_key = $2',
      org.org_id,
      kind.name,
    )
    const log = await w.rows('select * from audit_entries where org_id = $1 order by entry_id desc limit 3', org.org_id)
    const told = [created, read, replaced, renamed].map(({ text, headers }) => [text, headers])
    const all = JSON.stringify([told, kept, log])
    // In a text within a text, a quote is escaped twice.
    const shown = secrets.filter(([, value]) => all.includes(value) || all.includes(JSON.stringify(value).slice(1, -1)))
    expect({ kind: kind.name, shown }).toEqual({ kind: kind.name, shown: [] })
  }
  expect((await ask('get', '/channels')).body).toEqual({ channels: answers })
})

test('an ETag confirms no guess: an equal channel has another one, also in another organisation', async () => {
  const stranger = configurator(w, await configToken(w, await w.org('team')))
  const equal = [await ask('post', '/channels', HOOK), await ask('post', '/channels', HOOK)]
  equal.push(await stranger('post', '/channels', HOOK))
  expect(equal.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(equal.map(({ headers }) => headers.etag)).size).toBe(3)
})

test('the document lists the kinds that there are, and the fields of each', () => {
  const { Channel, ChannelInput } = (
    document.components as {
      schemas: Record<string, { properties: Record<string, { 'x-extensible-enum': string[]; description: string }> }>
    }
  ).schemas
  expect(Channel?.properties.kind?.['x-extensible-enum']).toEqual(kindNames())
  const lines = channelKinds().map(({ name, fields }) => {
    const told = Object.entries(fields).map(([field, { isSecret, input, isOptional }]) => {
      const marks = [...(isSecret || input === 'url' ? ['secret'] : []), ...(isOptional ? ['optional'] : [])]
      return `\`${field}\`${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
    })
    return `- \`${name}\`: ${told.join(', ')}`
  })
  const said = ChannelInput?.properties.destination?.description.split('\n').filter((line) => line.startsWith('- '))
  expect(said).toEqual(lines)
})

test('a channel is created, read, switched off and deleted', async () => {
  const created = await ask('post', '/channels', { ...OPS, enabled: false })
  expect(created.body).toEqual({ id: expect.any(String), ...OPS, enabled: false })
  expect(created.headers.location).toBe(`/config-api/v1/channels/${idOf(created)}`)
  const path = `/channels/${idOf(created)}`
  expect((await ask('patch', path, { enabled: null })).body).toMatchObject({ enabled: true })
  expect((await ask('put', path, { ...OPS, name: 'New' }, { 'If-Match': String(created.headers.etag) })).status).toBe(
    412,
  )
  const deleted = await ask('delete', path)
  expect([deleted.status, deleted.body]).toEqual([200, { id: idOf(created) }])
  expect((await ask('get', path)).text).toBe('no channel with that id')
  for (const id of ['0', 'x', '99999999999999999999', '1e3']) {
    expect((await ask('get', `/channels/${id}`)).status).toBe(404)
  }
})

test.each([
  [{ kind: 'ntfy', destination: { ntfy_topic: 't' } }, 'name is required'],
  [{ name: 'x' }, 'kind is required'],
  [{ name: 'x', kind: 'pigeon' }, expect.stringMatching(/^kind must be one of ntfy/)],
  [{ name: 'x', kind: 'ntfy' }, 'destination.ntfy_topic is required for ntfy channels'],
  [{ name: 'x', kind: 'ntfy', destination: { ntfy_topic: 'a b' } }, expect.stringMatching(/^destination\.ntfy_topic /)],
  [
    { name: 'x', kind: 'ntfy', destination: { ntfy_topic: 't', email: 'a@example.com' } },
    'destination contains a field that ntfy channels do not have; allowed fields: ntfy_topic, grouping',
  ],
  [
    { name: 'x', kind: 'gotify', destination: { ...GOTIFY.destination, gotify_url: 'file:///etc/passwd' } },
    'destination.gotify_url must be an http or https URL',
  ],
])('%j is refused by its field', async (body, line) => {
  const { status, text } = await ask('post', '/channels', body)
  expect([status, text]).toEqual([400, line])
  expect(await w.rows('select from notification_channels where org_id = $1', org.org_id)).toEqual([])
})

test('no secret follows a channel to another place', async () => {
  const path = `/channels/${idOf(await ask('post', '/channels', GOTIFY))}`
  const elsewhere = { gotify_url: 'https://thief.example.com/' }
  for (const method of ['put', 'patch'] as const) {
    const { status, text } = await ask(method, path, { ...GOTIFY, destination: elsewhere })
    expect([status, text]).toEqual([
      400,
      'destination.gotify_token must be sent again when the channel gets a new destination',
    ])
  }
  const moved = await ask('patch', path, { destination: { ...elsewhere, gotify_token: 'Z9y8X7w6V5u4T3s' } })
  expect(moved.status).toBe(200)
  expect(await stored(idOf(moved))).toEqual({ ...elsewhere, gotify_token: 'Z9y8X7w6V5u4T3s' })
})

test('an optional secret is kept when it is left out, and taken away by null', async () => {
  const created = await ask('post', '/channels', HOOK)
  const path = `/channels/${idOf(created)}`
  const kept = await ask('put', path, { ...HOOK, destination: { webhook_url: HOOK.destination.webhook_url } })
  expect([kept.body, kept.headers.etag]).toEqual([created.body, created.headers.etag])
  const gone = await ask('patch', path, { destination: { webhook_secret: null } })
  expect(gone.body).toMatchObject({ secrets: ['webhook_url'] })
  expect(gone.headers.etag).not.toBe(created.headers.etag)
  expect(await stored(idOf(created))).toEqual({ webhook_url: HOOK.destination.webhook_url })
})

test('another secret is another state', async () => {
  const created = await ask('post', '/channels', HOOK)
  const path = `/channels/${idOf(created)}`
  const changed = await ask('patch', path, { destination: { webhook_secret: 'another-one' } })
  expect(changed.body).toEqual(created.body)
  expect(changed.headers.etag).not.toBe(created.headers.etag)
})

test('a plan says that a secret differs, and not how', async () => {
  const changesOf = (webhook_secret: string) => [
    {
      action: 'put',
      kind: 'channel',
      key: 'hook',
      body: { ...HOOK, destination: { ...HOOK.destination, webhook_secret } },
    },
  ]
  expect((await ask('post', '/bulk', { changes: changesOf('not-for-you') })).body).toMatchObject({
    counts: { created: 1 },
  })
  const same = await ask('post', '/bulk', { dry_run: true, changes: changesOf('not-for-you') })
  expect(same.body).toMatchObject({ counts: { unchanged: 1 } })
  const other = await ask('post', '/bulk', { dry_run: true, changes: changesOf('another-one') })
  expect(other.body).toMatchObject({
    changes: [{ fields: [{ field: 'webhook_secret', before: '(secret)', after: '(secret)' }] }],
  })
  for (const { text } of [same, other]) expect(text).not.toMatch(/not-for-you|another-one|4711/)
})

test('the kind of a channel stays', async () => {
  const path = `/channels/${idOf(await ask('post', '/channels', OPS))}`
  const { status, text } = await ask('put', path, HOOK)
  expect([status, text]).toEqual([400, 'kind cannot be changed from ntfy; create a new channel to use another kind'])
})

test('an address of somebody else is confirmed by its owner, as in the console', async () => {
  const mail = { name: 'Mail', kind: 'email', destination: { email: 'else@example.com' } }
  const created = await ask('post', '/channels', mail)
  expect(created.body).toMatchObject({ unconfirmed: true })
  const path = `/channels/${idOf(created)}`
  const refused = await ask('post', `${path}/test`)
  expect([refused.status, refused.text]).toEqual([
    409,
    'this address is not confirmed yet; confirm it to send a test message',
  ])
  const link = await createConfirmation(w.deps, { org_id: org.org_id, id: Number(idOf(created)) }, 'else@example.com')
  await confirmByLink(w.deps, link)
  expect((await ask('get', path)).body).not.toHaveProperty('unconfirmed')
})

test('the owner of an address is asked again, once for each key, and not when they have agreed', async () => {
  const mail = { name: 'Mail', kind: 'email', destination: { email: 'again@example.com' } }
  const path = `/channels/${idOf(await ask('post', '/channels', mail))}/confirmation`
  const sent = () => w.rows("select from events where org_id = $1 and type = 'channel.confirm'", org.org_id)
  for (const _ of [1, 2]) {
    const asked = await ask('post', path, undefined, { 'Idempotency-Key': 'again' })
    expect([asked.status, asked.body]).toEqual([200, { email: 'again@example.com' }])
  }
  expect(await sent()).toHaveLength(1)
  await w.rows('update notification_channels set confirmed_at = now() where org_id = $1', org.org_id)
  const agreed = await ask('post', path)
  expect([agreed.status, agreed.text]).toEqual([409, 'this address is already confirmed'])
  const other = await ask('post', `/channels/${idOf(await ask('post', '/channels', OPS))}/confirmation`)
  expect([other.status, other.text]).toEqual([409, 'this channel has no email address to confirm'])
})

test('on a server that sends no mail, no channel that needs it is created, alone or among others', async () => {
  const mute = await world({ config_api: { sends_mail: false, unlimited: true } })
  try {
    const its = configurator(mute, await configToken(mute, await mute.org('team')))
    const body = { name: 'Mail', kind: 'email', destination: { email: 'none@example.com' } }
    const line = 'kind must not be email, because this server cannot send email'
    const refused = await its('post', '/channels', body)
    expect([refused.status, refused.text]).toEqual([400, line])
    const changes = [{ action: 'put', kind: 'channel', key: 'mail', body }]
    const planned = await its('post', '/bulk', { dry_run: true, changes })
    expect([planned.status, planned.text]).toEqual([400, expect.stringContaining(line)])
    expect((await its('post', '/channels', OPS)).status).toBe(201)
  } finally {
    await mute.close()
  }
})

test('what is refused or only planned asks nobody to confirm an address, and uses up no mail', async () => {
  const body = { name: 'Mail', kind: 'email', destination: { email: 'dry@example.com' } }
  const changes = [{ action: 'put', kind: 'channel', key: 'mail', body }]
  const spent = () => w.rows("select from rate_limits where key = 'confirm-mailbox:dry@example.com'")
  const planned = await ask('post', '/bulk', { dry_run: true, changes })
  expect([planned.status, planned.body]).toEqual([
    200,
    expect.objectContaining({ counts: expect.objectContaining({ created: 1 }) }),
  ])
  const broken = { action: 'put', kind: 'route', key: 'r', body: { name: 'r', scope: { all: true }, steps: [] } }
  expect((await ask('post', '/bulk', { changes: [...changes, broken] })).status).toBe(400)
  await ask('post', '/channels', { ...OPS, key: 'taken' })
  expect((await ask('post', '/channels', { ...body, key: 'taken' })).status).toBe(409)
  await liveOn(w)
  await askOwners(w.deps)
  expect(await spent()).toEqual([])
  expect((await ask('post', '/bulk', { changes })).status).toBe(200)
  await liveOn(w)
  await askOwners(w.deps)
  expect(await spent()).toHaveLength(1)
})

test('a test message is queued once for each key, within the budget of the console', async () => {
  const path = `/channels/${idOf(await ask('post', '/channels', OPS))}/test`
  const keyed = { 'Idempotency-Key': 'once' }
  const first = await ask('post', path, undefined, keyed)
  expect(first.body).toEqual({ delivery: expect.any(String), state: 'queued' })
  for (let n = 0; n < 3; n++) expect((await ask('post', path, undefined, keyed)).text).toBe(first.text)
  const answers = []
  for (let n = 0; n < 10; n++) answers.push((await ask('post', path)).status)
  expect(answers).toEqual([...Array.from({ length: 9 }, () => 200), 429])
  const sent = await w.rows("select from events where org_id = $1 and type = 'channel.test'", org.org_id)
  expect(sent).toHaveLength(10)
})

test('to a token that only reads, no dry run says whether a guessed secret is the right one', async () => {
  const url = 'https://hooks.example.com/right'
  const body = (webhook_url: string, more: object = {}) => ({
    name: 'hook',
    kind: 'webhook',
    destination: { webhook_url, ...more },
  })
  const secret = { webhook_secret: 'whsec_b25lLXNlY3JldC1vbmUtc2VjcmV0LW9uZS1zZWNyZXQ=' }
  expect((await ask('post', '/channels', { ...body(url, secret), key: 'hook' })).status).toBe(201)
  const plans = async (scopes: string[], wanted: object) => {
    const reader = configurator(w, await configToken(w, org, { scopes }))
    const changes = [{ action: 'put', kind: 'channel', key: 'hook', body: wanted }]
    const { status, text } = await reader('post', '/bulk', { dry_run: true, changes })
    return [status, text]
  }
  const wrong = 'https://hooks.example.com/wrong'
  // With the other secret left out, with both given, and with something else that differs.
  for (const more of [{}, secret, { webhook_secret: 'whsec_dHdvLXNlY3JldC10d28tc2VjcmV0LXR3by1zZWNyZXQ=' }]) {
    for (const scopes of [['read'], ['channels:read', 'checks:write']]) {
      expect(await plans(scopes, body(wrong, more))).toEqual(await plans(scopes, body(url, more)))
    }
  }
  const [, told] = await plans(['read'], { ...body(wrong), name: 'Other' })
  expect(JSON.parse(String(told))).toMatchObject({
    changes: [
      {
        action: 'replaced',
        fields: [
          { field: 'name', before: 'hook', after: 'Other' },
          { field: 'webhook_url', before: '(secret)', after: '(secret)', compared: false },
          { field: 'webhook_secret', before: '(secret)', after: '(secret)', compared: false, may_be_needed: true },
        ],
      },
    ],
  })
  const [, whole] = await plans(['read'], body(wrong, secret))
  expect(String(whole)).not.toContain('may_be_needed')
  expect((await plans(['channels:write'], body(wrong)))[0]).toBe(400)
  const actions = [await plans(['channels:write'], body(url, secret)), await plans(['write'], body(wrong, secret))]
  expect(actions.map(([, text]) => (JSON.parse(String(text)) as { counts: object }).counts)).toEqual([
    { created: 0, replaced: 0, deleted: 0, unchanged: 1 },
    { created: 0, replaced: 1, deleted: 0, unchanged: 0 },
  ])
})
