// The limits of the plans as people meet them in forms: each at its edge, and one beyond with the line that is shown.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { faultsOf, MAILER, ownerOf } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ console: { mailer: MAILER } })
})
afterAll(() => w.close())

/** The table of the service description. */
const TABLE = [
  {
    plan: 'free',
    checks: 10,
    heartbeats: 1,
    interval_sec: 120,
    timeout_sec: 10,
    channels: 2,
    kinds: ['ntfy', 'email'],
    members: 1,
    certificates: false,
    page: false,
  },
  {
    plan: 'solo',
    checks: 20,
    heartbeats: 5,
    interval_sec: 60,
    timeout_sec: 30,
    channels: 5,
    kinds: ['ntfy', 'email'],
    members: 1,
    certificates: true,
    page: true,
  },
  {
    plan: 'double',
    checks: 40,
    heartbeats: 10,
    interval_sec: 45,
    timeout_sec: 45,
    channels: 10,
    kinds: ['ntfy', 'email', 'webhook'],
    members: 2,
    certificates: true,
    page: true,
  },
  {
    plan: 'team',
    checks: 100,
    heartbeats: 25,
    interval_sec: 30,
    timeout_sec: 60,
    channels: Number.POSITIVE_INFINITY,
    kinds: ['ntfy', 'email', 'webhook', 'slack'],
    members: Number.POSITIVE_INFINITY,
    certificates: true,
    page: true,
  },
]

const CHECK = { name: 'shop', url: 'https://example.com/', interval_sec: '600' }
const DESTINATIONS = {
  ntfy: { ntfy_topic: 'topic' },
  email: { email: 'us@example.com' },
  webhook: { webhook_url: 'https://example.com/hook' },
  slack: { webhook_url: 'https://example.com/hook' },
} as const

type Fields = Readonly<Record<string, string>>

/** Fills in a form; what was refused, or nothing. */
async function send(browser: Browser, path: string, action: string, fields: Fields): Promise<string[]> {
  await browser.open(path)
  await browser.submit(action, fields)
  const lines = faultsOf(browser)
  expect({ path, lines, status: browser.page.status }).toEqual({ path, lines, status: lines.length > 0 ? 400 : 200 })
  return lines
}

describe.each(TABLE)('$plan', ({ plan, ...most }) => {
  let org: Org
  let alice: Browser
  const begin = async () => {
    org = await w.org(plan)
    alice = (await ownerOf(w, org)).browser
  }
  const check = (fields: Fields = {}) => send(alice, '/checks/new', '/checks/new', { ...CHECK, ...fields })
  const channel = (kind: keyof typeof DESTINATIONS) =>
    send(alice, `/channels/new?kind=${kind}`, '/channels/new', { kind, name: 'us', ...DESTINATIONS[kind] })
  const heartbeat = () =>
    send(alice, '/heartbeats/new', '/heartbeats/new', { name: 'job', interval_sec: '1 h', grace_sec: '5 min' })
  const invitation = (email: string) => send(alice, '/settings/members', '/settings/members/invite', { email })

  test(`checks: ${most.checks}`, async () => {
    await begin()
    await w.checks(
      org,
      Array.from({ length: most.checks - 1 }, () => ({ interval_sec: 600 })),
    )
    expect(await check()).toEqual([])
    expect(await check()).toEqual([
      `The ${plan} plan allows ${most.checks} checks, but this change would make ${most.checks + 1}. Delete checks or change the plan.`,
    ])
  })

  test(`an interval under ${most.interval_sec} s, or a timeout over ${most.timeout_sec} s, is refused`, async () => {
    await begin()
    const edge = { interval_sec: String(most.interval_sec), timeout_sec: String(most.timeout_sec) }
    expect(await check(edge)).toEqual([])
    const [interval] = await check({ ...edge, interval_sec: String(most.interval_sec - 1) })
    expect(interval).toContain(`on the ${plan} plan`)
    const [timeout] = await check({ ...edge, timeout_sec: String(most.timeout_sec + 1) })
    expect(timeout).toContain(plan === 'team' ? 'from 0 to 60' : `on the ${plan} plan`)
  })

  test(`certificate warnings are ${most.certificates ? 'taken' : 'refused'}`, async () => {
    await begin()
    const lines = await check({ cert_expiry_warn_days: '14' })
    expect(lines).toEqual(most.certificates ? [] : [expect.stringContaining(`on the ${plan} plan`)])
  })

  test(`heartbeats: ${most.heartbeats}`, async () => {
    await begin()
    for (let n = 0; n < most.heartbeats; n++) expect(await heartbeat()).toEqual([])
    const some = most.heartbeats === 1 ? '1 heartbeat' : `${most.heartbeats} heartbeats`
    expect(await heartbeat()).toEqual([`The ${plan} plan allows ${some}. Delete a heartbeat or change the plan.`])
  })

  test(`channels: ${most.channels}`, async () => {
    await begin()
    const fitting = Number.isFinite(most.channels) ? most.channels : 12
    for (let n = 0; n < fitting; n++) expect(await channel('email')).toEqual([])
    expect(await channel('email')).toEqual(
      Number.isFinite(most.channels)
        ? [`The ${plan} plan allows ${most.channels} channels. Delete a channel or change the plan.`]
        : [],
    )
  })

  test.each(Object.keys(DESTINATIONS) as (keyof typeof DESTINATIONS)[])('a channel of kind %s', async (kind) => {
    await begin()
    const isAllowed = most.kinds.includes(kind)
    // The page offers what the plan has; who asks for more all the same is told.
    await alice.open(`/channels/new?kind=${most.kinds[0] ?? ''}`)
    const csrf = alice.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await alice.post('/channels/new', { csrf, kind, name: 'us', ...DESTINATIONS[kind] })
    const kinds = most.kinds.join(', ')
    const line = new RegExp(`^Kind must be one of ${kinds}\\b.* on the ${plan} plan\\.$`)
    expect(faultsOf(alice)).toEqual(isAllowed ? [] : [expect.stringMatching(line)])
    const stored = await w.rows('select kind from notification_channels where org_id = $1', org.org_id)
    expect(stored).toEqual(isAllowed ? [{ kind }] : [])
  })

  test(`members: ${most.members}`, async () => {
    await begin()
    const fitting = Number.isFinite(most.members) ? most.members - 1 : 5
    for (let n = 0; n < fitting; n++) expect(await invitation(`guest-${n}@example.com`)).toEqual([])
    const some = most.members === 1 ? '1 member' : `${most.members} members`
    expect(await invitation('one-more@example.com')).toEqual(
      Number.isFinite(most.members)
        ? [
            `The ${plan} plan allows ${some}, including pending invitations. Remove a member, withdraw an invitation or change the plan.`,
          ]
        : [],
    )
  })

  test(`the status page is ${most.page ? 'shown' : 'refused'}`, async () => {
    await begin()
    expect(await send(alice, '/settings/status-page', '/settings/status-page', { enabled: 'on' })).toEqual(
      most.page ? [] : [`Status pages are not included in the ${plan} plan.`],
    )
  })
})
