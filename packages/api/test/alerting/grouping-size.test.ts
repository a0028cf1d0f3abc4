// Many checks that fail from one monitor: what an alert and a look cost does not grow with how many they are.

import { createChannel } from '@dogwatch/domain/channels/edit'
import { createWindow } from '@dogwatch/domain/maintenance/edit'
import { sweepFailing } from '@dogwatch/domain/monitors/failing'
import { createRoute } from '@dogwatch/domain/routing/edit'
import type { Scope } from '@dogwatch/domain/routing/route'
import { readRoutingMarks } from '@dogwatch/store/routing/marks'
import type { Tables } from '@dogwatch/store/tables'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import { GROUPS_OF_MONITORS } from '../../../domain/src/monitors/holds.ts'
import { type RoutedEvent, readRouting } from '../../../domain/src/routing/routing.ts'
import { type Monitor, type Org, type World, world } from '../support/world.ts'

const CHECKS = 5_000
const BATCH = 50

let w: World
let org: Org
let monitor: Monitor
let other: Monitor
beforeAll(async () => {
  w = await world()
  org = await w.org()
  monitor = await w.monitor(org, 'Paris')
  other = await w.monitor(org, 'Oslo')
  await w.rows(
    `with c as (
       insert into checks (org_id, guid, name, url, enabled, restricted, interval_sec, timeout_sec, disable_redirects,
         insecure_skip_verify, headers, post_data, match_string, match_mode, status_code_op, status_code_value, cert_expiry_warn_days, max_response_time_ms,
         invert_result, result_detail_max_chars, down_interval_sec, resend_interval_sec)
       select $1, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'c' || n, 'https://example.com/', true, false, 60, 10, false, false, '{}', '', '', 'contains', '', 0, 0, 0,
         false, 500, 1, 0
       from generate_series(1, ${CHECKS}) n returning org_id, guid, check_id)
     insert into assignments (monitor_id, guid, org_id, check_id, active, result_detail_max_chars)
     select m.id, guid, org_id, check_id, true, 500 from c, unnest($2::text[]) as m(id)`,
    org.org_id,
    [monitor.id, other.id],
  )
  await store(monitor, true, CHECKS, 60)
})
afterAll(() => w.close())

/** Results of the first checks, so many seconds ago. */
async function store(by: Monitor, success: boolean, checks: number, ago_sec: number): Promise<void> {
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, $4::timestamptz - $5 * interval '1 second', 1, 0, $3, $2 from assignments
     where org_id = $1 and monitor_id = $2 order by check_id limit $6`,
    org.org_id,
    by.id,
    success,
    w.clock.now().toISOString(),
    ago_sec,
    checks,
  )
}

/** So many checks have been down for half a minute. */
async function down(checks: number): Promise<void> {
  const at = new Date(w.clock.now().getTime() - 30_000).toISOString().replace('Z', '000Z')
  await w.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at, verdict)
     select org_id, gen_random_uuid()::text, check_id, $2::timestamptz, $2::timestamptz,
       jsonb_build_object('failures', 1, 'turned_at', $2, 'rules', '1')
     from (select * from checks where org_id = $1 order by check_id limit $3) c
     on conflict do nothing`,
    org.org_id,
    at,
    checks,
  )
}

/** How many rows of tables and indexes Postgres reads for something. */
async function rowsReadBy(run: (trx: Transaction<Tables>) => Promise<unknown>): Promise<number> {
  return w.deps.database.machines.transaction().execute(async (trx) => {
    // Tables as small as here are read whole sooner than in the order of an index.
    await sql`set local enable_seqscan = off`.execute(trx)
    await sql`set local enable_bitmapscan = off`.execute(trx)
    const before = await rowsRead(trx)
    await run(trx)
    return (await rowsRead(trx)) - before
  })
}

/** Since the connection last reported what it read, which it never does within a transaction. */
async function rowsRead(trx: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read from pg_stat_xact_user_tables`.execute(trx)
  return rows[0]?.read ?? 0
}

test('an alert reads no more when 4,500 checks went down within a minute than when 2,500 did', async () => {
  const { rows } = await sql<{ check_id: number }>`
    select check_id from checks where org_id = ${org.org_id} order by check_id limit ${BATCH}`.execute(
    w.deps.database.machines,
  )
  const subjects = rows.map(({ check_id }) => `check:${check_id}`)
  const now = w.clock.now()
  const raise = async () => {
    const [marks, find] = [{ isAsked: false }, { holds: 0 }]
    const read_marks = await rowsReadBy(async (trx) => {
      const found = await readRoutingMarks(trx, org.org_id, { subjects, guids: [] }, now.toISOString())
      marks.isAsked = found.may_be_monitor
    })
    const read = await rowsReadBy(async (trx) => {
      find.holds = (await GROUPS_OF_MONITORS.find(trx, org.org_id, subjects, now)).size
    })
    return { ...marks, ...find, read_marks, read }
  }
  await down(2_500)
  await store(monitor, false, 2_500, 20)
  await w.rows('analyze')
  const some = await raise()
  await down(4_500)
  await store(monitor, false, 4_500, 19)
  await w.rows('analyze')
  const many = await raise()
  expect([some.holds, many.holds, some.isAsked, many.isAsked]).toEqual([BATCH, BATCH, true, true])
  expect([some.read_marks, many.read_marks]).toEqual([3, 3])
  expect(many.read).toBeLessThan(some.read * 1.02)
})

test('a monitor with 5,000 checks is looked at in parts, and is told in one message that lists 200 of them', async () => {
  const channels = await Promise.all(
    ['everything', 'one check', 'a tag', 'another tag', 'a check that runs elsewhere'].map((name) =>
      createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url: 'https://hooks.example/' }),
    ),
  )
  await w.rows(`update checks set tags = '{rare}' where org_id = $1 and name like 'c498%'`, org.org_id)
  await w.rows(`update checks set tags = '{unhurt}' where org_id = $1 and name = 'c${CHECKS}'`, org.org_id)
  await w.rows('update assignments set active = false where monitor_id = $1 and guid = $2', monitor.id, guidOf(CHECKS))
  const scopes: Scope[] = [
    { all: true },
    { checks: [guidOf(999)], heartbeats: [] },
    { tags: ['rare'] },
    { tags: ['unhurt'] },
    { checks: [guidOf(CHECKS)], heartbeats: [] },
  ]
  for (const [n, { id }] of channels.entries()) {
    const steps = [{ after_sec: 0, channel_ids: [id] }]
    const rest = { events: [], severity: null, quiet: null, delay_sec: 0, steps, enabled: true }
    await createRoute(w.deps, org.org_id, { name: `route ${n}`, scope: scopes[n] ?? { all: true }, ...rest })
  }
  const told = async () => {
    const rows = await w.rows(
      `select e.type, e.data ->> 'total' as total, e.data ->> 'ran' as ran, e.data -> 'is_estimate' as is_estimate,
         jsonb_array_length(e.data -> 'checks') as checks, jsonb_path_exists(e.data, '$.checks[*] ? (@.name == "c999")') as is_last,
         count(d.delivery_id)::integer as deliveries
       from events e left join deliveries d using (org_id, event_id) where e.org_id = $1 and e.type like 'monitor.%'
       group by e.event_id, e.type, e.data, e.created_at order by e.created_at`,
      org.org_id,
    )
    return rows
  }
  await down(CHECKS)
  await store(monitor, false, CHECKS, 18)
  await w.rows(
    'insert into failing_monitors (org_id, monitor_id, suspected_at) values ($1, $2, $3)',
    org.org_id,
    monitor.id,
    w.clock.now().toISOString(),
  )
  expect(await sweepFailing(w.deps)).toBe(1)
  // Routes for what the message does not list match as well, and those for what the monitor does not run do not.
  const number = { total: '5000', is_estimate: true, is_last: false, deliveries: 3 }
  expect(await told()).toEqual([{ ...number, type: 'monitor.failing', ran: '5000', checks: 200 }])
  // Each look finds what another monitor sees failing in its own part.
  await plan(9)
  await store(other, false, 9, 10)
  const due: unknown[] = []
  for (let look = 0; look < 3; look++) {
    await sweepFailing(w.deps)
    const [row] = await w.rows(
      'select count(*)::integer as due from planned_alerts where due_at <= $1',
      w.clock.now().toISOString(),
    )
    due.push(row?.due)
  }
  expect(due[0]).toBeLessThan(9)
  expect(due[2]).toBe(9)
  w.clock.forward(5)
  await store(monitor, true, CHECKS, 5)
  // All parts have to say so, one after the other.
  const settle = async () => [await sweepFailing(w.deps), await sweepFailing(w.deps), await sweepFailing(w.deps)]
  await w.rows(
    `update results set success = false where org_id = $1 and monitor_id = $2 and ran_at = $3::timestamptz - interval '5 seconds' and check_id % 3 = 0`,
    org.org_id,
    monitor.id,
    w.clock.now().toISOString(),
  )
  expect(await settle()).toEqual([0, 0, 0])
  w.clock.forward(5)
  await store(monitor, true, CHECKS, 5)
  expect(await settle()).toEqual([0, 0, 1])
  const over = { ...number, type: 'monitor.settled', total: '0', ran: '5000', checks: 0 }
  expect((await told()).slice(1)).toEqual([{ ...over, deliveries: expect.any(Number) }])
})

test('a message about more checks than it lists is held by windows for all that fail, and by none for those that it lists', async () => {
  const listed = guidOf(1)
  const data = { monitor: { id: monitor.id }, checks: [{ guid: listed }], total: CHECKS }
  const event: RoutedEvent = { event_id: 'e', type: 'monitor.failing', subject: `monitor:${monitor.id}`, data }
  const held = () =>
    w.deps.database.machines.transaction().execute(async (trx) => {
      const { holds } = await readRouting(trx, w.deps, { org_id: org.org_id, channel_ids: [], now: w.clock.now() }, [
        event,
      ])
      return holds.get('e')?.words.replace(/ until.*/, '')
    })
  const open = async (name: string, scope: Scope) => {
    const starts_at = w.clock.now().toISOString().slice(0, 16)
    const when = { starts_at, duration_sec: 3600, zone: 'UTC', rule: null }
    await createWindow(w.deps, org.org_id, { name, scope, is_public: false, ...when })
  }
  await w.rows(
    'insert into check_guids (guid, org_id, check_id) select guid, org_id, check_id from checks where org_id = $1 on conflict do nothing',
    org.org_id,
  )
  await open('one', { checks: [listed], heartbeats: [] })
  // The others fail as well, and it does not cover them.
  await store(monitor, false, 30, 1)
  expect(await held()).toBe(undefined)
  await w.rows(`update checks set tags = '{racks}' where org_id = $1 and guid <= $2`, org.org_id, guidOf(29))
  await open('racks', { tags: ['racks'] })
  expect(await held()).toBe(undefined)
  await w.rows(`update checks set tags = '{racks}' where org_id = $1 and guid = $2`, org.org_id, guidOf(30))
  expect(await held()).toMatch(/^maintenance "(racks|one)"$/)
  await open('all', { all: true })
  expect(await held()).toMatch(/^maintenance/)
})

function guidOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** Alerts about the first checks wait because of the monitor. */
async function plan(checks: number): Promise<void> {
  await w.rows(
    `with e as (
       insert into events (org_id, event_id, type, subject, check_id, created_at, data)
       select org_id, 'event-' || check_id, 'check.down', 'check:' || check_id, check_id, $3::timestamptz, '{}'
       from (select * from checks where org_id = $1 order by check_id limit $4) c returning org_id, event_id, subject)
     insert into planned_alerts (org_id, event_id, channel_id, subject, due_at, held_by, created_at)
     select org_id, event_id, 1, subject, $3::timestamptz + interval '15 minutes', 'grouping:' || $2, $3 from e`,
    org.org_id,
    monitor.id,
    w.clock.now().toISOString(),
    checks,
  )
}
