// Durations, percentages and numbers have one formatter each, in channels/wording.ts, and times of a zone in console/times.ts.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse } from '../../../../scripts/testing/laws.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const HOMES = new Set(['channels/wording.ts', 'console/times.ts', 'domain/zone-clock.ts'])

/** What a formatter made by hand looks like. */
const BY_HAND: Readonly<Record<string, RegExp>> = {
  'a number or a time': /\.toLocale(?:Date|Time)?String\(|Intl\.NumberFormat/,
  'a time of a zone': /new Intl\.DateTimeFormat/,
  'a duration': /\['?(?:d|h|min)'?, *(?:86_?400|3_?600|60)\]|\[(?:86_?400|3_?600|60), *'(?:d|h|min)'\]/,
  'a percentage': /\}%(?=[`\s<.,)])|\} %(?=[`\s<.,)])/,
}

function foundIn(path: string, text: string): string[] {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  return Object.entries(BY_HAND).flatMap(([what, pattern]) => (pattern.test(code) ? [`${path}: ${what}`] : []))
}

test('no other file formats them by hand', () => {
  const files = readHouse(PACKAGES).filter(({ path }) => !HOMES.has(path))
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(({ path, text }) => foundIn(path, text))).toEqual([])
})

test.each([
  'const text = number.toLocaleString()',
  'new Intl.NumberFormat("en")',
  "new Intl.DateTimeFormat('en-GB')",
  "const UNITS = [['d', 86_400], ['h', 3600]]",
  "const STEPS = [[86400, 'd']]",
  'const text = `${share}%`',
  '<td>{share} % of runs</td>',
])('%s is found', (planted) => {
  expect(foundIn('planted.ts', planted)).toHaveLength(1)
})
