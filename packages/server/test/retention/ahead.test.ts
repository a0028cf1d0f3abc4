// A clock that was ahead for a few minutes has erased nothing when it is right again, whatever the chores deleted by age in the meantime.

import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { readDeletions, restoreChecks } from '@dogwatch/domain/checks/deletions'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { mute } from '@dogwatch/domain/mutes/mute'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { DAY_SEC, daysAgo, liveOn, setDatabaseTime, store } from '../../../api/test/retention/rows.ts'
import { runChores } from '../../src/chores.ts'
import { type Org, type World, world } from '../support/world.ts'

const BOB = { person_id: 1, email: 'bob@example.com', impersonator_email: null }
/** What the chores may delete at any time, whatever the clock says. */
const FLEETING = ['rate_limits', 'processes', 'rollup_marks', 'planned_alerts', 'unjudged_batches', 'failing_monitors']

let w: World
beforeEach(async () => {
  w = await world()
})
afterEach(() => w.close())

/** Runs each chore once, and again a minute later, and so on. */
async function live(minutes: number): Promise<void> {
  for (let minute = 0; minute <= minutes; minute++) {
    if (minute > 0) w.clock.forward(60)
    await setDatabaseTime(w)
    await runChores(w.deps)()
  }
}

/** The keys of all rows, by table. */
async function keys(): Promise<Map<string, Set<string>>> {
  const tables = await w.rows(
    `select c.relname as name, array_agg(quote_ident(a.attname)) as columns from pg_index i
     join pg_class c on c.oid = i.indrelid and not c.relispartition join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where i.indisprimary and c.relnamespace = 'public'::regnamespace group by 1 order by 1`,
  )
  const found = new Map<string, Set<string>>()
  for (const { name, columns } of tables) {
    // Results of hours that are over, by whatever clock, are sealed.
    const from = name === 'results' ? 'stored_results' : String(name)
    const rows = await w.rows(`select jsonb_build_array(${(columns as string[]).join(', ')})::text as key from ${from}`)
    found.set(String(name), new Set(rows.map(({ key }) => String(key))))
  }
  return found
}

/** A row of each kind that is deleted when it is old, or that ends in the next hours. */
async function plant(org: Org): Promise<void> {
  const { org_id, owner_id } = org
  const at = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000)
  const soon = at(3600)
  const hash = () => Buffer.from(String(Math.random()))
  const one = (sql: string, ...values: unknown[]) => w.rows(`insert into ${sql}`, ...values)
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', interval_sec: 120 }], 'all')
  await store(w, org, guid, [daysAgo(w, 0), daysAgo(w, 1), daysAgo(w, 29)])
  await createHeartbeat(w.deps, org_id, {
    ...{ name: 'job', interval_sec: 3600, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false },
  })
  await one(
    'sessions (session_hash, person_id, created_at, last_used_at, expires_at) values ($1, $2, $3, $3, $4)',
    hash(),
    owner_id,
    at(0),
    soon,
  )
  await one("pending_sign_ins values ($1, 'code', $2, '{}', $3)", hash(), owner_id, soon)
  await one('password_resets (token_hash, person_id, expires_at) values ($1, $2, $3)', hash(), owner_id, soon)
  await one(
    'invitations (org_id, token_hash, email, invited_by, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
    ...[org_id, hash(), 'eve@example.com', owner_id, at(0), soon],
  )
  await one('sign_up_links values ($1, $2, $3)', hash(), 'dave@example.com', soon)
  await one('set_up_links (token_hash, created_at, expires_at) values ($1, $2, $3)', hash(), at(0), soon)
  await one('channel_confirmations values ($1, $2, 1, $3, $4)', hash(), org_id, 'carol@example.com', soon)
  await one(
    'weekly_reports (org_id, person_id, week, token_hash) values ($1, $2, $3::date, $4)',
    org_id,
    owner_id,
    daysAgo(w, 100),
    hash(),
  )
  await one(
    "mutes (org_id, subject, muted_until, muted_at, muted_by) values ($1, 'check:-1', $2, $3, 'bob')",
    org_id,
    soon,
    at(0),
  )
  await one(
    'asked_runs (org_id, run_id, monitor_id, asked_by, asked_at, check_id) select $1, $2, $3, $4, $5, check_id from checks where guid = $6',
    ...[org_id, `run ${org_id}`, monitor.id, owner_id, at(0), guid],
  )
  await one('changes values ($1, -1, $2)', org_id, at(0))
  await one('refused_pings select org_id, heartbeat_id, $2 from heartbeats where org_id = $1', org_id, at(-1800))
  await one('refused_requests values ($1, $2)', monitor.id, at(-1800))
  await one('service_outages values ($1, $2)', daysAgo(w, 700 + (org_id % 50)), daysAgo(w, 699))
  const [token] = await one(
    'configuration_tokens (token_hash, org_id, person_id, name, scopes, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7) returning token_id',
    ...[hash(), org_id, owner_id, 'ci', ['read'], at(0), at(-89 * DAY_SEC)],
  )
  await one(
    "repeatable_answers values ($1, $2, 'k', $3, 200, '{}', '{}', $4)",
    org_id,
    token?.token_id,
    hash(),
    at(-23 * 3600),
  )
  await one(
    'enrollment_tokens (token_hash, org_id, created_at, expires_at) values ($1, $2, $3, $3)',
    hash(),
    org_id,
    daysAgo(w, 29.5),
  )
  await one(
    'audit_entries (org_id, created_at, actor, action, subject) values ($1, $2, $3, $3, $3)',
    org_id,
    daysAgo(w, 365),
    'x',
  )
  await w.rows('update organisations set delete_at = $2 where org_id = $1', (await w.org()).org_id, soon)
  const [window] = await one(
    `maintenance_windows (org_id, guid, name, scope, starts_at, duration_sec, zone, is_public, spread_until, created_at)
     values ($1, $2, 'night', '{"all": true}', '2026-01-01T00:00', 3600, 'UTC', true, $3, $4) returning window_id`,
    ...[org_id, `window ${org_id}`, at(60 * DAY_SEC), daysAgo(w, 390)],
  )
  for (const days of [1, 390])
    await one(
      `maintenance_spans (org_id, window_id, begins_at, ends_at, name, scope, is_public) values ($1, $2, $3, $4, 'night', '{"all": true}', true)`,
      ...[org_id, window?.window_id, daysAgo(w, days), daysAgo(w, days - 0.1)],
    )
  await one(
    `maintenance_scopes (org_id, scope_id, scope, bytes, used_at) values ($1, gen_random_uuid(), '{"all": true}', 9, $2)`,
    org_id,
    daysAgo(w, 390),
  )
}

test.each([
  ['404 days for four minutes', 404 * DAY_SEC],
  ['30 hours for four minutes', 30 * 3600],
  ['2 hours for four minutes', 7200],
])('a clock ahead by %s has erased nothing', async (_name, ahead_sec) => {
  const org = await w.org('free')
  await liveOn(w)
  await plant(org)
  const [guid = '', loud = ''] = await w.checks(
    org,
    [{ url: 'https://secret.example/', interval_sec: 120 }, { interval_sec: 120 }],
    'none',
  )
  await live(1)
  const before = await keys()
  await changeChecks(w.deps, { org_id: org.org_id, actor: BOB }, [guid], { kind: 'delete' })
  await live(1)
  w.clock.forward(ahead_sec)
  await live(2)
  const later = new Date(w.clock.now().getTime() + 3600_000)
  await mute(w.deps, { org_id: org.org_id, kind: 'check', guid: loud }, later, BOB)
  await live(2)
  w.clock.forward(-ahead_sec)
  await live(1)
  const after = await keys()
  const lost = [...before].flatMap(([table, rows]) => {
    const gone = [...rows].filter((key) => !after.get(table)?.has(key))
    return gone.length > 0 && !FLEETING.includes(table) ? [[table, gone.length]] : []
  })
  expect(lost).toEqual([])
  const [{ batch_id } = { batch_id: '' }] = await readDeletions(w.deps, org.org_id)
  await restoreChecks(w.deps, { org_id: org.org_id, actor: BOB }, batch_id)
  const [restored] = await w.rows('select url, deleted from checks where guid = $1', guid)
  expect(restored).toEqual({ url: 'https://secret.example/', deleted: false })
})
