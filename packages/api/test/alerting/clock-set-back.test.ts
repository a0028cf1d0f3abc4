// A machine that began with a wrong clock: hours ahead, until somebody sets it. What happens next is told in time.

import { createChannels } from '@dogwatch/channels/registry'
import { tellPresence } from '@dogwatch/domain/availability'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { switchCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { takeBackFuture, untilSetBack } from '@dogwatch/domain/clock-set-back'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { sweepHeartbeats } from '@dogwatch/domain/heartbeats/sweep'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { claim } from '../../../alerting/src/deliver.ts'
import { plantTriggers } from '../../../store/test/support/cluster.ts'
import { type Org, result, type World, world } from '../support/world.ts'
import { sweep } from './silence.ts'

const AHEAD_SEC = 7200

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(() => w.clock.forward(AHEAD_SEC))

const setBack = () => w.clock.forward(-AHEAD_SEC)

async function told({ org_id }: Org): Promise<string[]> {
  // In the order in which it was told, whatever the clock showed.
  const rows = await w.rows('select type from events where org_id = $1 order by created_at, xmin::text::bigint', org_id)
  return rows.map(({ type }) => String(type))
}

/** Lets time pass while all chores look every few seconds, the one that takes back once a minute. */
async function pass(seconds: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    w.clock.forward(10)
    await meanwhile()
    if (passed % 60 === 0) await takeBackFuture(w.deps)
    await rejudgeChecks(w.deps)
    await remind(w.deps)
    await sweepHeartbeats(w.deps)
    await sweep(w.deps)
  }
}

async function story(entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', interval_sec: 60, down_interval_sec: 2, ...entry }], 'all')
  const run = (outcome: 'F' | 'S') =>
    monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success: outcome === 'S' })])
  return { org, guid, run }
}

async function job() {
  const org = await w.org()
  const { token } = await createHeartbeat(w.deps, org.org_id, {
    ...{ name: 'backup', interval_sec: 60, grace_sec: 30, resend_interval_sec: 0, show_on_status_page: false },
  })
  const place = await findHeartbeatOfToken(w.deps, token)
  const call = () => takePing(w.deps, place, { kind: 'beat', exit_code: null, rid: null, body: null }, w.clock.now())
  return { org, call }
}

test('a job that stops is found silent, whether or not it called once more', async () => {
  const [calls, silent] = [await job(), await job()]
  await calls.call()
  await silent.call()
  setBack()
  w.clock.forward(1)
  await calls.call()
  await pass(80)
  expect(await told(calls.org)).toEqual([])
  await pass(90)
  expect(await told(calls.org)).toEqual(['heartbeat.down'])
  expect(await told(silent.org)).toEqual(['heartbeat.down'])
  const rows = await w.rows('select from heartbeats where last_heartbeat_at > $1 or down_since > $1', w.clock.now())
  expect(rows).toEqual([])
})

test('a check that is down stays down, is repeated, and recovers with its next success', async () => {
  const { org, run } = await story({ resend_interval_sec: 300 })
  w.clock.forward(-AHEAD_SEC)
  await run('S')
  w.clock.forward(AHEAD_SEC)
  await run('F')
  w.clock.forward(1)
  await run('F')
  expect(await told(org)).toEqual(['check.down'])
  setBack()
  await run('F')
  await pass(290, () => run('F'))
  expect(await told(org)).toEqual(['check.down'])
  await pass(50, () => run('F'))
  expect(await told(org)).toEqual(['check.down', 'check.reminder'])
  w.clock.forward(1)
  await run('S')
  expect(await told(org)).toEqual(['check.down', 'check.reminder', 'check.up'])
  const [incident] = await w.rows(
    'select began_at <= ended_at as is_right from incidents where org_id = $1',
    org.org_id,
  )
  expect(incident).toEqual({ is_right: true })
})

test('a check that went down and recovered meanwhile goes down again, since now', async () => {
  const { org, run } = await story()
  for (const outcome of ['F', 'F', 'S'] as const) {
    w.clock.forward(1)
    await run(outcome)
  }
  setBack()
  await pass(20, () => run('F'))
  expect(await told(org)).toEqual(['check.down', 'check.up', 'check.down'])
  const rows = await w.rows('select from incidents where ended_at is null and began_at > $1', w.clock.now())
  expect(rows).toEqual([])
})

test('a check that changed often meanwhile is told of as one that has not', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  for (const outcome of ['F', 'S', 'F', 'S'] as const) {
    w.clock.forward(1)
    await run(outcome)
  }
  setBack()
  await takeBackFuture(w.deps)
  await pass(20, () => run('F'))
  expect((await told(org)).slice(4)).toEqual(['check.down'])
})

test('a check that was found flapping meanwhile settles as long after the clock was set back as after a change', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  for (const outcome of ['F', 'S', 'F', 'S', 'F'] as const) {
    w.clock.forward(1)
    await run(outcome)
  }
  expect((await told(org)).slice(4)).toEqual(['check.flapping'])
  setBack()
  await pass(10, () => run('F'))
  w.clock.forward(450)
  await run('F')
  await rejudgeChecks(w.deps)
  expect((await told(org)).slice(4)).toEqual(['check.flapping', 'check.settled', 'check.down'])
})

test('a check that waits until it is no longer flapping is left alone while the time is right', async () => {
  const { guid, run } = await story({ down_interval_sec: 1 })
  for (const outcome of ['F', 'S', 'F', 'S', 'F'] as const) {
    w.clock.forward(1)
    await run(outcome)
  }
  w.clock.forward(60)
  await rejudgeChecks(w.deps)
  const due = () =>
    w.rows(
      'select wire_time(rejudge_at) as at from check_states join checks using (org_id, check_id) where guid = $1',
      guid,
    )
  const [before] = await due()
  expect(Date.parse(String(before?.at))).toBeGreaterThan(w.clock.now().getTime() + 360_000)
  await takeBackFuture(w.deps)
  expect(await due()).toEqual([before])
})

test('a check that was resumed meanwhile is judged, and found unmonitored; its monitor is found offline', async () => {
  const [judged, left] = [await story(), await story()]
  for (const { guid, run } of [judged, left]) {
    await switchCheck(w.deps, guid, false)
    await switchCheck(w.deps, guid, true)
    await run('S')
  }
  setBack()
  await pass(70)
  await pass(30, () => judged.run('F'))
  expect(await told(judged.org)).toEqual(['check.down'])
  await pass(300, () => judged.run('F'))
  expect(await told(judged.org)).toEqual(['check.down'])
  expect(await told(left.org)).toEqual(['monitor.offline'])
  const [state] = await w.rows('select unmonitored_since from check_states where org_id = $1', left.org.org_id)
  expect(state?.unmonitored_since).not.toBeNull()
})

test('a message that was to be tried again later goes out, and one that nobody sends any more is taken up', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'wet-dog' })
  await run('F')
  const later = (seconds: number) => new Date(w.clock.now().getTime() + seconds * 1000)
  await w.rows(
    'update deliveries set last_attempt_at = $2, next_attempt_at = $3, leased_until = $4 where org_id = $1',
    ...[org.org_id, w.clock.now(), later(300), later(60)],
  )
  setBack()
  await takeBackFuture(w.deps)
  const [delivery] = await w.rows(
    'select next_attempt_at <= $2 as is_due, leased_until from deliveries where org_id = $1',
    ...[org.org_id, w.clock.now()],
  )
  expect(delivery).toEqual({ is_due: true, leased_until: null })
})

const listed = async ({ org_id }: Org) =>
  (
    await w.rows(
      `select extract(epoch from began_at - $2)::float8 as began, extract(epoch from ended_at - $2)::float8 as ended
       from incidents where org_id = $1 order by began_at`,
      ...[org_id, w.clock.now()],
    )
  ).map(({ began, ended }) => [began, ended].map((sec) => (sec === null ? null : Math.round(Number(sec)))))

test('results that were dated ahead decide nothing once more when the time has caught up with them', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  await run('S')
  w.clock.forward(30)
  await tellPresence(w.deps)
  setBack()
  // By now the monitor was seen by the right time, and only our own presence shows what was.
  await run('F')
  await tellPresence(w.deps)
  await pass(120, () => run('F'))
  expect(await told(org)).toEqual(['check.down'])
  // When the clock shows again what it showed then, that success is two hours old.
  w.clock.forward(AHEAD_SEC - 300)
  await pass(400, () => run('F'))
  expect(await told(org)).toEqual(['check.down'])
  w.clock.forward(1)
  await run('S')
  expect(await told(org)).toEqual(['check.down', 'check.up'])
})

test('failures before and after the clock was set back are in a row', async () => {
  const { org, run } = await story({ down_interval_sec: 3 })
  await run('S')
  for (let n = 0; n < 2; n++) {
    w.clock.forward(20)
    await run('F')
  }
  setBack()
  w.clock.forward(10)
  await takeBackFuture(w.deps)
  await run('F')
  expect(await told(org)).toEqual(['check.down'])
})

test('for two minutes after a clock was set back, traces of it are looked for every five seconds', async () => {
  await tellPresence(w.deps)
  setBack()
  await tellPresence(w.deps)
  expect(await untilSetBack(w.deps)).toBe(0)
  await takeBackFuture(w.deps)
  expect(await untilSetBack(w.deps)).toBe(5000)
  w.clock.forward(60)
  await takeBackFuture(w.deps)
  expect(await untilSetBack(w.deps)).toBe(5000)
  w.clock.forward(60)
  await takeBackFuture(w.deps)
  expect(await untilSetBack(w.deps)).toBe(60_000)
})

test('an incident that was over before the clock was set back keeps its length and is moved to when it was', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  await run('S')
  w.clock.forward(10)
  await run('F')
  w.clock.forward(300)
  await run('S')
  w.clock.forward(60)
  await run('S')
  setBack()
  await takeBackFuture(w.deps)
  expect(await listed(org)).toEqual([[-360, -60]])
  expect(await w.rows('select from shifted_results where effective_at > $1', w.clock.now())).toEqual([])
  // Once and for all.
  await takeBackFuture(w.deps)
  expect(await listed(org)).toEqual([[-360, -60]])
})

test('a moved incident ends where another of its check begins that has its time', async () => {
  const { org, guid, run } = await story({ down_interval_sec: 1 })
  await run('F')
  w.clock.forward(100)
  await run('S')
  setBack()
  await w.rows(
    `insert into incidents (org_id, incident_id, check_id, began_at, told_at, ended_at, end_reason)
     select org_id, 'other', check_id, $2::timestamptz - interval '50 s', $2, $2::timestamptz - interval '20 s', 'recovered'
     from checks where guid = $1`,
    ...[guid, w.clock.now()],
  )
  await takeBackFuture(w.deps)
  expect(await listed(org)).toEqual([
    [-50, -20],
    [-20, 0],
  ])
})

test('what is stored after the clock was set back, by those who notice late, is moved by the same', async () => {
  const { guid, run } = await story()
  await tellPresence(w.deps)
  const late = w.clock.now()
  setBack()
  await tellPresence(w.deps)
  await run('S')
  w.clock.forward(60)
  await takeBackFuture(w.deps)
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, $2, 1, 200, true, 'm1' from checks where guid = $1`,
    ...[guid, late],
  )
  w.clock.forward(60)
  await takeBackFuture(w.deps)
  const [row] = await w.rows(
    `select extract(epoch from $2 - effective_at)::integer as ago from shifted_results join checks using (org_id, check_id)
     where guid = $1 and ran_at = $3`,
    ...[guid, w.clock.now(), late],
  )
  expect(row).toEqual({ ago: 120 })
})

test('what is told after the clock was set back is not counted against budgets that were spent ahead', async () => {
  const { org, run } = await story({ down_interval_sec: 1 })
  const phone = { kind: 'ntfy', name: 'phone', ntfy_topic: 'wet-dog', grouping: 'off' }
  const { id } = await createChannel(w.deps, org.org_id, phone)
  const channels = createChannels({
    egress_allow: [],
    smtp_url: undefined,
    mail_from: undefined,
    ntfy_url: 'http://127.0.0.1:1',
  })
  const sending = { ...w.deps, channels, public_url: 'https://dogwatch.example' }
  const claimed = async () => (await claim(sending)).deliveries.filter(({ channel_id }) => channel_id === id).length
  await run('F')
  expect(await claimed()).toBe(1)
  await w.rows("update deliveries set state = 'delivered', next_attempt_at = null where org_id = $1", org.org_id)
  setBack()
  await takeBackFuture(w.deps)
  w.clock.forward(1)
  await run('S')
  expect(await claimed()).toBe(1)
})

test('a message from before, which a worker that was killed had claimed ahead, is taken up', async () => {
  setBack()
  const { org, run } = await story({ down_interval_sec: 1 })
  await createChannel(w.deps, org.org_id, { kind: 'ntfy', name: 'phone', ntfy_topic: 'wet-dog' })
  await run('F')
  const claimed_until = new Date(w.clock.now().getTime() + AHEAD_SEC * 1000)
  await w.rows('update deliveries set leased_until = $2 where org_id = $1', org.org_id, claimed_until)
  await takeBackFuture(w.deps)
  const [delivery] = await w.rows('select leased_until from deliveries where org_id = $1', org.org_id)
  expect(delivery).toEqual({ leased_until: null })
})

test('a check that was left to be judged later, by a clock that was ahead, is judged now', async () => {
  setBack()
  const { org, run } = await story()
  await run('S')
  const ahead = new Date(w.clock.now().getTime() + AHEAD_SEC * 1000)
  await w.rows(
    `insert into unjudged_batches (org_id, check_id, monitor_id, due_at, oldest_at, is_catching_up, late)
     select org_id, check_id, 'rack', $2, '-infinity', false, '{}' from checks where org_id = $1`,
    ...[org.org_id, ahead],
  )
  const waiting = () => w.rows('select from unjudged_batches where org_id = $1', org.org_id)
  await rejudgeChecks(w.deps)
  expect(await waiting()).toHaveLength(1)
  await w.rows('update monitors set last_seen_at = $1', ahead)
  await takeBackFuture(w.deps)
  w.clock.forward(1)
  await rejudgeChecks(w.deps)
  expect(await waiting()).toEqual([])
})

test('an organisation whose results are out of reach keeps nobody else from getting theirs moved back', async () => {
  const [away, other] = [await story(), await story()]
  for (const one of [away, other]) await one.run('S')
  setBack()
  await plantTriggers(
    w.databaseUrl,
    `create function is_away() returns trigger language plpgsql as $$ begin
      raise exception 'connection to the remote node failed' using errcode = '53300';
    end $$`,
    `create trigger is_away before insert on shifted_results for each row
      when (new.org_id = ${away.org.org_id}) execute function is_away()`,
  )
  try {
    await takeBackFuture(w.deps)
  } finally {
    await plantTriggers(w.databaseUrl, 'drop trigger is_away on shifted_results')
  }
  const moved = await w.rows(
    'select org_id from shifted_results where org_id in ($1, $2)',
    away.org.org_id,
    other.org.org_id,
  )
  expect(moved).toEqual([{ org_id: other.org.org_id }])
})
