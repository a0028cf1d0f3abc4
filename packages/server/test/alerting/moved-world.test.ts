// A clock that was ahead for a moment leaves nothing behind: a world that moved ahead and back, with a row of every kind written then, has
// the times of one that never moved, and tells the same at the same moments.

import { tellPresence } from '@dogwatch/domain/availability'
import { createConfirmation } from '@dogwatch/domain/channels/confirmation'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { askToRun } from '@dogwatch/domain/checks/ask-run'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { createConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledge } from '@dogwatch/domain/incidents/acknowledge'
import { createWindow, readWindows } from '@dogwatch/domain/maintenance/edit'
import { createEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { mute } from '@dogwatch/domain/mutes/mute'
import { invite } from '@dogwatch/domain/organisations/invitations'
import { requestDeletion } from '@dogwatch/domain/organisations/suspension'
import { createPasswordReset } from '@dogwatch/domain/people/password'
import { findViewer, openSession } from '@dogwatch/domain/people/sessions'
import { createSignUpLink } from '@dogwatch/domain/people/sign-up'
import { createRoute } from '@dogwatch/domain/routing/edit'
import { releaseDue } from '@dogwatch/domain/routing/release'
import { afterEach, expect, test } from '@jest/globals'
import { setDatabaseTime } from '../../../api/test/retention/rows.ts'
import { begin } from '../../../domain/src/people/pending.ts'
import { runChores } from '../../src/chores.ts'
import { TIMES } from '../support/times.ts'
import { result, type World, world } from '../support/world.ts'

const BOB = { person_id: 1, email: 'bob@example.com', impersonator_email: null }
/** The still world is written in as many steps, and what was ahead may count from the moment at which that was found. */
const TOLERANCE_SEC = 30
const DAY_SEC = 86_400
/**
 * Of these the repair makes more, or they come and go within seconds: none of them may lie further ahead. More of them is in
 * clock-set-back.test.ts.
 */
const PASSING = ['changes', 'check_states.rejudge_at', 'failing_monitors', 'shifted_results', 'unjudged_batches']
const isPassing = (column: string) => PASSING.some((name) => column.startsWith(name))

const worlds: World[] = []
afterEach(async () => {
  for (const w of worlds.splice(0)) await w.close()
})

/** All chores, and the presence of the server, at one moment. */
async function look(w: World): Promise<void> {
  await setDatabaseTime(w)
  await tellPresence(w.deps)
  await runChores(w.deps)()
}

/**
 * Writes a row of every kind while the clock may be ahead. `ahead_sec` is 0 in the world that never moves. `isFar`: without what would
 * have ended by then, because it is told or over while the clock is ahead.
 */
async function live(ahead_sec: number, isFar: boolean): Promise<World> {
  const w = await world()
  worlds.push(w)
  await setDatabaseTime(w)
  const org = await w.org('team')
  const { org_id, owner_id } = org
  const by = { org_id, actor: { ...BOB, person_id: owner_id } }
  const monitor = await w.monitor(org)
  const names = ['shop', 'late', 'muted', 'down', 'gone', 'edited', 'resumed', 'wiped', 'flapping', 'over', 'new']
  const guids = await w.checks(
    org,
    names.map((name) => ({
      name,
      down_interval_sec: 1,
      resend_interval_sec: 300,
      degraded_over_ms: name === 'over' ? 10 : 0,
    })),
    'all',
  )
  const guidOf = (name: string) => guids[names.indexOf(name)] ?? ''
  await w.checks(org, [{ name: 'all', url: `composite:${guidOf('shop')}` }])
  const run = (outcomes: Record<string, boolean>) =>
    monitor.client.upload(
      Object.entries(outcomes).map(([name, success]) =>
        result(guidOf(name), { ran_at: w.clock.now().toISOString(), success, latency_ms: 900 }),
      ),
    )
  const job = async (name: string, given: object = {}) => {
    const wanted = {
      name,
      interval_sec: 40,
      grace_sec: 20,
      resend_interval_sec: 0,
      show_on_status_page: false,
      ...given,
    }
    const { token } = await createHeartbeat(w.deps, org_id, wanted)
    const place = await findHeartbeatOfToken(w.deps, token)
    return () => takePing(w.deps, place, { kind: 'beat', exit_code: null, rid: null, body: null }, w.clock.now())
  }
  const at = (sec: number) => new Date(w.clock.now().getTime() + sec * 1000)
  const minute = (sec: number) => at(sec).toISOString().slice(0, 16)
  const { id: channel_id } = await createChannel(w.deps, org_id, {
    kind: 'webhook',
    name: 'hook',
    webhook_url: 'https://hooks.example/',
  })
  const route = { name: 'all', events: [], severity: null, quiet: null, enabled: true }
  await createRoute(w.deps, org_id, {
    ...{ ...route, scope: { all: true }, delay_sec: 120 },
    steps: [{ after_sec: 0, channel_ids: [channel_id] }],
  })
  const [silent, called, cron] = [
    await job('silent'),
    await job('called'),
    await job('cron', { cron: '*/5 * * * *', cron_zone: 'UTC' }),
  ]
  const window = (name: string, starts_at: string, rule: string | null) =>
    createWindow(w.deps, org_id, {
      ...{ name, starts_at, rule, duration_sec: 1800, zone: 'UTC', is_public: true },
      scope: { checks: [guidOf('shop')], heartbeats: [] },
    })
  const session = await openSession(w.deps, owner_id)
  // All chores run at once. One that met another is done with its work the second time.
  for (let n = 0; n < 2; n++) await look(w)
  await run(Object.fromEntries(names.map((name) => [name, name !== 'down'])))
  for (const call of [silent, called, cron]) await call()
  w.clock.forward(700)
  await window('daily', minute(5 * 3600), 'FREQ=DAILY')
  await window('planned', minute(3 * DAY_SEC), null)
  await window('yearly', minute(200 * DAY_SEC), 'FREQ=YEARLY')
  await run(Object.fromEntries(names.map((name) => [name, name !== 'down'])))
  for (const call of [silent, called, cron]) await call()
  await switchCheck(w.deps, guidOf('resumed'), false)
  if (!isFar) await mute(w.deps, { org_id, kind: 'check', guid: guidOf('muted') }, at(9000), BOB)
  await look(w)
  w.clock.forward(5)
  await run({ shop: true, ...(!isFar && { muted: false }) })
  await look(w)

  w.clock.forward(ahead_sec + 5)
  await setDatabaseTime(w)
  await tellPresence(w.deps)
  await run({ shop: true, late: false, down: false, flapping: false, over: true, edited: true })
  await called()
  await cron()
  await look(w)
  await run({ flapping: true, new: false })
  await run({ flapping: false })
  await window('made', minute(7200 - ahead_sec), 'FREQ=DAILY')
  await mute(w.deps, { org_id, kind: 'check', guid: guidOf('down') }, at(3600), BOB)
  await acknowledge(w.deps, { org_id, kind: 'check', guid: guidOf('down') }, BOB)
  await changeChecks(w.deps, by, [guidOf('gone')], { kind: 'delete' })
  await changeChecks(w.deps, by, [guidOf('edited')], { kind: 'set-interval', interval_sec: 300 })
  await switchCheck(w.deps, guidOf('resumed'), true)
  await wipeDefinition(w.deps, guidOf('wiped'))
  await askToRun(w.deps, by, guidOf('shop'))
  await openSession(w.deps, owner_id)
  if (!isFar) await findViewer(w.deps, session)
  await invite(w.deps, org_id, 'eve@example.com', by.actor)
  const email = String((await w.rows('select email from people where person_id = $1', owner_id))[0]?.email)
  await createPasswordReset(w.deps, email)
  await begin(w.deps, { kind: 'code', person_id: owner_id, detail: {} })
  await createSignUpLink(w.deps, 'dave@example.com')
  await createConfirmation(w.deps, { org_id, id: channel_id }, 'carol@example.com')
  await createEnrollmentToken(w.deps, org_id, 3600)
  await createConfigurationToken(w.deps, org_id, { name: 'ci', days: 30, scopes: ['read'] }, by.actor)
  await requestDeletion(w.deps, (await w.org()).org_id)
  const iso = (sec: number) => at(sec).toISOString()
  await w.rows(
    'update notification_channels set gone_at = $2, gone_mail_at = $3, asked_at = $2 where org_id = $1',
    org_id,
    iso(0),
    iso(60),
  )
  await w.rows(
    'insert into weekly_reports (org_id, person_id, week, token_hash, retry_at) values ($1, $2, $3::date, $4, $5)',
    ...[org_id, owner_id, '2026-11-09', Buffer.from('x'), iso(600)],
  )
  await w.rows(
    'insert into set_up_links (token_hash, created_at, expires_at) values ($1, $2, $3)',
    Buffer.from('s'),
    iso(0),
    iso(DAY_SEC),
  )
  await w.rows('insert into result_budgets values ($1, 100, $2)', org_id, iso(0))
  await w.rows(
    `update deliveries set attempts = 1, last_attempt_at = $2, next_attempt_at = $3, planned_at = $3, not_before = $3, leased_until = $3
     where org_id = $1 and state = 'pending'`,
    ...[org_id, iso(0), iso(5)],
  )
  w.clock.forward(5)
  await look(w)

  w.clock.forward(-ahead_sec)
  await setDatabaseTime(w)
  await tellPresence(w.deps)
  await look(w)
  w.clock.forward(2)
  await run({ shop: true, late: false, down: false, new: false, over: true, ...(!isFar && { muted: false }) })
  await called()
  await cron()
  await look(w)
  // Once nobody wakes them any longer.
  await sweepHeartbeats(w.deps)
  await releaseDue(w.deps)
  return w
}

/** The times that decide, by column: seconds from now, sorted. */
async function times(w: World): Promise<Map<string, (number | string)[]>> {
  const found = new Map<string, (number | string)[]>()
  for (const [table, columns] of Object.entries(TIMES)) {
    for (const column of Object.keys(columns).filter((name) => columns[name] === 'repaired')) {
      const rows = await w.rows(
        `select case when ${column} is null then 'none' when not isfinite(${column}) then 'ever'
           else extract(epoch from ${column}::timestamptz - $1::timestamptz)::text end as sec from ${table}`,
        w.clock.now().toISOString(),
      )
      const secs = rows.map(({ sec }) => (Number.isNaN(Number(sec)) ? String(sec) : Number(sec)))
      found.set(
        `${table}.${column}`,
        secs.sort((a, b) =>
          typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)),
        ),
      )
    }
  }
  return found
}

function differences(moved: Map<string, (number | string)[]>, still: Map<string, (number | string)[]>): string[] {
  return [...still].flatMap(([column, expected]) => {
    const secs = moved.get(column) ?? []
    const most = (list: (number | string)[]) => Math.max(0, ...list.filter((sec) => typeof sec === 'number'))
    if (isPassing(column)) return most(secs) <= most(expected) + TOLERANCE_SEC ? [] : [`${column}: ${most(secs)} ahead`]
    const isSame =
      secs.length === expected.length &&
      secs.every((sec, n) => {
        const other = expected[n]
        return typeof sec === 'number' && typeof other === 'number'
          ? Math.abs(sec - other) <= TOLERANCE_SEC
          : sec === other
      })
    const short = (list: (number | string)[]) =>
      [...list.slice(0, 8), ...list.slice(8).slice(-4)]
        .map((sec) => (typeof sec === 'number' ? Math.round(sec) : sec))
        .join(' ')
    return isSame ? [] : [`${column}: ${short(secs)} instead of ${short(expected)}`]
  })
}

/** What is told in the next minutes: after how many seconds, to the nearest half minute. */
async function tellings(w: World): Promise<string[]> {
  const began = w.clock.now().getTime()
  const before = new Set((await w.rows('select delivery_id from deliveries')).map(({ delivery_id }) => delivery_id))
  for (let passed = 1; passed <= 240; passed++) {
    w.clock.forward(1)
    // As often as a server does, because a longer pause is an outage.
    await tellPresence(w.deps)
    if (passed % 10 === 0) await look(w)
  }
  const rows = await w.rows(
    'select d.delivery_id, d.created_at, e.type, e.data from deliveries d join events e using (org_id, event_id)',
  )
  return rows
    .filter(({ delivery_id }) => !before.has(delivery_id))
    .map(({ created_at, type, data }) => {
      const { check, heartbeat } = data as { check?: { name: string }; heartbeat?: { name: string } }
      return `${Math.round((Date.parse(String(created_at)) - began) / 60_000)} min ${String(type)} ${check?.name ?? heartbeat?.name ?? ''}`
    })
    .sort()
}

test.each([
  ['two hours', 7200, false],
  ['1,200 days', 1200 * DAY_SEC, true],
])('%s ahead and back', async (_name, ahead_sec, isFar) => {
  const [moved, still] = [await live(ahead_sec, isFar), await live(0, isFar)]
  const [movedTimes, stillTimes] = [await times(moved), await times(still)]
  if (!isFar)
    expect(
      [...stillTimes].filter(([column, secs]) => secs.length === 0 && !isPassing(column)).map(([column]) => column),
    ).toEqual([])
  expect(differences(movedTimes, stillTimes)).toEqual([])
  const shown = async (w: World) => {
    const [{ org_id } = {}] = await w.rows('select min(org_id) as org_id from organisations')
    return (await readWindows(w.deps, Number(org_id))).map(({ name, state, span }) => [name, state, span?.begins_at])
  }
  expect(await shown(moved)).toEqual(await shown(still))
  const told = await tellings(still)
  expect(told).toContain('3 min heartbeat.down silent')
  expect(await tellings(moved)).toEqual(told)
})
