// Tables that are read by a name from outside are maps.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse, readSources, sourceOf } from '../../../../scripts/testing/laws.ts'
import { findLookups } from '../../../../scripts/testing/lookups.ts'

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
