// Every migration after the baseline, and every one of an adoption, can be applied while servers of the previous version
// keep working.
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { findFaults } from './migration-rules.ts'

/** The last file of the baseline: only empty databases run these files. */
const BASELINE = '0294_changes'

const FOLDER = new URL('../src/migrations/', import.meta.url)
/** Paths of all migrations below the folder, without the ending. */
const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.sql'))
  .map((path) => path.replace(/\.sql$/, ''))
const names = paths.map((path) => basename(path)).sort()
const textOf = (path: string) => readFileSync(new URL(`${path}.sql`, FOLDER), 'utf8')

test('there are migrations, and each has a number of its own', () => {
  expect(names).toContain(BASELINE)
  const numbers = names.map((name) => /^(\d{4})_[a-z\d_]+$/.exec(name)?.[1])
  expect(new Set(numbers).size).toBe(names.length)
  expect(numbers).not.toContain(undefined)
})

test('names before the baseline are those of an adoption, and the numbers of later migrations begin with 0300', () => {
  expect(paths.filter((path) => path < '0281')).toEqual([])
  expect(names.filter((name) => name < '0281').map((name) => `adoption/${name}`)).toEqual(
    paths.filter((path) => path.startsWith('adoption')).sort(),
  )
  expect(names.filter((name) => name > BASELINE && name < '0300')).toEqual([])
})

test('no migration does what servers of the previous version suffer from', () => {
  const judged = paths.filter((path) => basename(path) !== path || path > BASELINE)
  expect(judged.length).toBeGreaterThan(8)
  const faults = judged.flatMap((path) => {
    const name = basename(path)
    return findFaults(textOf(path), names.slice(0, names.indexOf(name))).map((fault) => ({ name, ...fault }))
  })
  expect(faults).toEqual([])
})

describe('safe', () => {
  test.each([
    [
      'a new table with its indexes',
      'create table t (a integer not null); create index t_a on t (a); insert into t select 1',
    ],
    ['a column that may be missing', 'alter table results add column a integer'],
    [
      'a column with a constant',
      "alter table results add column a text not null default '', add b boolean default false",
    ],
    ['an index beside those who write', 'create index concurrently results_a on results (a)'],
    ['a constraint that is validated later', 'alter table checks add constraint a check (n > 0) not valid'],
    ['validating it', 'alter table checks validate constraint a'],
    ['a constraint on an index that is there', 'alter table checks add constraint a unique using index checks_a'],
    [
      'a function whose body drops and updates',
      'create function f() returns void language sql as $$ drop table t; update t set a = 1 $$',
    ],
    ['words in a string', "alter table results add column a text default 'drop column; update t'"],
    ['a lock with its reason', '-- safe: the table has one row\nupdate sync_clock set t = now()'],
    ['the end of something', '-- contract: 0015_b the build of 0015 stopped reading it\nalter table t drop column a'],
  ])('%s', (_, sql) => {
    expect(findFaults(sql, ['0014_a', '0015_b'])).toEqual([])
  })
})

describe('unsafe', () => {
  test.each([
    ['an index', 'create unique index a on results (a)'],
    ['an index that is not alone', 'create index concurrently a on results (a); select 1'],
    ['dropping an index', 'drop index a'],
    ['dropping a table', 'drop table pings'],
    ['dropping a column', 'alter table checks add a integer, drop column b'],
    ['dropping one with a reason for a lock', '-- safe: nobody has it\nalter table checks drop column b'],
    ['ending what no earlier migration prepared', '-- contract: 0099_z it is unused\nalter table checks drop column b'],
    ['a reason far above', '-- safe: it is small\n\nupdate checks set a = 1'],
    ['a reason that is none', '-- safe: yes\nupdate checks set a = 1'],
    ['renaming a column', 'alter table checks rename column a to b'],
    ['renaming a table', 'alter table checks rename to tests'],
    ['another type', 'alter table checks alter column a type bigint'],
    ['not null', 'alter table checks alter a set not null'],
    ['dropping a default', 'alter table checks alter column a drop default'],
    ['a column that must be given', 'alter table checks add column a integer not null'],
    ['a column with a constraint', 'alter table checks add column a integer check (a > 0)'],
    ['a reference', 'alter table results add column org bigint references organisations'],
    ['a computed default', 'alter table results add column a uuid default gen_random_uuid()'],
    ['a constraint', 'alter table results add constraint a check (latency_ms > 0)'],
    ['a foreign key', 'alter table results add foreign key (org_id) references organisations'],
    [
      'attaching a partition',
      "alter table results attach partition p for values from ('2026-01-01') to ('2026-02-01')",
    ],
    ['filling in', "update results set error = ''"],
    ['copying', 'insert into rollups select * from results'],
    ['deleting', 'delete from results'],
    ['locking', 'lock table results'],
    ['its own transaction', 'begin; alter table results add column a integer; commit'],
    ['its own wait', "set local lock_timeout = '1h'"],
  ])('%s', (_, sql) => {
    expect(findFaults(sql, ['0014_a', '0015_b'])).not.toEqual([])
  })
})
