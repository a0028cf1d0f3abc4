// A node that hangs is given up, and what it does then comes to nothing: whoever works at it next waits until that is over.

import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { foldHistory } from '@dogwatch/domain/results/history'
import { sealHours } from '@dogwatch/domain/results/seal'
import { listResults, START } from '@dogwatch/store/results/result-pages'
import { readSealProgress } from '@dogwatch/store/results/sealing/sealing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { TwoNodes } from '../../../store/test/support/nodes.ts'
import { plainWorld } from '../support/on-cluster.ts'
import { eventually, type Monitor, type Org, result, type World } from '../support/world.ts'

/** Whoever writes sealed hours waits while this is held. */
const HELD = 77

let w: World
let nodes: TwoNodes
let org: Org
let monitor: Monitor
let guid: string
let check_id: number
let holder: pg.Client
beforeAll(async () => {
  w = await plainWorld({ nodes: (url) => (nodes = new TwoNodes(url)) })
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
  await w.rows(`
    create function await_holder() returns trigger language plpgsql set lock_timeout = 0 as $$
    begin perform pg_advisory_xact_lock_shared(${HELD}); return null; end $$`)
  await turnOn()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})

/** A late result of an hour that is sealed, which may be merged. */
beforeEach(async () => {
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ interval_sec: 60 }], [monitor.id])
  check_id = Number((await w.rows('select check_id from checks where guid = $1', guid))[0]?.check_id)
  const late = ago(4)
  await upload(ago(5))
  w.clock.forward(2 * 3600)
  await seal()
  await upload(late)
  expect([await countOf('sealed_hours'), await countOf('reopened_results')]).toEqual([1, 1])
})

const progress = () => readSealProgress(w.deps.database.machines)
const ago = (min: number) => new Date(w.clock.now().getTime() - min * 60_000).toISOString()
const upload = (ran_at: string) => monitor.client.upload([result(guid, { ran_at, response_sample: 'sample' })])
const nodeOf = () => (org.org_id % 2 === 0 ? 'even' : 'odd')
const countOf = async (table: string) =>
  (await w.rows(`select count(*)::integer as count from ${table} where org_id = $1`, org.org_id))[0]?.count
const samples = async () =>
  (await listResults(w.deps.database, { org_id: org.org_id, check_id, result_detail_max_chars: 256 }, START, 10)).map(
    ({ response_sample }) => response_sample,
  )
const WAITING = `
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`
const WORKING = `
  select pid from pg_stat_activity
  where datname = current_database() and application_name ~ '^node-' and xact_start is not null`
const waiting = async () => (await w.rows(WAITING)).length

async function turnOn(): Promise<void> {
  await foldHistory(w.deps)
  await sealHours(w.deps)
  w.clock.forward(60)
}

async function seal(): Promise<void> {
  const over = Math.floor((w.clock.now().getTime() - 600_000) / 3_600_000) * 3_600_000
  for (let runs = 0; Date.parse((await progress()).sealed_until) !== over; runs++) {
    if (runs === 40) throw new Error('not all that is over was sealed')
    await foldHistory(w.deps)
    await sealHours(w.deps)
  }
  for (let runs = 0; runs < 2; runs++) {
    await w.rows("update seal_progress set noticing_since = noticing_since - interval '1 minute'")
    await sealHours(w.deps)
  }
}

const hang = (trigger: string) => w.rows(`create ${trigger} for each row execute function await_holder()`)
afterEach(async () => {
  await holder.query('select pg_advisory_unlock_all()')
  for (const table of ['reopened_results', 'sealed_hours']) await w.rows(`drop trigger if exists hang on ${table}`)
})

/** Merges, and gives the node up while it waits in a trigger: until `letGo` it has not ended. */
async function giveUpMerging(trigger: string): Promise<{ letGo(): Promise<void> }> {
  await hang(trigger)
  await holder.query('select pg_advisory_lock($1)', [HELD])
  const merging = foldHistory(w.deps)
  await eventually(async () => (await waiting()) === 1, 'the node is at work')
  nodes.giveUp(nodeOf())
  await merging
  const letGo = async () => {
    await holder.query('select pg_advisory_unlock($1)', [HELD])
    await eventually(async () => (await w.rows(WORKING)).length === 0, 'the node has ended it')
  }
  return { letGo }
}
const COMMITTING = 'constraint trigger hang after insert or update on sealed_hours deferrable initially deferred'
const WRITING = 'trigger hang after delete on reopened_results'

test('whoever wipes waits for a node that may still commit what it merged', async () => {
  const { letGo } = await giveUpMerging(COMMITTING)
  const wiping = wipeDefinition(w.deps, guid)
  await eventually(async () => (await waiting()) === 2, 'it waits for the node')
  await letGo()
  await wiping
  expect(await countOf('reopened_results')).toBe(0)
  expect(await samples()).toEqual([null, null])
})

test('a node that had not committed when it was given up does not commit', async () => {
  const { letGo } = await giveUpMerging(WRITING)
  await letGo()
  expect(await countOf('reopened_results')).toBe(1)
  expect(await samples()).toEqual(['sample', 'sample'])
  await foldHistory(w.deps)
  expect([await countOf('sealed_hours'), await countOf('reopened_results')]).toEqual([1, 0])
  expect(await samples()).toEqual(['sample', 'sample'])
})

test('nothing is committed for a process that has lost its transaction at the coordinator', async () => {
  await hang(WRITING)
  await holder.query('select pg_advisory_lock($1)', [HELD])
  nodes.blamed.clear()
  const merging = foldHistory(w.deps)
  merging.catch(() => {})
  await eventually(async () => (await waiting()) === 1, 'the node is at work')
  await holder.query(
    `select pg_terminate_backend(l.pid, 60000) from pg_locks l
     where l.relation = 'seal_progress'::regclass and l.mode = 'RowShareLock'
       and l.database = (select oid from pg_database where datname = current_database())`,
  )
  await holder.query('select pg_advisory_unlock($1)', [HELD])
  await expect(merging).rejects.toThrow()
  // That was no fault of the node.
  expect(nodes.blamed).toEqual(new Set())
  expect([await countOf('sealed_hours'), await countOf('reopened_results')]).toEqual([1, 1])
  expect(await samples()).toEqual(['sample', 'sample'])
})
