// dogwatch shard where there is no Citus: it says what is missing and changes nothing. What it does on a cluster is proved by
// `npm run prove -- citus`.

import { tellPresence } from '@dogwatch/domain/availability'
import { Nodes } from '@dogwatch/domain/nodes'
import { openDatabase } from '@dogwatch/store/database'
import { openSparePool } from '@dogwatch/store/postgres/spare-pool'
import { reportClock } from '@dogwatch/store/processes/processes'
import { IN_ORDER } from '@dogwatch/store/results/sharding/shard'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DISTRIBUTED } from '../../../store/src/results/tables.ts'
import { type Operator, operator } from './operator.ts'

const MET = [
  { what: 'schema', ok: true, line: 'all tables exist' },
  { what: 'processes', ok: true, line: 'every running process supports sharding' },
]
const UNMET = {
  what: 'extension',
  ok: false,
  line: 'this database has no Citus; add citus to shared_preload_libraries, then run create extension citus',
}

/** The tables in which Citus says that results have a shard on each of two nodes: the coordinator, and one that is not there. */
const CATALOGUE = `
  set allow_system_table_mods = on;
  create table pg_catalog.pg_dist_partition as select 'results'::regclass as logicalrelid, 'h'::"char" as partmethod;
  create table pg_dist_shard as select n::bigint as shardid, 'results'::regclass as logicalrelid from generate_series(0, 1) n;
  create table pg_dist_placement as select n::bigint as shardid, n as groupid from generate_series(0, 1) n;
  create table pg_dist_node as
    select n as groupid, '127.0.0.1' as nodename, case n when 0 then inet_server_port() else 1 end as nodeport,
      'primary' as noderole, true as isactive from generate_series(0, 1) n;
  create function get_shard_id_for_distribution_column(text, bigint) returns bigint immutable language sql return $2 % 2`

let o: Operator
beforeAll(async () => {
  o = await operator('dogwatch_plain')
})
afterAll(() => o.close())

test('a dry run names each requirement, and changes nothing', async () => {
  const before = await o.stored()
  expect(await o.answer(['shard', '--dry-run'])).toEqual({
    layout: 'plain',
    nodes: [],
    requirements: [...MET, UNMET],
  })
  expect(await o.stored()).toBe(before)
})

test('without Citus it refuses in one line, and there is nothing to undo', async () => {
  expect(await o.refusal(['shard'])).toBe(
    `this database does not meet the requirements for sharding: extension: ${UNMET.line}`,
  )
  expect(await o.answer(['shard', '--undo'])).toEqual({ layout: 'plain', nodes: [], tables: [] })
})

test('it refuses while a process of an older build runs, and names it', async () => {
  const at = (sec: number) => `database_time() - interval '${sec} seconds'`
  const older = (name: string, sec: number) =>
    `insert into processes (process_id, role, host, pid, started_at, seen_at) select '${name}', 'worker', 'east', 7, ${at(sec)}, ${at(sec)}`
  await o.rows(`${older('p1', 50)}; ${older('p2', 40)}; ${older('p3', 90)}`)
  const self = { process_id: 'p4', role: 'web', host: 'west', pid: 8 }
  const spare = openSparePool(o.databaseUrl, 2000)
  await reportClock(spare, self, { carried_ms: Date.UTC(2026, 0, 1), skew_ms: 0, steady_ms: 0, isInDoubt: false })
  await spare.end()
  const line =
    'worker on east, process 7 and 1 more, runs a build that does not support sharding; upgrade or stop this process, then wait a minute'
  expect(await o.refusal(['shard'])).toBe(
    `this database does not meet the requirements for sharding: processes: ${line}; extension: ${UNMET.line}`,
  )
  await tellPresence(o.deps, { own: { self: { ...self, process_id: 'p5' }, port: 1, told_at: undefined } })
  // Processes of the previous version wait for the other two.
  const able = "select process_id from processes where abilities @> '{nodes,sealed_hours,sealed_on_nodes}' order by 1"
  expect(await o.rows(able)).toEqual([{ process_id: 'p4' }, { process_id: 'p5' }])
  await o.rows('delete from processes')
})

test('the embedded Postgres, too many shards and contradictions are refused', async () => {
  expect(await o.refusal(['shard'], { env: { DATABASE_URL: '' } })).toMatch(/^the embedded Postgres cannot be sharded/)
  for (const args of [
    ['--shards', '0'],
    ['--shards', '1025'],
    ['--dry-run', '--undo'],
  ]) {
    expect((await o.run(['shard', ...args])).code).toBe(2)
  }
})

test('a database that is not sharded has no nodes to watch', async () => {
  const coordinator = openSparePool(o.databaseUrl, 2000)
  const nodes = new Nodes(o.deps, coordinator, o.databaseUrl)
  expect(await nodes.list()).toBeUndefined()
  expect(await nodes.look()).toEqual({})
  await nodes.close()
  await coordinator.end()
})

test('results are converted first, because they take nearly all of the time', () => {
  expect(IN_ORDER[0]).toBe('results')
  expect([...IN_ORDER].sort()).toEqual([...DISTRIBUTED].sort())
})

test('whoever may ask for readiness is told how many nodes are away, and no address', async () => {
  await o.rows(CATALOGUE)
  const coordinator = openSparePool(o.databaseUrl, 2000)
  const nodes = new Nodes(o.deps, coordinator, o.databaseUrl)
  expect(await nodes.look()).toEqual({
    layout: 'results on 2 nodes, 2 shards',
    away: '1 of 2 nodes does not answer; results of the organisations stored there are refused and sent again later',
  })
  await nodes.close()
  await coordinator.end()
})

test('what the coordinator itself holds is stored while all connections for uploads are taken', async () => {
  const database = openDatabase({ url: o.databaseUrl, poolSize: 1 })
  const upload = await database.pools.machines.connect()
  const [node] = await database.nodes.listNodesOf([2])
  if (!node) throw new Error('no node')
  expect((await database.nodes.at(node, (pool) => pool.query('select 1 as one'))).rows).toEqual([{ one: 1 }])
  upload.release()
  await database.close()
})
