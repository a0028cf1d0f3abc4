// Results that are distributed over nodes: judged by the coordinator, written to the node that holds their organisation. What one
// plain Postgres can show of it (support/nodes.ts); `npm run prove -- citus` runs the rest on a cluster.

import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { settleArrivals } from '@dogwatch/domain/results/arrivals'
import { type Log, silentLog } from '@dogwatch/runtime/log'
import { findDetail, listOverview } from '@dogwatch/store/checks/check-overview'
import { type Database, openDatabase } from '@dogwatch/store/database'
import { readStateCounts } from '@dogwatch/store/incidents/state-counts'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { TwoNodes } from '../../../store/test/support/nodes.ts'
import { type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let nodes: TwoNodes
let shared: Monitor
let here: Org
let there: Org
/** What was logged as an error. */
const logged: string[] = []
const log = Object.assign(Object.create(silentLog), {
  error: (_: unknown, text: string) => void logged.push(text),
}) as Log
beforeAll(async () => {
  w = await world({ log, nodes: (url) => (nodes = new TwoNodes(url)) })
  here = await w.org()
  there = await w.org()
  // Their numbers follow each other, so each is on another node.
  shared = await w.monitor(null)
})
afterAll(() => w.close())
afterEach(() => nodes.faults.clear())

const nodeOf = ({ org_id }: Org) => (org_id % 2 === 0 ? 'even' : 'odd')
const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString().replace('Z', '000Z')
const checkOf = async (org: Org, entry: Record<string, unknown> = {}): Promise<string> => {
  const [guid = ''] = await w.checks(org, [entry], [shared.id])
  return guid
}
const post = (results: ReturnType<typeof result>[], more: Record<string, unknown> = {}) =>
  w.http
    .post(`${PREFIX}/results`)
    .set('Authorization', `Bearer ${shared.key}`)
    .send({ results, ...more })
const stored = async (guid: string) =>
  w.rows(
    `select wire_time(ran_at) as ran_at, success, error from results join checks using (org_id, check_id)
     where guid = $1 order by ran_at`,
    guid,
  )
/** Reads when the results ran that arrived since it was called last. */
const follower = async (org: Org, guid: string) => {
  const token = await w.pat(org)
  let query = ''
  return async (): Promise<string[]> => {
    await settleArrivals(w.deps)
    const asked = w.http.get(`/account-api/v1/checks/${guid}/arrivals${query}`).set('Authorization', `Bearer ${token}`)
    const { results, cursor } = (await asked).body as { results: { ran_at: string }[]; cursor: string }
    query = `?cursor=${cursor}`
    return results.map(({ ran_at }) => ran_at)
  }
}
const isDown = async (guid: string) =>
  (
    await w.rows(
      `select from incidents join checks using (org_id, check_id) where guid = $1 and ended_at is null`,
      guid,
    )
  ).length > 0

test('of a monitor with many checks, small and large batches are stored, and only what is assigned to it', async () => {
  const [monitor, foreign] = [await w.monitor(null), await checkOf(here)]
  const entries = Array.from({ length: 60 }, () => ({}))
  const checks = [await w.checks(here, entries, [monitor.id]), await w.checks(there, entries, [monitor.id])]
  const guids = checks.flat().sort()
  for (const [index, count] of [10, 64, 79, 100, 120].entries()) {
    const batch = [...guids.slice(-count), foreign, 'unknown'].map((guid) => result(guid, { ran_at: ago(40 - index) }))
    expect(await monitor.client.upload(batch)).toMatchObject({ accepted: count })
  }
  const counts = await w.rows(
    `select guid, count(r.ran_at)::integer as stored from checks left join results r using (org_id, check_id)
     where guid = any($1) group by guid order by guid collate "C"`,
    [...guids, foreign],
  )
  const wanted = guids.map((guid, index) => ({
    guid,
    stored: [10, 64, 79, 100, 120].filter((n) => index >= 120 - n).length,
  }))
  expect(counts).toEqual([...wanted, { guid: foreign, stored: 0 }].sort((a, b) => (a.guid < b.guid ? -1 : 1)))
})

test('a batch of two organisations is stored once on both nodes, and repeated with the same answer', async () => {
  expect(nodeOf(here)).not.toBe(nodeOf(there))
  const guids = [await checkOf(here), await checkOf(there, { result_detail_max_chars: 3 })]
  const batch = guids.flatMap((guid) => [
    result(guid, { ran_at: ago(20), error: '🐕🐕🐕🐕' }),
    result(guid, { ran_at: ago(10) }),
  ])
  for (const _ of [1, 2]) expect((await post([...batch, result('unknown')])).body).toEqual({ accepted: 4 })
  expect(await Promise.all(guids.map(stored))).toEqual([
    [expect.objectContaining({ error: '🐕🐕🐕🐕' }), expect.objectContaining({ error: null })],
    [expect.objectContaining({ error: '🐕🐕🐕' }), expect.objectContaining({ error: null })],
  ])
})

test('a batch that a node passes on is stored once, although what the other node says comes without its code', async () => {
  const guid = await checkOf(here)
  const batch = [20, 10].map((sec) => result(guid, { ran_at: ago(sec) }))
  expect((await post(batch.slice(0, 1))).body).toEqual({ accepted: 1 })
  // What Citus makes of a unique violation of a shard that has moved; on a cluster, its own of the repeat.
  const passed_on = `
    create function passed_on() returns trigger language plpgsql as $$ begin
      if current_query() like 'copy%' then
        raise exception 'duplicate key value violates unique constraint "results_pkey_102047"' using errcode = 'XX000';
      end if;
      return new;
    end $$;
    create trigger passed_on before insert on results for each row execute function passed_on()`
  const isPlain = process.env.DOGWATCH_TEST_NODES === undefined
  if (isPlain) await w.rows(passed_on)
  try {
    for (const _ of [1, 2]) expect((await post(batch)).body).toEqual({ accepted: 2 })
  } finally {
    if (isPlain) await w.rows('drop trigger passed_on on results')
  }
  expect((await stored(guid)).length).toBe(2)
})

test('failures take a check down, a success brings it up, whichever node it is on', async () => {
  const guids = [await checkOf(here, { down_interval_sec: 2 }), await checkOf(there)]
  await post(guids.flatMap((guid) => [20, 10].map((sec) => result(guid, { ran_at: ago(sec), success: false }))))
  expect(await Promise.all(guids.map(isDown))).toEqual([true, true])
  await post(guids.map((guid) => result(guid, { ran_at: ago(5) })))
  expect(await Promise.all(guids.map(isDown))).toEqual([false, false])
})

test('a node that is away takes down its organisations alone, and nothing of the batch is lost when it is sent again', async () => {
  const guids = [await checkOf(here), await checkOf(there)]
  const batch = guids.map((guid) => result(guid, { ran_at: ago(10), success: false }))
  nodes.faults.set(nodeOf(there), 'away')
  const refused = await post(batch)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  expect((await Promise.all(guids.map(stored))).map(({ length }) => length)).toEqual([1, 0])
  expect(await Promise.all(guids.map(isDown))).toEqual([true, false])
  nodes.faults.clear()
  expect((await post(batch)).body).toEqual({ accepted: 2 })
  expect((await Promise.all(guids.map(stored))).map(({ length }) => length)).toEqual([1, 1])
  expect(await Promise.all(guids.map(isDown))).toEqual([true, true])
})

test('a monitor that can send a part again is told which part, and the rest counts', async () => {
  const guids = [await checkOf(here), await checkOf(there)]
  const other = await checkOf(there)
  const [early, late] = [ago(4 * 3600), ago(10)]
  nodes.faults.set(nodeOf(there), 'away')
  for (const success of [true, false]) {
    const batch = [
      ...guids.map((guid) => result(guid, { ran_at: success ? early : late, success })),
      result('unknown'),
      result(other, { ran_at: ago(500 * 86_400) }),
      result(other, { ran_at: success ? early : late }),
    ]
    const answer = await post(batch, { partial: true })
    expect([answer.status, answer.body]).toEqual([200, { accepted: 1, again: [1, 4] }])
    const again = [1, 4].flatMap((index) => batch[index] ?? [])
    expect((await post(again, { partial: true, remaining: 700 })).body).toEqual({ accepted: 0, again: [0, 1] })
    // What is old and waits for its node holds up no verdict on others.
    const state = 'select catching_up from monitors where id = $1'
    expect(await w.rows(state, shared.id)).toEqual([{ catching_up: false }])
    expect((await post(again)).status).toBe(503)
  }
  expect((await Promise.all([...guids, other].map(stored))).map(({ length }) => length)).toEqual([2, 0, 0])
  expect(await Promise.all(guids.map(isDown))).toEqual([true, false])
  nodes.faults.clear()
  expect((await post([result(guids[1] ?? '', { ran_at: late, success: false })], { partial: true })).body).toEqual({
    accepted: 1,
  })
  expect(await Promise.all(guids.map(isDown))).toEqual([true, true])
})

test('what is to be sent again costs nobody a part of the budget, however often it comes', async () => {
  const org = await w.org()
  const guids = [await checkOf(org, { interval_sec: 3600 }), await checkOf(org)]
  const batch = Array.from({ length: 100 }, (_, n) => result(guids[n % 2] ?? '', { ran_at: ago(1000 + n) }))
  const budget = () =>
    w.rows('select floor(remaining)::integer as remaining from result_budgets where org_id = $1', org.org_id)
  nodes.faults.set(nodeOf(org), 'away')
  for (let n = 0; n < 4; n++) {
    const { body } = await post(batch, { partial: true })
    expect([body.accepted, body.again?.length]).toEqual([0, 100])
  }
  expect(await budget()).toEqual([])
  nodes.faults.clear()
  expect((await post(batch, { partial: true })).body).toEqual({ accepted: 100 })
})

test('results that were stored without being judged are judged by a chore', async () => {
  const guid = await checkOf(there)
  nodes.faults.set(nodeOf(there), 'answer lost')
  expect((await post([result(guid, { ran_at: ago(10), success: false })])).status).toBe(503)
  expect([(await stored(guid)).length, await isDown(guid)]).toEqual([1, false])
  nodes.faults.clear()
  w.clock.forward(61)
  await rejudgeChecks(w.deps)
  expect(await isDown(guid)).toBe(true)
})

test('a late result is read once, though the answer of its node was lost, and not again when all of it is repeated', async () => {
  const guid = await checkOf(there)
  const read = await follower(there, guid)
  const [early, late] = [ago(20), ago(600)]
  await post([result(guid, { ran_at: early })])
  w.clock.forward(90)
  expect(await read()).toEqual([early])
  nodes.faults.set(nodeOf(there), 'answer lost')
  for (const _ of [1, 2]) expect((await post([result(guid, { ran_at: late })])).status).toBe(503)
  nodes.faults.clear()
  expect((await stored(guid)).length).toBe(2)
  expect(await read()).toEqual([])
  // It was stored in time: sending it again makes it no late one.
  const all = [early, late].map((ran_at) => result(guid, { ran_at }))
  for (const _ of [1, 2]) expect((await post(all)).status).toBe(200)
  expect(await read()).toEqual([late])
  expect(await read()).toEqual([])
  expect(await w.rows('select from late_results where n < 0')).toEqual([])
})

test('a check is judged once for a batch, and once more only if somebody else planned that', async () => {
  const guid = await checkOf(here, { down_interval_sec: 9 })
  const planned = async () =>
    (
      await w.rows(
        `select wire_time(rejudge_at) as at from check_states join checks using (org_id, check_id) where guid = $1`,
        guid,
      )
    )[0]?.at
  await post([result(guid, { ran_at: ago(10), success: false })])
  expect(await planned()).toBeNull()
  const soon = ago(-20)
  await w.rows(
    `update check_states s set rejudge_at = $2 from checks c
     where c.org_id = s.org_id and c.check_id = s.check_id and guid = $1`,
    guid,
    soon,
  )
  await post([result(guid, { ran_at: ago(9), success: false })])
  expect(Date.parse(String(await planned())) - Date.parse(soon)).toBe(-1)
  w.clock.forward(20)
  await rejudgeChecks(w.deps)
  expect(await planned()).toBeNull()
})

test('checks of an organisation whose node does not answer are put off together after one attempt', async () => {
  const [away, answering] = [await w.org(), await w.org()]
  const guids = await w.checks(away, [{}, {}, {}], [shared.id])
  const other = await checkOf(answering)
  await post([...guids, other].map((guid) => result(guid, { ran_at: ago(10), success: false })))
  await w.rows(
    `update check_states set rejudge_at = '-infinity' where org_id in ($1, $2)`,
    away.org_id,
    answering.org_id,
  )
  await w.rows(`
    create function node_is_away() returns trigger language plpgsql as $$ begin
      raise exception 'connection to the remote node failed' using errcode = '53300';
    end $$;
    create trigger node_is_away before update of judged_at on check_states for each row
      when (new.org_id = ${away.org_id}) execute function node_is_away()`)
  try {
    logged.length = 0
    await rejudgeChecks(w.deps)
    expect(logged).toEqual([
      'could not judge a batch of checks; judging each on its own',
      'could not judge a check; will retry it and the other checks of its organisation',
    ])
    expect(
      await w.rows(
        `select org_id, count(*)::integer from check_states where rejudge_at > $1 and org_id in ($2, $3) group by org_id`,
        ago(-50),
        away.org_id,
        answering.org_id,
      ),
    ).toEqual([{ org_id: away.org_id, count: 3 }])
  } finally {
    await w.rows('drop trigger node_is_away on check_states')
  }
})

test('late results are marked for the history and read once by those who follow arrivals', async () => {
  const guid = await checkOf(here)
  const read = await follower(here, guid)
  const [early, late] = [ago(40), ago(3 * 3600)]
  await post([result(guid, { ran_at: early })])
  w.clock.forward(60)
  expect(await read()).toEqual([early])
  for (const _ of [1, 2]) await post([result(guid, { ran_at: late })])
  expect(await read()).toEqual([late])
  expect(await read()).toEqual([])
  expect(
    await w.rows('select from rollup_marks join checks using (org_id, check_id) where guid = $1', guid),
  ).toHaveLength(1)
})

test('a monitor that was disabled, or whose key is another one by now, stores nothing', async () => {
  const guid = await checkOf(here)
  await w.rows('update monitors set platform_enabled = false where id = $1', shared.id)
  expect((await post([result(guid, { ran_at: ago(10) })])).status).toBe(403)
  await w.rows('update monitors set platform_enabled = true where id = $1', shared.id)
  expect(await stored(guid)).toEqual([])
})

test('of a batch of the shared fleet, a suspended organisation stores nothing, and others do', async () => {
  const suspended = await w.org()
  const guids = [await checkOf(suspended), await checkOf(there)]
  await w.rows('update organisations set suspended_at = now() where org_id = $1', suspended.org_id)
  const answer = await post(guids.map((guid) => result(guid, { ran_at: ago(10) })))
  expect(answer.body).toEqual({ accepted: 1 })
  expect((await Promise.all(guids.map(stored))).map(({ length }) => length)).toEqual([0, 1])
})

test('what pages show of checks is read on nodes as it is on one, by statements of their own', async () => {
  const org = await w.org()
  const guids = await w.checks(org, [{}, {}], [shared.id])
  await post([result(guids[0] ?? '', { ran_at: ago(10), latency_ms: 77 })])
  const read = async (database: Database) => {
    const until = ago(-600)
    const detail = await findDetail(database, org.org_id, guids[0] ?? '', { until, incidents: 5 })
    const all = await listOverview(database, org.org_id, until)
    const some = await listOverview(database, org.org_id, until, [detail?.check_id ?? 0])
    return { detail, all, some, counts: await readStateCounts(database, org.org_id, ago(0)) }
  }
  const plain = openDatabase({ url: w.databaseUrl })
  try {
    const found = await read(w.deps.database)
    expect(found).toEqual(await read(plain))
    expect(found.all.map(({ newest }) => newest?.latency_ms)).toEqual([77, undefined])
  } finally {
    await plain.close()
  }
})
