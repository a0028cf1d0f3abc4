// What the tests of the pages of checks have in common: an org anew for each test, and bob, who belongs to it.

import { addMember } from '@dogwatch/domain/organisations/members'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { Browser } from './browser.ts'
import { type Org, type World, world } from './world.ts'

export let w: World
export let org: Org
export let bob: Browser
let members = 0
beforeAll(async () => {
  w = await world({ console: { run_wait_ms: 60_000 } })
})
beforeEach(async () => {
  org = await w.org()
  bob = await memberOf(org)
})
afterAll(() => w.close())

/** Signed in, and no owner. */
async function memberOf({ org_id }: Org): Promise<Browser> {
  const { person_id } = await addMember(w.deps, org_id, `bob-${members++}@example.com`)
  return new Browser(w.direct, await openSession(w.deps, person_id, org_id))
}

export const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
export const stored = async (guid: string) => (await w.rows('select * from checks where guid = $1', guid))[0]
export const deeds = async () =>
  (await w.rows(
    "select actor, action, subject, detail from audit_entries where org_id = $1 and actor <> 'operator' order by entry_id",
    org.org_id,
  )) as {
    actor: string
    action: string
    subject: string
    detail: unknown
  }[]
export const actions = async () => (await deeds()).map(({ action }) => action)
export const fault = () => bob.all('[role=alert]').map((one) => one.text.trim())
export const cell = (row: number, column: number) =>
  bob.all('tbody tr')[row]?.querySelectorAll('td:not(.pick)')[column]?.text.replaceAll(/\s+/g, ' ').trim()
export const guidHere = () => bob.page.path.split('/')[2]?.split('?')[0] ?? ''

export async function oneCheck(entry: Record<string, unknown> = {}, monitors: 'all' | 'none' = 'all'): Promise<string> {
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], monitors)
  return guid
}

export const runners = async (guid: string) =>
  (await w.rows('select monitor_id from assignments where guid = $1 and active order by 1', guid)).map(
    ({ monitor_id }) => monitor_id,
  )
