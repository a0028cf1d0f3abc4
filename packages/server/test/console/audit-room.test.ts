// Whatever a script does all day, the audit log records that it was done in bounded space, and what others do in full.

import { readAudit } from '@dogwatch/domain/audit/read'
import { type Actor, type AuditRecord, recordAuditEntries, recordAuditEntry } from '@dogwatch/domain/audit/record'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Org, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const script: Actor = { person_id: 1, email: 'ann@example.com', impersonator_email: null, token: 'deploy' }
const ann: Actor = { person_id: 1, email: 'ann@example.com', impersonator_email: null }
const bob: Actor = { person_id: 2, email: 'bob@example.com', impersonator_email: null }

async function record(org: Org, actor: Actor, deeds: readonly Omit<AuditRecord, 'org_id'>[]): Promise<void> {
  await recordAuditEntries(
    w.deps.database.machines,
    w.deps,
    actor,
    deeds.map((deed) => ({ ...deed, org_id: org.org_id })),
  )
}
const edits = (count: number, detail: Record<string, unknown> = {}) =>
  Array.from({ length: count }, (_, n) => ({ action: 'check.edit' as const, subject: `check ${n}`, detail }))

/** Without that of its own creation, which takes room as well. */
const IN_FULL = 4_999
const entriesOf = (org: Org) =>
  w.rows(
    'select actor, action, subject, times from audit_entries where org_id = $1 and action <> $2 order by entry_id',
    org.org_id,
    'organisation.create',
  )

test('deeds beyond the room of a day are counted by hour, actor and action, and every one of them counts', async () => {
  const org = await w.org()
  for (let n = 0; n < 6; n++) await record(org, script, edits(1_000))
  await record(org, script, [{ action: 'route.delete', subject: 'night' }])
  w.clock.forward(3600)
  await record(org, script, edits(10))
  const entries = await entriesOf(org)
  expect(entries.slice(IN_FULL)).toEqual([
    { actor: script.email, action: 'check.edit', subject: 'check 999', times: 1_001 },
    { actor: script.email, action: 'route.delete', subject: 'night', times: 1 },
    { actor: script.email, action: 'check.edit', subject: 'check 9', times: 10 },
  ])
  expect(entries.slice(0, IN_FULL).every(({ times }) => times === null)).toBe(true)
  w.clock.forward(86_400)
  await record(org, script, edits(1))
  expect((await entriesOf(org)).at(-1)).toMatchObject({ subject: 'check 0', times: null })
})

test('somebody else of the organisation is recorded in full, and so is another organisation', async () => {
  const [org, other] = [await w.org(), await w.org()]
  for (let n = 0; n < 6; n++) await record(org, script, edits(1_000))
  await record(org, bob, [{ action: 'check.delete', subject: 'shop', detail: { why: 'x' } }])
  await record(other, script, edits(2))
  expect((await entriesOf(org)).at(-1)).toEqual({
    actor: bob.email,
    action: 'check.delete',
    subject: 'shop',
    times: null,
  })
  expect((await entriesOf(other)).map(({ times }) => times)).toEqual([null, null])
})

test('large details use up the room as well, and a summary has none of them but the token', async () => {
  const org = await w.org()
  const guids = Array.from({ length: 2_000 }, (_, n) => `5b3f0f6e-6a0e-4a52-9d7e-${String(n).padStart(12, '0')}`)
  for (let n = 0; n < 8; n++) await record(org, script, edits(10, { guids }))
  const [size] = await w.rows(
    'select sum(octet_length(detail::text)) as bytes, count(*)::integer as entries from audit_entries where org_id = $1',
    org.org_id,
  )
  expect(Number(size?.bytes)).toBeLessThan(4.5 * 1024 * 1024)
  const { entries } = await readAudit(w.deps, org.org_id, { limit: 1 })
  expect(entries).toMatchObject([
    { action: 'check.edit', detail: { token: 'deploy' }, times: 82 - Number(size?.entries) },
  ])
})

test('the page says how many changes an entry stands for', async () => {
  const org = await w.org()
  for (let n = 0; n < 7; n++) await record(org, ann, edits(1_000))
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  const page = await fetch(`${w.direct}/settings/audit`, { headers: { cookie: `dogwatch-session=${session}` } })
  expect(await page.text()).toContain('This entry summarises 2,001 changes')
})

test('open pages learn of a change that is only counted', async () => {
  const org = await w.org()
  for (let n = 0; n < 6; n++) await record(org, ann, edits(1_000))
  const newest = async () => (await w.rows('select max(change_id) from changes where org_id = $1', org.org_id))[0]
  const before = await newest()
  await recordAuditEntry(w.deps.database.machines, w.deps, ann, {
    org_id: org.org_id,
    action: 'check.edit',
    subject: 'x',
  })
  expect(await newest()).not.toEqual(before)
})
