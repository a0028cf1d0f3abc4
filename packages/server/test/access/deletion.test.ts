// Nothing is left of an organisation that was deleted, and little of a person.

import { createConfirmation } from '@dogwatch/domain/channels/confirmation'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { deleteOrganisations } from '@dogwatch/domain/organisations/deletion'
import { removeMember } from '@dogwatch/domain/organisations/members'
import { setOwner } from '@dogwatch/domain/organisations/organisation'
import { requestDeletion, resumeOrganisation } from '@dogwatch/domain/organisations/suspension'
import { deletePerson } from '@dogwatch/domain/people/delete'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { memberOf, ownerOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const DAY_SEC = 86_400

/** Every table with an org_id, with how many rows an org has in it. Partitions are counted in what they are part of. */
async function rowsOf({ org_id }: Org): Promise<Record<string, number>> {
  const tables = await w.rows(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await w.rows(`select count(*)::integer as n from ${String(name)} where org_id = $1`, org_id)
    counts[String(name)] = Number(row?.n)
  }
  return counts
}

/** An org with a row in every table that has an org_id. A table that this does not know fails the test that counts them. */
async function everywhere(): Promise<Org> {
  const org = await w.org()
  const { org_id } = org
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], [monitor.id])
  const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const email = 'us@example.com'
  const { id } = await createChannel(w.deps, org_id, { kind: 'email', name: 'us', email })
  await createConfirmation(w.deps, { org_id, id }, email)
  const { token } = await createHeartbeat(w.deps, org_id, job)
  await w.http.get(`/ping/${token}`)
  await w.pat(org)
  await w.token(org)
  await ownerOf(w, org)
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { ran_at, success: false, error: 'refused' })])
  const [{ check_id } = {}] = await w.rows('select check_id from checks where org_id = $1', org_id)
  const check = Number(check_id)
  await w.rows(`create table if not exists sealed_hours_1970_01_01 partition of sealed_hours
    for values from ('1970-01-01 00:00:00+00') to ('1970-01-02 00:00:00+00')`)
  for (const statement of [
    `insert into shifted_results values ($1, ${check}, now(), 'm', now())`,
    `insert into late_results values ($1, ${check}, 1, now(), 'm')`,
    `insert into unjudged_batches values ($1, ${check}, default, 'm', now() + interval '1 year', now(), false, '{}')`,
    `insert into reopened_results select * from results where org_id = $1`,
    `insert into sealed_hours values ($1, ${check}, timestamptz '1970-01-01 00:00:00+00', 1)`,
    `insert into rollup_marks values ($1, ${check}, now())`,
    `insert into rollups values ($1, ${check}, now(), 1, 0, 1, 1)`,
    `insert into rollups_daily values ($1, ${check}, now(), 1, 0, 1, 1)`,
    `insert into rollups_behind values ($1, now(), now())`,
    `insert into check_schedules values ($1, ${check}, now(), null, 60, 1, now())`,
    `insert into degradations (org_id, degradation_id, check_id, kind, began_at, reason) values ($1, 'd', ${check}, 'slow', now(), '')`,
    `insert into judgements values ($1, ${check}, now(), null, 'up', '')`,
    `insert into judged_organisations values ($1, now())`,
    `insert into former_secrets (org_id, check_id, replaced_at) values ($1, ${check}, now())`,
    `insert into status_pages values ($1::bigint, 'page-' || $1::bigint, 'Us', '')`,
    `insert into status_page_entries values ($1, 1, 'shop', ${check}, null)`,
    `insert into status_histories values ($1, '{}', now(), 1, now())`,
    `insert into planned_alerts select $1, event_id, 1, subject, null, 0, null, now() + interval '1 year', 'delay', now()
       from events where org_id = $1 limit 1`,
    `insert into alert_routes (org_id, guid, name, position, scope, events, delay_sec, steps, enabled, created_at)
       values ($1, 'r', 'ops', 0, '{"all": true}', '{}', 0, '[{"after_sec": 0, "channel_ids": [1]}]', true, now())`,
    `insert into maintenance_windows (org_id, guid, name, scope, starts_at, duration_sec, zone, is_public, spread_until, created_at)
       values ($1, 'w', 'night', '{"all": true}', '2026-11-23T02:00', 60, 'UTC', true, now(), now())`,
    `insert into maintenance_spans values ($1, 1, now(), now(), 'night', '{"all": true}', true)`,
    `insert into maintenance_scopes values ($1, '00000000-0000-0000-0000-000000000001', '{"all": true}', 13, now())`,
    `insert into failing_monitors values ($1, 'monitor', now(), now())`,
    `insert into mutes values ($1, 'check:1', 'infinity', now(), 'bob@example.com')`,
    `insert into deleted_checks values ($1, ${check}, 'batch', now(), 'bob@example.com', '{}')`,
    `insert into incident_notes (org_id, incident_id, created_at, author_id, author, body)
       select org_id, incident_id, now(), 1, 'bob@example.com', 'restarted' from incidents where org_id = $1 limit 1`,
    `insert into postmortems select org_id, incident_id, 'learnt', now(), 'bob@example.com' from incidents where org_id = $1 limit 1`,
    `insert into weekly_reports select org_id, person_id, '2026-11-16', org_id::text::bytea from memberships where org_id = $1`,
    `insert into configuration_tokens (token_hash, org_id, person_id, name, scopes, created_at)
       select ('cfg' || org_id)::bytea, org_id, person_id, 'CI', '{read}', now() from memberships where org_id = $1`,
    `insert into repeatable_answers
       select org_id, token_id, 'k', 'h', 201, '{}', '{}', now() from configuration_tokens where org_id = $1`,
    'insert into result_budgets values ($1, 1, now())',
    'insert into refused_pings values ($1, 1, now())',
    `insert into asked_runs (org_id, run_id, monitor_id, check_id, asked_by, asked_at)
       select $1, 'run', min(id), 1, 1, now() from monitors where org_id = $1`,
    `insert into retention (org_id, due_at) values ($1, 'infinity') on conflict do nothing`,
    `insert into invitations (org_id, token_hash, email, invited_by, created_at, expires_at)
       select $1, '\\x01', 'guest@example.com', person_id, now(), now() from memberships where org_id = $1`,
  ])
    await w.rows(statement, org_id)
  return org
}

test('an organisation is deleted whole when its grace time is over, not before, and no other with it', async () => {
  const [gone, kept] = [await everywhere(), await everywhere()]
  const [before, others] = [await rowsOf(gone), await rowsOf(kept)]
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
  const { delete_at } = await requestDeletion(w.deps, gone.org_id)
  expect(Date.parse(delete_at) - w.clock.now().getTime()).toBe(7 * DAY_SEC * 1000)
  w.clock.forward(7 * DAY_SEC - 60)
  await liveOn(w)
  expect(await deleteOrganisations(w.deps)).toEqual([])
  expect(await rowsOf(gone)).toMatchObject({ results: 1, checks: 1, organisations: 1 })
  w.clock.forward(61)
  await liveOn(w)
  await expect(resumeOrganisation(w.deps, gone.org_id)).rejects.toThrow('its deletion began')
  expect(await deleteOrganisations(w.deps)).toEqual([gone.org_id])
  expect(Object.entries(await rowsOf(gone)).filter(([, count]) => count > 0)).toEqual([])
  expect(await rowsOf(kept)).toEqual(others)
  expect(await deleteOrganisations(w.deps)).toEqual([])
})

test('a deletion that is called off deletes nothing, and the people stay when an organisation goes', async () => {
  const org = await w.org()
  const { browser } = await ownerOf(w, org)
  await requestDeletion(w.deps, org.org_id)
  await browser.open('/checks')
  expect(browser.page.status).toBe(403)
  await resumeOrganisation(w.deps, org.org_id)
  w.clock.forward(8 * DAY_SEC)
  await liveOn(w)
  expect(await deleteOrganisations(w.deps)).toEqual([])
  await browser.open('/checks')
  expect(browser.page.status).toBe(200)
  await requestDeletion(w.deps, org.org_id)
  w.clock.forward(8 * DAY_SEC)
  await liveOn(w)
  expect(await deleteOrganisations(w.deps)).toEqual([org.org_id])
  await browser.open('/checks')
  expect(browser.page).toMatchObject({ status: 200, path: '/organisations' })
})

test('a user who owns an organisation is not deleted; one who does not does not exist, and what they did can still be read', async () => {
  const org = await w.org()
  const [alice, bob] = [await ownerOf(w, org), await memberOf(w, org)]
  await bob.browser.open('/heartbeats/new')
  await w.rows(
    "insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), $2, 'check.create', 'shop')",
    org.org_id,
    bob.email,
  )
  await expect(deletePerson(w.deps, alice.email)).rejects.toThrow(
    new RegExp(`^the user owns organisation ${org.org_id} \\(.*\\); transfer or delete the organisation first$`),
  )
  expect(await deletePerson(w.deps, bob.email.toUpperCase())).toEqual({ email: bob.email, person_id: bob.person_id })
  await bob.browser.open('/checks')
  expect(bob.browser.page.path).toContain('/sign-in')
  const neutral = `deleted user ${bob.person_id}`
  const entries = await w.rows('select actor, action, subject from audit_entries where org_id = $1', org.org_id)
  expect(entries).toContainEqual({ actor: neutral, action: 'check.create', subject: 'shop' })
  expect(entries).toContainEqual({ actor: 'operator', action: 'member.add', subject: neutral })
  expect(JSON.stringify(entries)).not.toContain(bob.email)
  await expect(deletePerson(w.deps, bob.email)).rejects.toThrow('no user with that email')
  // Whoever handed their organisation over can be deleted.
  const carol = await memberOf(w, org)
  await setOwner(w.deps, org.org_id, carol.email)
  await w.pat(await w.org())
  await deletePerson(w.deps, alice.email)
  await expect(removeMember(w.deps, org.org_id, alice.email)).rejects.toThrow('no member with that email')
})
