// Tables that are read by a name from outside are maps.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse, readSources, sourceOf } from '../../../../scripts/testing/laws.ts'
import { findLookups, findMapsAsObjects } from '../../../../scripts/testing/lookups.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const NAMES = ['account-sdk', 'agent', 'check-rules', 'config-sdk', 'monitor-sdk', 'server']

test.each(NAMES)('no table of %s is a plain object that is read by a name of any text', (name) => {
  const sources = name === 'server' ? readHouse(PACKAGES) : readSources(`${PACKAGES}${name}/src`)
  expect(sources.length).toBeGreaterThan(3)
  expect(findLookups(sources)).toEqual([])
})

test('the law finds what breaks it, and nothing else', () => {
  const table = `export const RULES: Readonly<Record<string, string>> = { daily: 'FREQ=DAILY' }\n`
  const found = findLookups([
    sourceOf('rules.ts', `${table}export const of = (repeat: string) => RULES[repeat]\n`),
    sourceOf('other.ts', `import { RULES } from './rules.ts'\n\nexport const all = RULES[name] ?? ''\n`),
    sourceOf('own.ts', `const RULES = new Map([['a', 'b']])\nexport const one = (name: string) => RULES.get(name)\n`),
    sourceOf('written.ts', `import { RULES } from './rules.ts'\nexport const daily = RULES['daily'] ?? RULES.daily\n`),
  ])
  expect(found).toEqual(['rules.ts:2 reads RULES', 'other.ts:3 reads RULES'])
})

test('no map or set is read as a plain object, in sources and tests', () => {
  const files = globSync(['*/src/**/*.{ts,tsx}', '*/test/**/*.{ts,tsx}'], { cwd: PACKAGES })
  expect(files.length).toBeGreaterThan(1000)
  expect(findMapsAsObjects(files.map((path) => sourceOf(path, readFileSync(join(PACKAGES, path), 'utf8'))))).toEqual([])
})

test('the law finds a map that is read as a plain object, and nothing else', () => {
  const found = findMapsAsObjects([
    sourceOf(
      'rules.ts',
      "export const RULES: ReadonlyMap<string, string> = new Map([['a', 'b']])\nexport const SEEN = new Set<string>()\n",
    ),
    sourceOf(
      'keys.ts',
      "import { RULES, SEEN } from './rules.ts'\nObject.keys(RULES)\nconst all = { ...SEEN }\n'a' in RULES\n",
    ),
    sourceOf(
      'right.ts',
      "import { RULES, SEEN } from './rules.ts'\nObject.fromEntries(RULES)\nconst all = [...SEEN]\n",
    ),
    sourceOf('other.ts', "const RULES = { a: 'b' }\nObject.keys(RULES)\n"),
  ])
  expect(found).toEqual(['keys.ts:2 reads RULES', 'keys.ts:3 reads SEEN', 'keys.ts:4 reads RULES'])
})
