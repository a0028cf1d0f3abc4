// Statements about distributed tables can run on several nodes. Every statement that a test sends is read by these rules
// (support/statements.ts); here they are shown to find what breaks them, and nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadModule, parseSync } from 'libpg-query'
import { DISTRIBUTED } from '../../../store/src/results/tables.ts'
import { findBreaches, mayNameDistributed } from '../../../store/test/support/distributed.ts'
import { readStatements, recordStatements } from '../../../store/test/support/statements.ts'
import { type World, world } from '../support/world.ts'

beforeAll(() => loadModule())

const breachesOf = (text: string) => findBreaches(text, parseSync)

describe('a statement cannot run on several nodes that', () => {
  test.each([
    [
      'joins across',
      'select r.ran_at from results r join checks c on c.check_id = r.check_id where r.org_id = $1 and c.org_id = $1',
      ['joins results with checks, which are on the coordinator'],
    ],
    [
      'joins across in a subquery',
      'select c.name, (select max(ran_at) from results r where r.org_id = $1 and r.check_id = c.check_id) from checks c',
      ['joins results with checks, which are on the coordinator'],
    ],
    [
      'joins across laterally',
      'select 1 from checks c cross join lateral (select 1 from rollups where org_id = $1 and check_id = c.check_id) r',
      ['joins rollups with checks, which are on the coordinator'],
    ],
    [
      'joins across by a part that is not run before it',
      'with c as (select check_id from checks) select 1 from c join results r using (check_id) where r.org_id = $1',
      ['joins results with checks, which are on the coordinator'],
    ],
    [
      'locks across',
      'select org_id, check_id from rollup_marks where hour < $1 limit 500 for update skip locked',
      ['locks rows on several nodes: it does not say "org_id = one organisation" for rollup_marks where it reads it'],
    ],
    [
      'locks across although it says that it goes everywhere',
      'select /* on every node */ org_id from rollup_marks for update',
      ['locks rows of rollup_marks on several nodes'],
    ],
    [
      'goes everywhere and joins',
      'select /* on every node */ 1 from results r join shifted_results s using (org_id, check_id, ran_at, monitor_id)',
      ['goes to every node and reads more than one table: results,shifted_results'],
    ],
    [
      'names no organisation',
      'select 1 from results where check_id = $1',
      ['does not say "org_id = one organisation" for results where it reads it'],
    ],
    [
      'names the organisation by another row',
      'select 1 from unnest($1::bigint[]) k(org_id) join results r on r.org_id = k.org_id',
      ['does not say "org_id = one organisation" for results where it reads it'],
    ],
    [
      'names it in one half alone',
      'select 1 from rollups where org_id = $1 union all select 1 from rollups_daily where check_id = $2',
      ['does not say "org_id = one organisation" for rollups_daily where it reads it'],
    ],
    [
      'names it outside of the subquery alone',
      'select 1 from results r where org_id = $1 and exists (select 1 from shifted_results s where s.org_id = r.org_id)',
      ['does not say "org_id = one organisation" for shifted_results where it reads it'],
    ],
    [
      'names it as one of two',
      'select 1 from results where org_id = $1 or org_id = $2',
      ['does not say "org_id = one organisation" for results where it reads it'],
    ],
    [
      'deletes without naming it',
      'delete from rollup_marks where hour < $1',
      ['does not say "org_id = one organisation" for rollup_marks where it reads it'],
    ],
    [
      'inserts for several',
      'insert into rollup_marks (org_id, check_id, hour) select k.org_id, 1, $2 from unnest($1::bigint[]) k(org_id)',
      ['inserts rows of several organisations into rollup_marks'],
    ],
    [
      'sets by a stable function',
      "update shifted_results set effective_at = effective_at - interval '1 hour' where org_id = $1",
      ['sets shifted_results by an interval, which is not immutable'],
    ],
    [
      'sets by one in a conflict',
      `insert into rollup_marks as m (org_id, check_id, hour) values ($1, $2, $3)
        on conflict (org_id, check_id, hour) do update set hour = now()`,
      ['sets rollup_marks by now(), which is not immutable'],
    ],
    [
      'returns by a stable function',
      'delete from rollup_marks where org_id = $1 returning wire_time(hour)',
      ['returns wire_time() from rollup_marks, which is not immutable'],
    ],
    [
      'calls a volatile function',
      'select ran_at from results where org_id = $1 and ran_at < clock_timestamp()',
      ['calls clock_timestamp(), which may answer differently on each node'],
    ],
    [
      'selects no column',
      'select 1 from rollups r where org_id = $1 and exists (select from results s where s.org_id = $1)',
      ['selects no column: say "select 1"'],
    ],
    [
      'changes what is elsewhere',
      `with newest as materialized (select check_id, max(ran_at) as at from results where org_id = $1 group by check_id)
        update check_states s set judged_at = n.at from newest n where s.org_id = $1 and s.check_id = n.check_id`,
      ['changes check_states, which is on the coordinator, by what it reads of results'],
    ],
    [
      'hides a table',
      'with results as materialized (select 1 as x) select x from results, rollups where rollups.org_id = $1',
      ['a part of it is named results like the table'],
    ],
  ])('%s', (_, text, breaches) => {
    expect(breachesOf(text)).toEqual(expect.arrayContaining(breaches))
  })
})

test.each([
  ['reads one organisation', 'select 1 from results where org_id = $1::bigint and ran_at < $2'],
  [
    'names it by a table that is held to it',
    'select 1 from shifted_results s join results r on r.org_id = s.org_id where s.org_id = $1',
  ],
  [
    'reads of the coordinator before',
    `with c as materialized (select check_id from checks where org_id = $1)
      select 1 from c cross join lateral (
        select 1 from results r where r.org_id = $1 and r.check_id = c.check_id order by r.ran_at limit 1) r`,
  ],
  [
    'is read of by the coordinator afterwards',
    `with r as materialized (select monitor_id from results where org_id = $1)
      select m.name from r left join monitors m on m.id = r.monitor_id`,
  ],
  ['locks those of one', 'select hour from rollup_marks where org_id = $1 for update skip locked'],
  [
    'is sent for each organisation',
    'select 1 from unnest($1::bigint[]) k(org_id) join results r on r.org_id = k.org_id /* one by one */',
  ],
  ['goes everywhere for one table', 'select /* on every node */ count(*) from rollup_marks'],
  ['inserts for one', 'insert into rollup_marks (org_id, check_id, hour) values ($1, $2, $3)'],
  ['only names what is on the coordinator', 'update check_states set rejudge_at = now() where org_id = 1'],
])('a statement can run that %s', (_, text) => {
  expect(breachesOf(text)).toEqual([])
})

describe('every statement that the store sends is read', () => {
  let w: World
  beforeAll(async () => {
    w = await world()
  })
  afterAll(() => w.close())

  test.each([
    ['joins across', 'select 1 from results r join checks c using (org_id, check_id) where org_id = $1'],
    ['locks across', 'select 1 from rollup_marks where hour < now() for update skip locked'],
  ])('one that %s ends the run of the tests', async (_, text) => {
    recordStatements()
    await w.deps.database.pools.machines
      .query({ name: `planted ${text}`, text, values: text.includes('$1') ? [1] : [] })
      .catch(() => {})
    await expect(readStatements()).rejects.toThrow('statements cannot run on several nodes')
    await expect(readStatements()).resolves.toBeUndefined()
  })
})

const STORE = fileURLToPath(new URL('../../../store/src', import.meta.url))
const sources = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(STORE, path), 'utf8') }))
const naming = (words: string) => sources.filter(({ text }) => text.includes(words)).map(({ path }) => path)

test('few statements are left out: those of one node have a form for several, and few go to every node', () => {
  expect(sources.filter(({ text }) => mayNameDistributed(text)).length).toBeGreaterThan(20)
  expect(naming('/* one node */').toSorted()).toEqual([
    'results/export-pages.ts',
    'results/heard.ts',
    'results/result-pages.ts',
    'results/results.ts',
    'results/sealing/partitions.ts',
    'results/sealing/sealing.ts',
    'results/stored/results-of.ts',
    'results/stored/sealed-pages.ts',
    'results/to-judge.ts',
    'results/write-results.ts',
  ])
  expect(naming('/* on every node */').toSorted()).toEqual([
    'results/history.ts',
    'results/lags.ts',
    'results/sealing/marks.ts',
    'results/sealing/partitions.ts',
  ])
  expect(naming('k.org_id /* one by one */')).toEqual(['results/nodes/layout.ts'])
})

test('the page about several nodes names the tables that are distributed', () => {
  const page = readFileSync(new URL('../../docs/reference/nodes.md', import.meta.url), 'utf8')
  expect(DISTRIBUTED.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
