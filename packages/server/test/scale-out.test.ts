// The tables that may be distributed over several nodes keep to what Citus asks: docs/reference/nodes.md. What statements about them keep to:
// laws/distributed.test.ts.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ROOMS } from '../../../scripts/testing/laws.ts'
import { createTestDatabase } from '../../store/test/support/database.ts'
import { findSessionState, findShortcomings } from './support/scale-out.ts'
import { type World, world } from './support/world.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
const sources = ['server', ...ROOMS].flatMap((room) =>
  readdirSync(join(PACKAGES, room, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|sql)$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => ({
      path: `${room === 'server' ? '' : `${room}/`}${path.replaceAll('\\', '/')}`,
      text: readFileSync(join(PACKAGES, room, 'src', path), 'utf8'),
    })),
)

let w: World
beforeAll(async () => {
  // Whether a cluster could take the tables is asked before it does.
  w = await world({ testDatabase: await createTestDatabase('dogwatch_plain') })
})
afterAll(() => w.close())
const rows = (sql: string) => w.rows(sql)

describe('the tables that are distributed', () => {
  test('are as they must be', async () => {
    expect(await findShortcomings(rows)).toEqual([])
  })

  test.each([
    [
      'a foreign key to the coordinator',
      'alter table rollups add foreign key (org_id, check_id) references checks',
      ['rollups references checks'],
    ],
    [
      'a foreign key from the coordinator',
      `alter table check_states add ran_at timestamptz, add monitor_id text,
      add foreign key (org_id, check_id, ran_at, monitor_id) references shifted_results`,
      ['check_states references shifted_results'],
    ],
    [
      'a key that spans organisations',
      'create unique index rollups_hour on rollups (check_id, hour)',
      ['rollups: rollups_hour is unique without org_id'],
    ],
    [
      'a key that only carries it along',
      'create unique index rollups_hour on rollups (check_id, hour) include (org_id)',
      ['rollups: rollups_hour is unique without org_id'],
    ],
    [
      'a trigger',
      'create trigger t before insert on rollup_marks for each statement execute function tick_first()',
      ['rollup_marks has triggers'],
    ],
    [
      'an identity',
      'alter table rollup_marks add n bigint generated always as identity',
      ['rollup_marks has values that the database makes'],
    ],
    [
      'a default that is a function',
      'alter table rollup_marks add at timestamptz default now()',
      ['rollup_marks has values that the database makes'],
    ],
    [
      'partitions of partitions',
      `create table results_nested partition of results for values from ('2001-01-01') to ('2001-02-01')
      partition by list (org_id)`,
      ['results has partitions of partitions'],
    ],
    ['no log', 'alter table rollup_marks set unlogged', ['rollup_marks is unlogged']],
  ])('would not pass with %s', async (_, ddl, shortcomings) => {
    const client = await w.deps.database.pools.machines.connect()
    try {
      await client.query(`begin; ${ddl}`)
      expect(await findShortcomings(async (sql) => (await client.query(sql)).rows as never)).toEqual(
        expect.arrayContaining(shortcomings),
      )
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('the statements', () => {
  test('none rests on the state of a session: locks, settings, temporary tables', () => {
    expect(sources.flatMap(({ path, text }) => findSessionState(text).map((found) => `${path}: ${found}`))).toEqual([])
  })

  test('LISTEN is one file, and only wakes who looks by itself as well', () => {
    const listening = sources.filter(({ text }) => /store\/postgres\/listen'/.test(text)).map(({ path }) => path)
    // The agents whose requests are held sync twice a minute as well.
    expect(listening.toSorted()).toEqual(['alerting/pipeline.ts', 'bin/local-monitor.ts', 'bin/serving.ts'])
    const notifying = sources.filter(({ text }) => /\b(pg_notify\s*\(|notify\s+\w+\s*[;,`])/.test(text))
    expect(notifying.map(({ path }) => path).sort()).toEqual([
      'store/alerting/deliveries.ts',
      'store/alerting/events.ts',
      'store/checks/asked-runs.ts',
      'store/migrations/0283_monitors_and_checks.sql',
      'store/migrations/0294_changes.sql',
      'store/migrations/adoption/0280_monitors_notified.sql',
      'store/schema.sql',
    ])
  })

  test.each([
    ['a session lock', findSessionState, 'select pg_advisory_lock(1)'],
    ['a session lock that is tried', findSessionState, 'select pg_try_advisory_lock(1)'],
    ['a setting', findSessionState, "client.query('set lock_timeout = 1')"],
    ['a setting by its function', findSessionState, "select set_config('a.b', '1', false)"],
    ['a temporary table', findSessionState, 'create temp table t (n integer)'],
    ['a cursor that outlives its transaction', findSessionState, 'declare c cursor with hold for select 1'],
  ])('%s would be found', (_, find, text) => {
    expect(find(text)).toHaveLength(1)
  })

  test.each([
    ['a lock of a transaction', findSessionState, 'select pg_advisory_xact_lock(1)'],
    [
      'a setting of a transaction',
      findSessionState,
      "query('set local lock_timeout = 1'); set_config('a.b', $1, true)",
    ],
    ['a change', findSessionState, '`update checks set enabled = true`'],
  ])('%s is none', (_, find, text) => {
    expect(find(text)).toEqual([])
  })
})
