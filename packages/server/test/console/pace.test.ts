// A person has one budget of pages, from however many addresses they come, and one of changes.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { requestFrom } from '../../../api/test/support/from-address.ts'
import { Browser } from '../support/browser.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

/** Nothing comes back while the test runs. */
const RATE = { per_sec: 1 / 3600, burst: 3 }

let w: World
beforeAll(async () => {
  w = await world({ address_limit: RATE })
})
afterAll(() => w.close())

async function pagesOf(
  org: Org,
): Promise<(address: string, path?: string) => Promise<{ status: number; body: string }>> {
  const cookie = `dogwatch-session=${await openSession(w.deps, org.owner_id, org.org_id)}`
  return (address, path = '/checks') => requestFrom(address, `${w.direct}${path}`, { headers: { cookie } })
}

test('pages and forms of one person are counted together, and others have their own', async () => {
  const [greedy, honest] = [await w.org(), await w.org()]
  const ask = await pagesOf(greedy)
  for (const host of [1, 2, 3]) expect((await ask(`127.0.4.${host}`)).status).toBe(200)
  const refused = await ask('127.0.4.4')
  expect(refused.status).toBe(429)
  expect(refused.body).toContain('You have opened too many pages in a short time')
  // Another session of the same person brings nothing.
  expect((await (await pagesOf(greedy))('127.0.4.5', '/settings')).status).toBe(429)
  expect((await (await pagesOf(honest))('127.0.4.6')).status).toBe(200)
})

describe('changes', () => {
  let quick: World
  let org: Org
  let browser: Browser
  beforeAll(async () => {
    quick = await world({ address_limit: { per_sec: 1000, burst: 1000 } })
  })
  beforeEach(async () => {
    await quick.rows('delete from rate_limits')
    org = await quick.org()
    browser = new Browser(quick.direct, await openSession(quick.deps, org.owner_id, org.org_id))
    await browser.open('/settings')
  })
  afterAll(() => quick.close())

  const rename = (name: string) => browser.submit('/settings/rename', { name })
  const entries = async () =>
    (await quick.rows("select from audit_entries where org_id = $1 and action like '%rename%'", org.org_id)).length
  /** As if all of it were used up; returns whether there is such a budget. */
  const useUp = async (key: string, burst: number, interval_sec: number) => {
    const full_at = "now() + ($2::integer + 1) * $3::integer * interval '1 second' - interval '1 second'"
    const rows = await quick.rows(
      `update rate_limits set tat = ${full_at} where key = $1 returning key`,
      key,
      burst,
      interval_sec,
    )
    return rows.length === 1
  }

  test.each([
    ['a person', () => `changes-person:${org.owner_id}`, 300, 10, 'You have made too many changes in a short time'],
    ['an organisation', () => `changes:${org.org_id}`, 1000, 5, 'has made too many changes in a short time'],
  ])('of %s have a budget, and what is beyond it changes nothing', async (_, keyOf, burst, interval_sec, line) => {
    await rename('First')
    expect([browser.page.status, await entries()]).toEqual([200, 1])
    let before = 0
    // On a busy machine, some of it has come back until then, or the process counted on its own for a second.
    await eventually(async () => {
      quick.clock.forward(1)
      expect(await useUp(keyOf(), burst, interval_sec)).toBe(true)
      before = await entries()
      await rename('Second')
      return browser.page.status !== 200
    }, 'it is refused')
    expect([browser.page.status, await entries()]).toEqual([429, before])
    expect(browser.text()).toContain(line)
    // Looking is no change.
    await browser.open('/settings')
    expect(browser.page.status).toBe(200)
  })
})
