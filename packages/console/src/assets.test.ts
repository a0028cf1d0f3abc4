// What a visitor downloads stays small.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { ASSET_BYTES } from './assets.ts'

const weightOf = (ending: string) =>
  ASSET_BYTES.filter(({ path }) => path.endsWith(ending)).reduce((sum, { gzipped }) => sum + gzipped, 0)

test('all scripts together, with the charts, are at most 40 kB compressed', () => {
  expect(weightOf('.js')).toBeGreaterThan(10_000)
  expect(weightOf('.js')).toBeLessThanOrEqual(40_000)
})

test('the marks of a legend have the colours of the lines: what draws them comes first', () => {
  const style = readFileSync(new URL('../assets/styles/check-page.css', import.meta.url), 'utf8')
  const [mark, line] = [style.indexOf('\n.key {'), style.indexOf('\n.l1 {')]
  expect(mark).toBeGreaterThan(0)
  expect(mark).toBeLessThan(line)
})

test('the stylesheet and the script of every page are at most 12 kB and 14 kB compressed', () => {
  expect(weightOf('/style.css')).toBeLessThanOrEqual(12_000)
  expect(weightOf('/script.js')).toBeLessThanOrEqual(14_000)
})
