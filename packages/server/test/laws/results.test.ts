// How results are stored is known to one folder, store/results, and to the use cases that store, fold and seal them. All others
// ask its files, which are its door: whether a result is a row or a part of a sealed hour is invisible to them.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { doorBreaches, readHouse } from '../../../../scripts/testing/laws.ts'
import { DISTRIBUTED } from '../../../store/src/results/tables.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const ENGINE = 'store/results'
/** Inner folder of the command that distributes the tables. */
const COMMAND = 'sharding'

const sources = readHouse(PACKAGES)

test('others import only the files of the door', () => {
  const inner = readdirSync(`${PACKAGES}store/src/results`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== COMMAND)
    .map(({ name }) => name)
  expect(inner).toEqual(expect.arrayContaining(['nodes', 'sealing', 'stored']))
  expect(doorBreaches(sources, { folder: ENGINE, inner, friends: ['domain/results'] })).toEqual([])
})

const TABLES = [
  ...DISTRIBUTED,
  'results_default',
  'stored_results',
  'seal_progress',
  'rollup_progress',
  'rollups_behind',
  'result_budgets',
].join('|')
// A word for what happens to a table and its name, or the name as a value.
const NAMED = new RegExp(
  `\\b(?:from|join|into|update|using|table|copy)\\s+(?:only\\s+)?(?:${TABLES})\\b|[[(]'(?:${TABLES})'`,
)
const isNamed = (code: string): boolean => NAMED.test(code)

test('no statement of others names their tables', () => {
  const store = sources.filter(({ path }) => path.startsWith('store/'))
  const named = store.filter(({ text }) => isNamed(text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''))).map(({ path }) => path)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((path) => !path.startsWith(`${ENGINE}/`))).toEqual([])
})

test.each([
  ['reads', 'select 1 from results r where r.org_id = $1'],
  ['joins', 'select 1 from k join sealed_hours using (check_id)'],
  ['changes', 'update rollup_marks set changes = 0'],
  ['passes the name as a value', "sql.table('reopened_results')"],
])('one that %s is found', (_, code) => {
  expect(isNamed(code)).toBe(true)
})

test.each([
  ['a query of the reader', 'select 1 from (${results.of(wanted)}) r'],
  ['another table', 'select 1 from late_results'],
])('%s is not meant', (_, code) => {
  expect(isNamed(code)).toBe(false)
})
