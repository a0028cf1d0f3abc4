// Hours become sealed rows exactly once, and every result is stored once, whatever comes late or is cut off.

import { foldHistory } from '@dogwatch/domain/results/history'
import { dropSealed, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { closeHours, sealHours, sealSome } from '@dogwatch/domain/results/seal'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { holdSealingUp } from '../../../store/src/results/sealing/known.ts'
import { RUN_COLUMNS, unsealed } from '../../../store/src/results/stored/sealed-form.ts'
import { IS_ON_CLUSTER, plantTriggers } from '../../../store/test/support/cluster.ts'
import { describeOnOne } from '../support/on-cluster.ts'
import { eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let monitor: Monitor
let guid: string
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
/** Where results are distributed, months stay whole. */
function useOther(plain: World): () => void {
  const before = w
  w = plain
  return () => {
    w = before
  }
}
beforeEach(async () => {
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 60 }], [monitor.id])
  await turnOn()
})

const columns = RUN_COLUMNS.join(', ')
/** What readers see, and from where. */
const UNTIL = '(select sealed_until from seal_progress)'
const SEALED_HOURS = `(select s.* from sealed_hours s where s.org_id = $1 and s.since < ${UNTIL})`
const SEEN = `
  select ${columns}, place from (
    select ${columns}, 'sealed' as place from (${unsealed(SEALED_HOURS)}) u
    union all select ${columns}, 'reopened' from reopened_results where org_id = $1
    union all select ${columns}, 'open' from results where org_id = $1 and ran_at >= ${UNTIL}) u
  order by check_id, ran_at, monitor_id`
const seen = async () => (await w.rows(SEEN, org.org_id)).map(({ place: _, ...row }) => row)
const placesOf = async () => (await w.rows(SEEN, org.org_id)).map(({ place }) => place)
const ago = (min: number) => new Date(w.clock.now().getTime() - min * 60_000).toISOString()
const run = (min: number, more = {}) => result(guid, { ran_at: ago(min), response_sample: `sample ${min}`, ...more })
const upload = async (...runs: ReturnType<typeof run>[]) => (await monitor.client.upload(runs)).accepted
const progress = () => readSealProgress(w.deps.database.machines)
const tables = async (like: string) =>
  (await w.rows('select relname as name from pg_class where relname like $1 and relkind = $2', like, 'r')).length

/** On a connection of its own, in a transaction that is committed at the end. */
async function holding(statement: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(statement)
    await work(client)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

const isWaiting = async () =>
  (await w.rows("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
    .length > 0

/** And every process has noticed. */
async function turnOn(): Promise<void> {
  if ((await progress()).is_on) return
  await foldHistory(w.deps)
  await sealHours(w.deps)
  expect(await progress()).toMatchObject({ is_on: true, announced: '-infinity' })
  w.clock.forward(60)
}

/** Until everything that is over is sealed. */
async function seal(): Promise<void> {
  const over = Math.floor((w.clock.now().getTime() - 600_000) / 3_600_000) * 3_600_000
  // A run folds two days at most.
  for (let runs = 0; runs < 40; runs++) {
    await foldHistory(w.deps)
    await sealHours(w.deps)
    if (Date.parse((await progress()).sealed_until) === over) return
  }
  throw new Error('not all that is over was sealed')
}

/** On nodes, what is sealed is merged and dropped when every process has noticed, a minute later. The times of results stay as they are. */
async function noticed(): Promise<void> {
  if (!(await w.deps.database.nodes.isDistributed())) return
  for (let runs = 0; runs < 2; runs++) {
    await w.rows("update seal_progress set noticing_since = noticing_since - interval '1 minute'")
    await sealHours(w.deps)
  }
}

/** Late results of sealed hours. */
async function merge(): Promise<void> {
  await noticed()
  await foldHistory(w.deps)
}

/** A statement of whoever stores results, which changes nothing. */
async function storingNothing(): Promise<string> {
  const table = (await w.deps.database.nodes.isDistributed()) ? 'late_results' : 'results'
  return `insert into ${table} select * from ${table} where false`
}

test('what is over is sealed, and readers see the same', async () => {
  await upload(run(400), run(399), run(200, { success: false, error: 'refused', http_status: 0 }), run(0))
  const before = await seen()
  await seal()
  expect(await placesOf()).toEqual(['sealed', 'sealed', 'sealed', 'open'])
  expect(await seen()).toEqual(before)
  expect((await progress()).is_on).toBe(true)
  // And nothing more happens.
  expect(await sealHours(w.deps)).toEqual({ hours: 0 })
})

test('a result that comes for a sealed hour counts once, is read at once, and is merged', async () => {
  await upload(run(200), run(198))
  await seal()
  await merge()
  expect(await upload(run(199), run(200, { latency_ms: 9 }), run(199, { latency_ms: 9 }))).toBe(3)
  expect(await upload(run(199, { latency_ms: 9 }))).toBe(1)
  expect(await placesOf()).toEqual(['sealed', 'reopened', 'sealed'])
  const before = await seen()
  expect(before.map(({ latency_ms }) => latency_ms)).not.toContain(9)
  await merge()
  expect(await placesOf()).toEqual(['sealed', 'sealed', 'sealed'])
  expect(await seen()).toEqual(before)
  expect(await upload(run(199, { latency_ms: 9 }), run(200))).toBe(2)
  expect(await seen()).toEqual(before)
})

test('results of a check that had none in a sealed hour, long ago, find a place there', async () => {
  await seal()
  expect(await upload(run(20 * 24 * 60))).toBe(1)
  await sealHours(w.deps)
  await merge()
  expect(await placesOf()).toEqual(['sealed'])
})

test('what a server of an earlier build stores for sealed hours whose month is gone is kept, once', async () => {
  await seal()
  const days = 20 * 24 * 60
  expect(await upload(run(days))).toBe(1)
  await sealHours(w.deps)
  await merge()
  // Such a server looks for repeats only among the rows.
  const store = (min: number) =>
    w.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select org_id, check_id, $1, 7, 200, true, $2 from checks where guid = $3`,
      ...[ago(min), monitor.id, guid],
    )
  await store(days)
  await store(days - 1)
  const outside = () => w.rows('select latency_ms from results_default where org_id = $1', org.org_id)
  expect(await outside()).toHaveLength(2)
  await sealHours(w.deps)
  expect(await placesOf()).toEqual(['sealed', 'reopened'])
  await merge()
  expect(await placesOf()).toEqual(['sealed', 'sealed'])
  expect((await seen()).map(({ latency_ms }) => latency_ms === 7)).toEqual([false, true])
  expect(await w.rows('select sum(runs)::integer as runs from rollups where org_id = $1', org.org_id)).toEqual([
    { runs: 2 },
  ])
  expect(await outside()).toEqual([])
})

test('an hour is closed when everybody who may not know of it has stored, and sealed after that', async () => {
  await seal()
  w.clock.forward(2 * 3600)
  await merge()
  const storing = new pg.Client({ connectionString: w.databaseUrl })
  await storing.connect()
  try {
    await storing.query('begin')
    await storing.query(await storingNothing())
    const before = await progress()
    await closeHours(w.deps, [1])
    expect(await progress()).toMatchObject({
      closed: before.closed,
      settled: before.settled,
      sealed_until: before.sealed_until,
    })
    expect((await progress()).announced > before.announced).toBe(true)
    // An upload that knows the announced hour is stored meanwhile.
    expect(await upload(run(90))).toBe(1)
    expect(await placesOf()).toEqual(['open'])
    await storing.query('commit')
  } finally {
    await storing.end()
  }
  await seal()
  expect(await placesOf()).toEqual(['sealed'])
})

test('a result for an hour that is closed and not sealed yet waits, and is merged later', async () => {
  await seal()
  w.clock.forward(2 * 3600)
  await upload(run(90))
  await foldHistory(w.deps)
  await closeHours(w.deps)
  expect(await upload(run(91), run(90))).toBe(2)
  expect(await placesOf()).toEqual(['reopened', 'open'])
  await foldHistory(w.deps)
  await seal()
  await merge()
  expect(await placesOf()).toEqual(['sealed', 'sealed'])
})

test('a failure that comes for an hour that is closed and not sealed yet is judged', async () => {
  await seal()
  // Eleven minutes past an hour.
  w.clock.forward(2 * 3600 - ((w.clock.now().getTime() / 1000) % 3600) + 11 * 60)
  await upload(run(20), run(14))
  await foldHistory(w.deps)
  await closeHours(w.deps)
  await upload(run(12, { success: false, http_status: 503 }), run(0.5))
  expect(await placesOf()).toContain('reopened')
  await w.judgeLate()
  const incidents = await w.rows('select wire_time(began_at) as at from incidents where org_id = $1', org.org_id)
  expect(incidents.map(({ at }) => new Date(String(at)).toISOString())).toEqual([ago(12)])
})

test('sealing goes on where it was cut off, check by check', async () => {
  await seal()
  w.clock.forward(3 * 3600)
  const more = await w.checks(org, [{}, {}, {}], [monitor.id])
  await upload(...more.map((check_guid) => ({ ...run(100), check_guid })), run(100))
  const before = await seen()
  await foldHistory(w.deps)
  await closeHours(w.deps)
  for (let steps = 0; steps < 3; steps++) {
    await sealSome(w.deps, 1)
    expect(await seen()).toEqual(before)
  }
  expect((await progress()).sealing_check_id).not.toBeNull()
  await seal()
  expect(await seen()).toEqual(before)
  expect(new Set(await placesOf())).toEqual(new Set(['sealed']))
})

test('partitions of results are dropped once their hours are sealed, and never before', async () => {
  await ensurePartitions(w.deps)
  expect(await tables('results\\_20__\\___')).toBe(3)
  await upload(run(5))
  const before = await seen()
  // Into the next month.
  w.clock.forward(15 * 24 * 3600)
  await foldHistory(w.deps)
  await sealHours(w.deps)
  expect(await tables('results\\_2026\\_11')).toBe(1)
  await seal()
  expect(await seen()).toEqual(before)
  await noticed()
  await sealHours(w.deps)
  expect(await tables('results\\_2026\\_1_')).toBe(1)
  expect(await seen()).toEqual(before)
  expect(await placesOf()).toEqual(['sealed'])
  await ensurePartitions(w.deps)
  expect(await tables('results\\_2026\\_1_')).toBe(1)
})

describe('a step that fails', () => {
  test('leaves everything as it was', async () => {
    await seal()
    await upload(run(0))
    w.clock.forward(2 * 3600)
    await foldHistory(w.deps)
    await closeHours(w.deps)
    const before = await progress()
    await plantTriggers(
      w.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
      'create trigger refuse before insert on sealed_hours for each row execute function refuse()',
    )
    await expect(sealSome(w.deps, 100_000)).rejects.toThrow('no')
    await plantTriggers(w.databaseUrl, 'drop trigger refuse on sealed_hours')
    expect(await progress()).toEqual(before)
    expect(await placesOf()).toEqual(['open'])
    await seal()
    expect(await placesOf()).toEqual(['sealed'])
  })
})

test('no late result is merged while somebody wipes or deletes results', async () => {
  await seal()
  await noticed()
  await upload(run(200))
  let merging: Promise<unknown> | undefined
  await holding('select from seal_progress for share', async (client) => {
    merging = foldHistory(w.deps)
    await eventually(isWaiting, 'merging waits for the wipe')
    expect(await placesOf()).toEqual(['reopened'])
    await client.query('update reopened_results set response_sample = null')
  })
  await merging
  expect(await placesOf()).toEqual(['sealed'])
  expect(await seen()).toMatchObject([{ response_sample: null }])
})

describeOnOne(useOther, () => {
  test('short partitions are dropped once their hours are sealed, but not while tables move between nodes', async () => {
    const now = w.clock.now()
    const begin = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    const forwardTo = (ms: number) => w.clock.forward((ms - w.clock.now().getTime()) / 1000)
    await ensurePartitions(w.deps)
    forwardTo(begin - 2 * 3_600_000)
    await seal()
    await ensurePartitions(w.deps)
    forwardTo(begin + 3 * 3_600_000)
    await upload(run(150), run(140), run(1))
    const before = await seen()
    const month = `results_${new Date(begin).toISOString().slice(0, 7).replace('-', '_')}`
    await seal()
    const { sealed_until } = await progress()
    expect(await tables(`${month}_01_0%`)).toBe(6)
    const moving = new pg.Client({ connectionString: w.databaseUrl })
    await moving.connect()
    try {
      await holdSealingUp(moving)
      await dropSealed(w.deps, sealed_until)
      expect(await tables(`${month}_01_0%`)).toBe(6)
      // The session would end a moment after its connection.
      await moving.query('rollback')
    } finally {
      await moving.end()
    }
    let dropping: Promise<unknown> | undefined
    await holding('select from seal_progress for update', async () => {
      dropping = dropSealed(w.deps, sealed_until)
      await eventually(isWaiting, 'dropping waits for the change of the progress')
      expect(await tables(`${month}_01_0%`)).toBe(6)
    })
    await dropping
    expect(await tables(`${month}_01_0%`)).toBe(0)
    expect(await seen()).toEqual(before)
  })
})

describeOnOne(useOther, () => {
  test('an hour of which some partitions are dropped already is not taken for one that lacks results', async () => {
    await seal()
    await ensurePartitions(w.deps)
    const hour_ms = (Math.floor(w.clock.now().getTime() / 3_600_000) + 1) * 3_600_000
    const at = (min: number) => new Date(hour_ms + min * 60_000).toISOString()
    w.clock.forward((hour_ms - w.clock.now().getTime()) / 1000 + 3600)
    await upload(...[5, 15, 35].map((min) => result(guid, { ran_at: at(min) })))
    w.clock.forward(3600)
    await seal()
    await sealHours(w.deps)
    expect(await w.rows('select from results where org_id = $1', org.org_id)).toEqual([])
    // A worker that was killed while it dropped partitions leaves the hour like this to the next worker.
    await w.rows(`create table results_left partition of results for values from ('${at(30)}') to ('${at(40)}')`)
    await w.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
       select org_id, check_id, $1, 7, 200, true, $2 from checks where guid = $3`,
      ...[at(35), monitor.id, guid],
    )
    const { pools, machines, people, nodes } = w.deps.database
    await dropSealed({ ...w.deps, database: { ...w.deps.database, pools, machines, people, nodes } }, at(60))
    expect(await w.rows('select hour from rollup_marks where org_id = $1', org.org_id)).toEqual([])
    expect(await placesOf()).toEqual(['sealed', 'sealed', 'sealed'])
    expect(await tables('results\\_left')).toBe(0)
  })
})

test('what comes into the rows of an hour after it was sealed is found before they are dropped', async () => {
  await seal()
  await ensurePartitions(w.deps)
  await upload(run(5), run(4))
  const between = ago(3)
  w.clock.forward(IS_ON_CLUSTER ? 31 * 24 * 3600 : 3 * 3600)
  await seal()
  expect(await placesOf()).toEqual(['sealed', 'sealed'])
  const rows = async () => (await w.rows('select from results where org_id = $1', org.org_id)).length
  await w.rows(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, $1, 7, 200, true, $2 from checks where guid = $3`,
    ...[between, monitor.id, guid],
  )
  expect([await rows(), await placesOf()]).toEqual([3, ['sealed', 'sealed']])
  await noticed()
  await sealHours(w.deps)
  expect([await rows(), await placesOf()]).toEqual([0, ['sealed', 'sealed', 'reopened']])
  await merge()
  expect(await placesOf()).toEqual(['sealed', 'sealed', 'sealed'])
  expect((await seen()).map(({ latency_ms }) => latency_ms === 7)).toEqual([false, false, true])
  expect(await w.rows('select sum(runs)::integer as runs from rollups where org_id = $1', org.org_id)).toEqual([
    { runs: 3 },
  ])
  // On a cluster it seals a month.
}, 600_000)
