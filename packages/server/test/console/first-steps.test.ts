// The list of first steps follows from what an organisation has, and a check that is down without a channel is on every page.

import { createChannel, switchChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { setPlan } from '@dogwatch/domain/organisations/organisation'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from '../support/browser.ts'
import { deedsOf, memberOf, ownerOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const CHANNEL = { kind: 'ntfy', name: 'phone', ntfy_topic: 'wonderland' }

/** What the list says, a line a step; empty when there is no list. */
async function stepsOf(browser: Browser): Promise<string[]> {
  await browser.open('/')
  return browser.all('.first-steps li').map((one) => {
    const text = one.structuredText.replace(/\s+/g, ' ').trim()
    return (
      /^Done (.*)$/.exec(text)?.[1] ??
      `- ${/^To do ([^.]*?)(?: (?:A|Enter|You|Without|Get|Confirm|Show) .*)?$/.exec(text)?.[1]}`
    )
  })
}

async function fail(org: Org): Promise<string> {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  await monitor.client.upload([result(guid, { success: false, error: 'refused', ran_at: w.clock.now().toISOString() })])
  return guid
}

test('the steps are ticked off one by one, and the list is gone when all are done', async () => {
  const org = await w.org()
  const { browser } = await ownerOf(w, org)
  const todo = [
    '- Create a check',
    '- Get the first result',
    '- Add a channel and send a test alert',
    '- Add a heartbeat',
    '- Add a second monitor',
    '- Publish a status page',
  ]
  expect(await stepsOf(browser)).toEqual(todo)
  const done = async (...which: number[]) => {
    for (const at of which) todo[at] = (todo[at] ?? '').slice(2)
    expect(await stepsOf(browser)).toEqual(todo)
  }
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  await done(0)
  await monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString() })])
  await done(1)
  const { id } = await createChannel(w.deps, org.org_id, CHANNEL)
  await done()
  await browser.open(`/channels/${id}`)
  await browser.submit(`/channels/${id}/test`)
  await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", org.org_id)
  await done(2)
  const beats = { name: 'job', interval_sec: 60, grace_sec: 60, resend_interval_sec: 0, show_on_status_page: false }
  await createHeartbeat(w.deps, org.org_id, beats)
  await w.monitor(org, 'the second')
  await done(3, 4)
  expect(browser.text()).toContain('Get started: 5 of 6 done')
  await browser.open('/settings/status-page')
  await w.rows('update organisations set status_page_enabled = true where org_id = $1', org.org_id)
  await w.rows(
    "insert into status_pages (org_id, slug, title, description) values ($1, 'first-steps', 't', '')",
    org.org_id,
  )
  expect(await stepsOf(browser)).toEqual([])
})

test('what the plan does not have is no step, and a shared monitor is one of two', async () => {
  const org = await w.org()
  await setPlan(w.deps, org.org_id, 'free')
  await w.monitor(org)
  const { browser } = await ownerOf(w, org)
  expect(await stepsOf(browser)).not.toContain('- Publish a status page')
  expect(await stepsOf(browser)).toContain('- Add a second monitor')
  const shared = await w.monitor(null)
  expect(await stepsOf(browser)).toContain('Add a second monitor')
  await w.rows('update monitors set retired_at = now() where id = $1', shared.id)
})

test('any member hides the list for all of them, and the audit log says who', async () => {
  const org = await w.org()
  const [owner, member] = [await ownerOf(w, org), await memberOf(w, org)]
  await member.browser.open('/checks')
  expect(member.browser.all('.first-steps')).toEqual([])
  await member.browser.open('/')
  await member.browser.submit('/first-steps/hide')
  expect(member.browser.text()).toContain('hidden for all members')
  expect(await stepsOf(owner.browser)).toEqual([])
  expect(await deedsOf(w, org)).toEqual([`${member.email}: first_steps.hide first steps`])
})

test('something down without an enabled channel is said on every page, until there is one', async () => {
  const org = await w.org()
  const { browser } = await ownerOf(w, org)
  const said = async (path: string) => {
    await browser.open(path)
    return browser.all('.banner.unheard').length
  }
  const guid = await fail(org)
  for (const path of ['/checks', `/checks/${guid}`, '/heartbeats', '/settings', '/account'])
    expect(await said(path)).toBe(1)
  const { id } = await createChannel(w.deps, org.org_id, CHANNEL)
  expect(await said('/checks')).toBe(0)
  await switchChannel(w.deps, id, false)
  expect(await said('/checks')).toBe(1)
  await suspendOrganisation(w.deps, org.org_id)
  expect(await said('/organisations')).toBe(0)
})

test('nothing is said while all is well', async () => {
  const { browser } = await ownerOf(w, await w.org())
  await browser.open('/checks')
  // The one for a lost connection is there for scripts to fill.
  expect(browser.all('.banner').filter(({ id }) => id !== 'lost')).toHaveLength(0)
})
