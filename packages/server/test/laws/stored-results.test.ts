// Results are in three places: hours that are sealed, what came late for them, and rows (decision record 7). A statement that looks
// into one place alone would overlook the others, so it stands here with its reason; all others read by `resultsOf`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const STORE = fileURLToPath(new URL('../../src/store', import.meta.url))

/** How often a file of the store names the table in a statement, and why that need not name the other two. */
const ALONE: Readonly<Record<string, readonly [times: number, reason: string]>> = {
  'checks/check-overview.ts': [
    1,
    'reads what no hour holds that is closed; what it does not find is looked for by the fragment',
  ],
  'checks/check-health.ts': [1, 'judges by open hours, if the statement itself sees that none since then is closed'],
  'accounts/org-deletion.ts': [1, 'deletes from each table of an organisation, the other two included'],
  'layout.ts': [1, 'lists what is distributed, the other two included'],
  'nodes.ts': [2, 'asks the catalogue on which node an organisation is'],
  'results/at-node.ts': [2, 'stores results; it looks for repeats of sealed hours by the fragment'],
  'results/behind.ts': [1, 'sums up hours that are not folded yet, and only folded hours are sealed'],
  'results/history.ts': [1, 'sums up everything before the first fold, and only folded hours are sealed'],
  'results/leftovers.ts': [1, 'asks each of the three tables whether it has anything of a check'],
  'results/copied-results.ts': [2, 'stores results of hours that are open, and looks first whether they are stored'],
  'results/partitions.ts': [7, 'makes, shortens and drops partitions, which are of one table'],
  'results/results.ts': [3, 'stores results, and looks for repeats in each of the three tables'],
  'results/retention.ts': [2, 'deletes from each of the three tables what is too old'],
  'results/sealing-on-nodes.ts': [
    7,
    'seals what is open, and writes it back, on nodes; finds what came after its hour was sealed',
  ],
  'results/sealing.ts': [2, 'seals what is open, and looks with which hour that begins'],
  'results/unsealing.ts': [2, 'writes sealed hours and late results back into the table'],
  'results/wiping.ts': [5, 'wipes each of the three tables, and `results` alone while no hours are sealed'],
  'results/result-pages.ts': [
    1,
    'reads what no hour holds that is closed; a page that this does not fill is read by the fragment',
  ],
  'results/sealed-pages.ts': [1, 'reads each of the three tables in a form of its own'],
  'sharding/cluster.ts': [2, 'asks the catalogue which nodes there are'],
  'sharding/shard.ts': [2, 'distributes each table, the other two included'],
  'stored/results-of.ts': [4, 'is how all others read'],
}

// A word for what happens to a table and its name, or the name as a value, or the fragment told that nothing is sealed. Casts to regclass ask
// the catalogue.
const NAMED =
  /\bisSealed: false\b|\b(?:from|join|into|update|using|table|copy)\s+(?:only\s+)?results\b|'results'(?!::regclass)/g

const sources = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({
    path: path.replaceAll('\\', '/'),
    code: readFileSync(join(STORE, path), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
  }))

const countIn = (code: string): number => [...code.matchAll(NAMED)].length

test('a statement that names results alone is listed with its reason', () => {
  expect(sources.length).toBeGreaterThan(100)
  const found = sources.map(({ path, code }) => [path, countIn(code)] as const).filter(([, times]) => times > 0)
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(ALONE).map(([path, [times]]) => [path, times])),
  )
})

test.each([
  ['reads', 'select 1 from results r where r.org_id = $1'],
  ['joins', 'select 1 from k join results using (check_id)'],
  ['changes', 'update results set error = null'],
  ['gives the name to whoever makes the statement', "sql.table('results')"],
  ['reads by the fragment as if nothing were sealed', 'inOrder(org, [], bounds, { isSealed: false, areShifted })'],
])('one that %s is found', (_, code) => {
  expect(countIn(code)).toBe(1)
})

test.each([
  ['what is read by resultsOf', 'select 1 from (${resultsOf(wanted, isSealed)}) r'],
  ['another table', 'select 1 from late_results'],
  ['the catalogue', "where i.inhparent = 'results'::regclass"],
])('%s is not meant', (_, code) => {
  expect(countIn(code)).toBe(0)
})
