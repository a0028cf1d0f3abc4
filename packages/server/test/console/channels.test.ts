// The pages of channels, as a member without scripts uses them.

import { channelKinds, createChannels, kindNames } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import type { EventType } from '@dogwatch/domain/events/event'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setPlan } from '@dogwatch/domain/organisations/organisation'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { raise } from '../../../domain/src/events/raise.ts'
import { Browser } from '../support/browser.ts'
import { MAILER } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let bob: Browser
let inbox: Receiver
let members = 0
beforeAll(async () => {
  w = await world({ console: { mailer: MAILER } })
})
beforeEach(async () => {
  inbox = await receiver()
  org = await w.org()
  bob = await memberOf(org)
})
afterEach(async () => {
  await w.rows('delete from deliveries')
  await inbox.close()
})
afterAll(() => w.close())

/** Signed in, and no owner. */
async function memberOf({ org_id }: Org): Promise<Browser> {
  const { person_id } = await addMember(w.deps, org_id, `bob-${members++}@example.com`)
  return new Browser(w.direct, await openSession(w.deps, person_id, org_id))
}

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(1)>"'&`
const SECRET = 'whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0'
const deeds = async () =>
  w.rows(
    "select action, subject, detail from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org.org_id,
  )
const actions = async () => (await deeds()).map(({ action }) => action)
const stored = () =>
  w.rows(
    `select name, kind, enabled, email, destination ->> 'ntfy_topic' as ntfy_topic, destination ->> 'webhook_url' as webhook_url,
       coalesce(destination ->> 'webhook_secret', '') as webhook_secret from notification_channels where org_id = $1`,
    org.org_id,
  )
const fault = () => bob.all('[role=alert]').map((one) => one.text.trim())
const squeeze = (text: string | undefined) => text?.replaceAll(/\s+/g, ' ').trim()
const cells = (row: number) =>
  bob
    .all('tbody tr')
    [row]?.querySelectorAll('td')
    .map((cell) => squeeze(cell.text))
const value = (name: string) => bob.all(`input[name=${name}]`)[0]?.getAttribute('value')
const pathHere = () => bob.page.path.split('?')[0] ?? ''

async function make(kind: string, fields: Record<string, string>): Promise<string> {
  await bob.open(`/channels/new?kind=${kind}`)
  await bob.submit('/channels/new', { name: 'us', ...fields })
  return pathHere()
}

/** What the worker does: sends all that is due. */
async function send(): Promise<void> {
  const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined }
  const channels = createChannels({ ...settings, ntfy_url: 'http://127.0.0.1:1' })
  const sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
  while ((await deliverOnce(sending)).claimed > 0) continue
}

describe('a new one', () => {
  test('without any, the page says that nobody is told, and the next step', async () => {
    await bob.open('/channels')
    expect(bob.text()).toContain('Add a channel to get notified when something goes down.')
    expect(bob.all('.empty a').map((one) => one.getAttribute('href'))).toEqual(['/channels/new'])
  })

  test.each([
    ['ntfy', { ntfy_topic: 'dog_watch-1' }, 'dog_watch-1'],
    ['email', { email: 'us@example.com' }, 'us@example.com'],
    ['webhook', { webhook_url: 'https://example.com/hook?key=in-the-address', webhook_secret: SECRET }, 'example.com'],
    ['webhook', { webhook_url: 'https://example.com/hook', webhook_secret: '' }, 'example.com'],
    ['slack', { webhook_url: 'https://hooks.slack.com/services/T/B/in-the-address' }, 'hooks.slack.com'],
  ])('%s: is chosen, made and listed with what of its destination is no secret', async (kind, fields, shown) => {
    await bob.open('/channels/new')
    expect(bob.all(`a[href="/channels/new?kind=${kind}"]`)).toHaveLength(1)
    const path = await make(kind, fields)
    expect(path).toMatch(/^\/channels\/\d+$/)
    expect(await stored()).toMatchObject([{ name: 'us', kind, enabled: true, ...fields }])
    await bob.open('/channels')
    expect(cells(0)?.slice(2)).toEqual([
      shown,
      ...(kind === 'email' ? ['Awaiting confirmation', 'Pending just now, 12:00'] : ['Enabled', 'None yet']),
    ])
    expect(bob.page.html).not.toMatch(/in-the-address|whsec_/)
  })

  test.each([
    [
      'ntfy',
      { ntfy_topic: 'no spaces' },
      '“Topic” must be 1 to 64 characters: letters, digits, hyphens or underscores.',
    ],
    ['ntfy', { ntfy_topic: '' }, '“Topic” is required.'],
    ['email', { email: 'nobody' }, /^“Email address” must be an email address\.$/],
    ['webhook', { webhook_url: 'ftp://example.com/', webhook_secret: 'x' }, '“URL” must be an http or https URL.'],
    [
      'webhook',
      { webhook_url: 'https://example.com/', webhook_secret: 'whsec_!' },
      '“Signing secret” must be whsec_ followed by 24 to 64 bytes in padded base64.',
    ],
    ['slack', { webhook_url: 'hooks' }, '“Webhook URL” must be an http or https URL.'],
    ['email', { name: ' ', email: 'us@example.com' }, '“Name” must not be blank.'],
  ])('%s with %j is refused, and what was filled in is kept', async (kind, fields, line) => {
    await make(kind, fields)
    expect(bob.page.status).toBe(400)
    expect(fault()).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)])
    for (const [name, given] of Object.entries({ name: 'us', ...fields })) expect(value(name)).toBe(given.trim())
    expect(value('kind')).toBe(kind)
    expect([await stored(), await actions()]).toEqual([[], []])
  })

  test.each(channelKinds())(
    '$name: its example is taken, and no page shows a secret or a token of it',
    async ({ name, fields, example }) => {
      const path = await make(name, example)
      expect([fault(), path]).toEqual([[], expect.stringMatching(/^\/channels\/\d+$/)])
      expect((await stored()).at(-1)).toMatchObject({ kind: name })
      for (const page of [path, '/channels']) {
        await bob.open(page)
        for (const [field, { isSecret }] of Object.entries(fields)) {
          if (isSecret && example[field]) expect(bob.page.html).not.toContain(example[field])
        }
        expect(bob.page.html).not.toMatch(/aBcDeFg|abcdefghijklm/)
      }
      await bob.open(`${path}/edit`)
      await bob.submit(`${path}/edit`, { name: 'ops' })
      expect([bob.page.status, fault()]).toEqual([200, []])
      expect((await deeds()).at(-1)).toMatchObject({ action: 'channel.edit', detail: { changed: ['name'] } })
    },
  )

  test('a template is previewed before anything is saved, and its mistake is shown', async () => {
    const given = {
      template_url: 'https://example.com/x?token=hush',
      template_body: '{"text": {{ message.title | json }}}',
    }
    await bob.open('/channels/new?kind=webhook-template')
    await bob.submit('/channels/new', { name: 'us', ...given, preview: 'on' })
    expect(bob.page.status).toBe(200)
    expect(bob.all('figcaption').map(({ text }) => text)).toEqual(['check.down', 'check.up', 'check.reminder'])
    expect(bob.all('pre')[0]?.text).toContain('POST example.com')
    expect(bob.all('pre')[0]?.text).toMatch(/Down: The /)
    expect(bob.all('textarea[name=template_body]')[0]?.text.trim()).toContain('message.title')
    expect(await stored()).toEqual([])
    await bob.submit('/channels/new', { template_body: '{"text": "{{ message.title }}"}', preview: 'on' })
    expect([bob.page.status, fault()]).toEqual([400, [expect.stringMatching(/^“Body” does not produce valid JSON/)]])
    await bob.submit('/channels/new', { template_body: '{"text": {{ message.nothing | json }}}' })
    expect([bob.page.status, fault()]).toEqual([
      400,
      [expect.stringMatching(/^“Body” could not be rendered: undefined variable/)],
    ])
    expect(await stored()).toEqual([])
    await bob.submit('/channels/new', { template_body: given.template_body })
    const path = pathHere()
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { template_body: '{"other": {{ type | json }}}', preview: 'on' })
    expect(bob.all('pre')[0]?.text).toContain('"other"')
    expect(
      await w.rows(
        "select destination ->> 'template_body' as body from notification_channels where org_id = $1",
        org.org_id,
      ),
    ).toEqual([{ body: given.template_body }])
  })

  test.each([
    ['syslog', { syslog_url: 'https://logs.example.com' }, '“Server URL” must be a tls, tcp or udp URL.'],
    [
      'syslog',
      { syslog_url: 'tcp://logs.example.com/path' },
      '“Server URL” must not contain a username, path or query.',
    ],
    [
      'syslog',
      { syslog_url: 'tcp://logs.example.com', syslog_facility: 'kern' },
      /^“Facility” must be local0, local1.* or daemon\.$/,
    ],
    ['discord', { discord_url: 'https://discord.gg/invite' }, /^“Webhook URL” must be a Discord webhook URL/],
    [
      'telegram',
      { telegram_chat: 'dogs', telegram_token: 'x' },
      /^Changes not saved. Fix 2 problems:“Chat ID” must be a chat ID.*“Bot token” must look/,
    ],
    [
      'matrix',
      { matrix_room: '#alias:example.org', matrix_url: 'https://example.org', matrix_token: 'x' },
      /^“Room” must be a room ID/,
    ],
  ])('%s with %j is refused', async (kind, fields, line) => {
    await make(kind, fields)
    expect([bob.page.status, fault()]).toEqual([400, [typeof line === 'string' ? line : expect.stringMatching(line)]])
    expect(await stored()).toEqual([])
  })

  test('of a kind that there is not is refused', async () => {
    await make('webhook', { kind: 'pigeon', webhook_url: 'https://example.com/' })
    expect([bob.page.status, await stored()]).toEqual([400, []])
  })
})

describe('plan limits', () => {
  const asOwner = async (plan: string) => {
    org = await w.org(plan)
    bob = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
  }

  test.each([
    ['free', 2],
    ['solo', 5],
    ['double', 10],
  ])('%s: %i are made, and one more is not', async (plan, most) => {
    await asOwner(plan)
    for (let i = 0; i < most; i++) expect(await make('ntfy', { ntfy_topic: `t${i}` })).toMatch(/\d$/)
    await make('ntfy', { ntfy_topic: 'more' })
    expect([bob.page.status, fault()]).toEqual([
      400,
      [`The ${plan} plan allows ${most} channels. Delete a channel or change the plan.`],
    ])
    expect(value('ntfy_topic')).toBe('more')
    await bob.open('/channels')
    expect(bob.all('tbody tr')).toHaveLength(most)
    expect(squeeze(bob.text())).toContain(`${most} of ${most} channels used on the ${plan} plan.`)
  })

  test('team: eleven are made, and there is no end', async () => {
    await asOwner('team')
    for (let i = 0; i < 11; i++) expect(await make('ntfy', { ntfy_topic: `t${i}` })).toMatch(/\d$/)
    await bob.open('/channels')
    expect(bob.all('tbody tr')).toHaveLength(11)
    expect(bob.text()).not.toContain('used on the team plan')
  })

  const KINDS = ['ntfy', 'email', 'webhook', 'slack']
  const others = kindNames().filter((kind) => !KINDS.includes(kind))
  test.each([
    ['free', 2],
    ['solo', 2],
    ['double', 3],
    ['team', 4],
  ])('%s: the first %i kinds are offered, and the others refused', async (plan, count) => {
    await asOwner(plan)
    await bob.open('/channels/new')
    const offered = bob.all('main li.card a').map((one) => one.getAttribute('href')?.split('=')[1])
    expect(offered.filter((kind = '') => !others.includes(kind))).toEqual(KINDS.slice(0, count))
    const refused = bob.text().match(new RegExp(`Not available on the ${plan} plan`, 'g')) ?? []
    expect(refused).toHaveLength(kindNames().length - offered.length)
    for (const kind of KINDS.slice(count)) {
      await make(kind, { webhook_url: 'https://example.com/' })
      const line = `Kind must be one of ${offered.join(', ')} on the ${plan} plan.`
      expect([bob.page.status, fault()]).toEqual([400, [line]])
    }
  })

  test('after a downgrade what is there goes on, and may be switched off and deleted, but not changed', async () => {
    await asOwner('team')
    const path = await make('webhook', { webhook_url: inbox.url })
    await setPlan(w.deps, org.org_id, 'free')
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { name: 'new name' })
    expect([bob.page.status, fault()]).toEqual([
      400,
      [expect.stringMatching(/^Kind must be one of ntfy, email\b.* on the free plan\.$/)],
    ])
    expect(value('name')).toBe('new name')
    await bob.open(path)
    await bob.submit(`${path}/test`)
    await send()
    expect(inbox.got).toHaveLength(1)
    await bob.submit(`${path}/disable`)
    await bob.open(`${path}/delete`)
    await bob.submit(`${path}/delete`)
    expect(await stored()).toEqual([])
  })
})

describe('one that is there', () => {
  test('is edited: the form shows its secret, and its kind stays', async () => {
    const path = await make('webhook', { webhook_url: 'https://example.com/old', webhook_secret: SECRET })
    await bob.open(`${path}/edit`)
    expect([value('webhook_url'), value('webhook_secret')]).toEqual(['https://example.com/old', SECRET])
    await bob.submit(`${path}/edit`, { kind: 'slack', name: 'ops', webhook_url: inbox.url, webhook_secret: '' })
    expect(bob.text()).toContain('Channel saved.')
    expect(await stored()).toMatchObject([{ name: 'ops', kind: 'webhook', webhook_url: inbox.url, webhook_secret: '' }])
    expect(await deeds()).toEqual([
      { action: 'channel.create', subject: 'us', detail: { kind: 'webhook' } },
      { action: 'channel.edit', subject: 'us', detail: { changed: ['name', 'webhook_url', 'webhook_secret'] } },
    ])
  })

  test('keeps what was filled in when an edit is refused, and is left as it was', async () => {
    const path = await make('email', { email: 'us@example.com' })
    await bob.open(`${path}/edit`)
    await bob.submit(`${path}/edit`, { name: 'ops', email: 'nowhere' })
    expect([bob.page.status, value('name'), value('email')]).toEqual([400, 'ops', 'nowhere'])
    expect(await stored()).toMatchObject([{ name: 'us', email: 'us@example.com' }])
  })

  test('is disabled, which gives up what waits, and enabled', async () => {
    const path = await make('webhook', { webhook_url: inbox.url })
    await happens(w.deps, org.org_id, 'check.down')
    await bob.open(path)
    await bob.submit(`${path}/disable`)
    expect(cells(0)?.slice(3)).toEqual(['Failed', '0', '–', '–', 'the channel is disabled'])
    expect(bob.all(`form[action="${path}/test"]`)).toEqual([])
    await happens(w.deps, org.org_id, 'check.up')
    await send()
    expect(inbox.got).toEqual([])
    await bob.open(path)
    await bob.submit(`${path}/enable`)
    await happens(w.deps, org.org_id, 'check.down')
    await send()
    expect(inbox.told()).toEqual(['check.down shop'])
    expect(await actions()).toEqual(['channel.create', 'channel.disable', 'channel.enable'])
  })

  test('is deleted only after it was asked on a page of its own', async () => {
    const path = await make('email', { email: 'us@example.com' })
    expect(bob.all(`form[action="${path}/delete"]`)).toEqual([])
    await bob.open(`${path}/delete`)
    expect(bob.all('h1')[0]?.text).toBe('Delete “us”?')
    expect(await stored()).toHaveLength(1)
    await bob.submit(`${path}/delete`)
    expect([pathHere(), await stored()]).toEqual(['/channels', []])
    expect((await bob.open(path)).status).toBe(404)
    expect(await actions()).toEqual(['channel.create', 'channel.delete'])
  })
})

describe('the delivery log', () => {
  test('shows a test message waiting, and what came of it once it was sent', async () => {
    const path = await make('webhook', { webhook_url: inbox.url })
    await bob.submit(`${path}/test`)
    expect(bob.text()).toContain('Test message sent.')
    expect(cells(0)).toEqual([
      'just now, 12:00',
      'Channel: test message',
      '–',
      'Pending',
      '0',
      'just now, 12:00',
      '–',
      '–',
    ])
    await bob.open('/channels')
    expect(cells(0)?.[4]).toBe('Pending just now, 12:00')
    await send()
    expect(inbox.got.map(({ json }) => json.type)).toEqual(['channel.test'])
    await bob.open(path)
    expect(cells(0)).toEqual([
      'just now, 12:00',
      'Channel: test message',
      '–',
      'Delivered',
      '1',
      '–',
      expect.stringMatching(/^Status 204, \d+ ms$/),
      '–',
    ])
    await bob.open('/channels')
    expect(cells(0)?.[4]).toBe('Delivered just now, 12:00')
    expect(await actions()).toEqual(['channel.create', 'channel.test'])
  })

  test('shows what failed, why, and when it is tried again', async () => {
    const path = await make('webhook', { webhook_url: inbox.url })
    inbox.answer = 500
    await happens(w.deps, org.org_id, 'check.down')
    await send()
    await bob.open(path)
    expect(cells(0)?.slice(1)).toEqual([
      'Check: down',
      'shop',
      'Pending',
      '1',
      'in 5 s, 12:00',
      expect.stringMatching(/^Status 500, /),
      expect.stringContaining('500'),
    ])
    await bob.open('/channels')
    expect(cells(0)?.[4]).toMatch(/^Pending just now, 12:00 .*500/)
  })

  test('a channel whose last message failed says so beside its state, until one arrives', async () => {
    const path = await make('webhook', { webhook_url: inbox.url })
    const state = async (at: string) => {
      await bob.open(at)
      return bob.all('.state').find(({ text }) => text.startsWith('Enabled'))
    }
    expect((await state(path))?.text).toBe('Enabled')
    inbox.answer = 404
    await bob.submit(`${path}/test`)
    await send()
    for (const at of [path, '/channels']) {
      const shown = await state(at)
      expect([shown?.text, shown?.getAttribute('class')]).toEqual(['Enabled, last message failed', 'state bad'])
    }
    inbox.answer = 204
    await bob.open(path)
    await bob.submit(`${path}/test`)
    await send()
    for (const at of [path, '/channels']) expect((await state(at))?.getAttribute('class')).toBe('state good')
  })

  test('names what each event was about', async () => {
    const path = await make('webhook', { webhook_url: inbox.url })
    const many = Array.from({ length: 12 }, (_, i) => ({ id: `m${i}`, name: i === 1 ? '' : `rack ${i}` }))
    const happened: [type: EventType, data: Record<string, unknown>][] = [
      ['heartbeat.down', { heartbeat: { name: 'backup' } }],
      ['check.up', { check: { name: 'shop' }, monitor: { name: 'rack 4' } }],
      ['check.unmonitored', { checks: [{ name: 'shop' }, { name: 'api' }] }],
      ['monitor.offline', { monitor: { name: 'rack 4' }, monitors: [{ id: 'a', name: 'rack 4' }] }],
      ['monitor.online', { monitors: many }],
    ]
    for (const [type, data] of happened) {
      const event = { org_id: org.org_id, type, subject: type, data }
      await w.deps.database.people.transaction().execute((trx) => raise(trx, w.deps, [event]))
    }
    await bob.open(path)
    expect(happened.map((_, row) => cells(row)?.slice(1, 3)).reverse()).toEqual([
      ['Heartbeat: down', 'backup'],
      ['Check: recovered', 'shop'],
      ['Check: not monitored', 'shop, api'],
      ['Monitor: offline', 'rack 4'],
      ['Monitor: back online', 'rack 0, m1, rack 2, rack 3, rack 4, rack 5, rack 6, rack 7, rack 8, rack 9 and more'],
    ])
  })

  test('has fifty to a page, newest first, each once; of the whole org with the channel named', async () => {
    const path = await make('ntfy', { ntfy_topic: 'a', name: 'first' })
    await make('ntfy', { ntfy_topic: 'b', name: 'second' })
    for (let i = 0; i < 60; i++) await happens(w.deps, org.org_id, 'check.down', `c${i}`)
    const seen = async (column: number) => bob.all('tbody tr').map((_, row) => cells(row)?.[column])
    const all = Array.from({ length: 60 }, (_, i) => `c${59 - i}`)
    await bob.open(path)
    expect(await seen(2)).toEqual(all.slice(0, 50))
    const older =
      bob
        .all('a')
        .find((one) => one.text === 'Show earlier deliveries')
        ?.getAttribute('href') ?? ''
    await bob.open(older)
    expect(await seen(2)).toEqual(all.slice(50))
    expect(bob.all('a').map((one) => one.text)).not.toContain('Show earlier deliveries')

    await bob.open('/channels/deliveries')
    expect(new Set(await seen(3))).toEqual(new Set(['first', 'second']))
    expect(await seen(2)).toEqual(all.slice(0, 25).flatMap((name) => [name, name]))
    await bob.open(`${path}?before=nonsense`)
    expect(await seen(2)).toEqual(all.slice(0, 50))
    await bob.open(`${path}?before=2001-01-01T00~00~00.000000Z_1`)
    expect(bob.text()).toContain('No earlier deliveries.')
  })

  test('goes by when deliveries were made, and is filtered by channel, state and incident, all in the URL', async () => {
    const first = await make('ntfy', { ntfy_topic: 'a', name: 'first' })
    await make('ntfy', { ntfy_topic: 'b', name: 'second' })
    for (const name of ['c1', 'c2', 'c3']) await happens(w.deps, org.org_id, 'check.down', name)
    const change = (set: string, name: string) =>
      w.rows(
        `update deliveries d set ${set} from events e
         where d.org_id = $1 and e.org_id = d.org_id and e.event_id = d.event_id and e.data #>> '{check,name}' = $2`,
        org.org_id,
        name,
      )
    await change("created_at = d.created_at + interval '1 hour'", 'c1')
    await change("state = 'failed', next_attempt_at = null", 'c2')
    await w.rows(
      "update events set incident_id = 'i3' where org_id = $1 and data #>> '{check,name}' = 'c3'",
      org.org_id,
    )
    const seen = async (query: string, path = '/channels/deliveries') => {
      await bob.open(`${path}${query}`)
      return bob.all('tbody tr').map((_, row) => cells(row)?.[2])
    }
    expect(await seen('', first)).toEqual(['c1', 'c3', 'c2'])
    expect(await seen('?state=failed')).toEqual(['c2', 'c2'])
    expect(await seen(`?state=failed&channel=${first.split('/').at(-1)}`)).toEqual(['c2'])
    expect(bob.all('option[selected]').map((one) => one.text)).toEqual(['first', 'Failed'])
    expect(await seen('?incident=i3')).toEqual(['c3', 'c3'])
    expect(bob.all('tbody a[href="/incidents/i3"]')).toHaveLength(2)
    expect(await seen('?state=delivered')).toEqual([])
    expect(bob.text()).toContain('No deliveries match these filters.')
    expect(await seen('?state=nonsense&channel=x&incident=')).toHaveLength(6)
    expect(await seen('?incident=%00')).toEqual([])
    expect(await seen('?state=pending', first)).toEqual(['c1', 'c3'])
  })

  test('shows whatever names and answers hold as text', async () => {
    const path = await make('webhook', { webhook_url: inbox.url, name: HOSTILE, webhook_secret: HOSTILE })
    await happens(w.deps, org.org_id, 'check.down', HOSTILE)
    await w.rows('update deliveries set last_error = $1', HOSTILE)
    for (const shown of ['/channels', path, `${path}/edit`, `${path}/delete`, '/channels/deliveries']) {
      await bob.open(shown)
      expect(bob.all('script').map((one) => one.getAttribute('src') ?? 'inline')).toEqual([
        expect.stringMatching(/^\/assets\//),
      ])
      expect(bob.all('img, iframe, [onerror]')).toEqual([])
    }
    await bob.open(path)
    expect([bob.all('h1')[0]?.text, cells(0)?.[2], cells(0)?.[7]]).toEqual([HOSTILE, HOSTILE, HOSTILE])
    await bob.open(`${path}/edit`)
    expect(value('webhook_secret')).toBe(HOSTILE)
  })

  test('ten tests at once are sent, an eleventh is not', async () => {
    const path = await make('ntfy', { ntfy_topic: 'a' })
    for (let i = 0; i < 10; i++) {
      await bob.submit(`${path}/test`)
      expect(bob.page.status).toBe(200)
    }
    await bob.submit(`${path}/test`)
    expect(bob.page.status).toBe(429)
    expect(bob.text()).toContain('Too many requests')
    await bob.open(path)
    expect(bob.all('tbody tr')).toHaveLength(10)
  })
})

test("another org's channel, or none, is a 404, no form touches it, and its deliveries are not seen", async () => {
  const path = await make('email', { email: 'us@example.com' })
  const csrf = bob.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  const other = await w.org()
  const { id } = await createChannel(w.deps, other.org_id, { kind: 'webhook', name: 'theirs', webhook_url: inbox.url })
  await happens(w.deps, other.org_id, 'check.down', 'their shop')
  const all =
    'select c::text, d::text from notification_channels c left join deliveries d on d.channel_id = c.id order by 1'
  const before = await w.rows(all)
  for (const named of [String(id), '0', '-1', 'x', '9'.repeat(30), '%00']) {
    for (const suffix of ['', '/edit', '/delete']) {
      const { status } = await bob.open(`/channels/${named}${suffix}`)
      expect({ named, suffix, status }).toEqual({ named, suffix, status: 404 })
    }
    for (const verb of ['edit', 'test', 'enable', 'disable', 'delete']) {
      const { status } = await bob.post(`/channels/${named}/${verb}`, {
        csrf,
        name: 'mine',
        webhook_url: 'https://x.example/',
      })
      expect({ named, verb, status }).toEqual({ named, verb, status: 404 })
    }
  }
  expect(await w.rows(all)).toEqual(before)
  for (const shown of ['/channels', '/channels/deliveries', path]) {
    await bob.open(shown)
    expect(bob.text()).not.toMatch(/their/)
  }
})
