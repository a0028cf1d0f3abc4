// Who looks through another's eyes sees no secret, and makes nothing that lets anybody in later.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { adminOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let admin: Browser
let alice: Somebody
let pages: string[]
let channel: string
let heartbeat: string
let monitor: string
/** What must not be read: each stands on a page that its owner sees. */
let secrets: string[]

beforeAll(async () => {
  w = await world()
  org = await w.org()
  alice = await ownerOf(w, org)
  const make = async (wanted: Record<string, string>) =>
    (await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'us', ...wanted })).id
  const webhook = { kind: 'webhook', webhook_url: 'https://hooks.example/in/hush-path', webhook_secret: 'hush-secret' }
  const slack = { kind: 'slack', webhook_url: 'https://hooks.example/services/hush-slack' }
  const channels = [await make(webhook), await make(slack), await make({ ntfy_topic: 'hush-topic' })]
  channel = `/channels/${channels[0]}`
  const job = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  const made = await createHeartbeat(w.deps, org.org_id, job)
  heartbeat = `/heartbeats/${made.guid}`
  monitor = `/monitors/${(await w.monitor(org)).id}`
  secrets = ['hush-path', 'hush-secret', 'hush-slack', 'hush-topic', made.token]
  pages = [
    ...[
      '/channels',
      ...channels.flatMap((id) => [`/channels/${id}`, `/channels/${id}/edit`]),
      '/channels/new?kind=ntfy',
    ],
    ...['/heartbeats', heartbeat, `${heartbeat}/edit`, '/monitors', '/monitors/new', monitor, `${monitor}/reset`],
    ...['/settings/members', '/settings/api-tokens', '/settings/audit'],
  ]
  const { browser } = await adminOf(w)
  await browser.open(`/admin/orgs/${org.org_id}`)
  await browser.submit(`/admin/people/${alice.person_id}/log-in-as`)
  admin = browser
})
afterAll(() => w.close())

async function readBy(browser: Browser): Promise<string> {
  const seen = []
  for (const path of pages) {
    await browser.open(path)
    expect([path, browser.page.status]).toEqual([path, 200])
    seen.push(browser.page.html)
  }
  return seen.join('')
}

test('the owner sees the secrets of their channels and heartbeats, who looks through their eyes sees none', async () => {
  const [own, others] = [await readBy(alice.browser), await readBy(admin)]
  expect(secrets.filter((secret) => !own.includes(secret))).toEqual([])
  expect(secrets.filter((secret) => others.includes(secret))).toEqual([])
  expect(others).toContain('hidden')
})

const REFUSED: [path: () => string, fields: Record<string, string>][] = [
  [() => '/monitors/new', { region: 'eu', country: 'DE', city: 'Berlin' }],
  [() => `${monitor}/reset`, {}],
  [() => `${heartbeat}/rotate`, {}],
  [() => '/channels/new', { kind: 'ntfy', name: 'mine', ntfy_topic: 'mine' }],
  [() => `${channel}/edit`, { name: 'mine', webhook_url: 'https://example.com/', webhook_secret: '' }],
  [() => '/settings/members/invite', { email: 'admin@example.com' }],
  [() => '/settings/api-tokens', { name: 'mine' }],
]

test.each(REFUSED.map(([path, fields]) => ({ path, fields })))(
  'what would let somebody in later is refused: %#',
  async ({ path, fields }) => {
    const before = await everything()
    await admin.open('/checks')
    const csrf = admin.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await admin.post(path(), { ...fields, csrf })
    expect([path(), admin.page.status]).toEqual([path(), 403])
    expect(await everything()).toEqual(before)
  },
)

/** What opens a door, and what the log says of it. */
async function everything() {
  const tables = [
    'enrollment_tokens',
    'monitors',
    'heartbeats',
    'notification_channels',
    'invitations',
    'audit_entries',
  ]
  return Promise.all(
    tables.map(async (table) => (await w.rows(`select t::text from ${table} t where org_id = $1`, org.org_id)).sort()),
  )
}

test('pages offer nothing of it', async () => {
  const seen = await readBy(admin)
  for (const action of [
    '/monitors/new',
    `${monitor}/reset`,
    `${heartbeat}/rotate`,
    `${channel}/edit`,
    '/settings/members/invite',
  ]) {
    expect(seen).not.toContain(`action="${action}"`)
  }
})

test('what a member does for themselves goes on as before', async () => {
  const bob = await memberOf(w, org)
  await bob.browser.open('/monitors/new')
  await bob.browser.submit('/monitors/new', { region: 'eu', country: 'DE', city: 'Berlin' })
  expect(bob.browser.text()).toContain('dogwatch_enroll_')
})
