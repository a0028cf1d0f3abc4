// The table of rate limits in docs/operate/overload.md.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import * as rates from '../src/limits/rates.ts'

test('operators read every rate limit as the server applies it', () => {
  const text = readFileSync(new URL('../../server/docs/operate/overload.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| ([\d,]+) \| (\d+ (?:a|an|every) [\w ]+) \|$/gm)]
  const told = rows.map(([, name, burst = '', pace]) => `${name}: ${burst.replace(',', '')}, then ${pace}`)
  const applied = Object.values(rates).map(({ name, burst, per_sec }) => `${name}: ${burst}, then ${paceOf(per_sec)}`)
  expect(told.toSorted()).toEqual(applied.toSorted())
  expect(new Set(Object.values(rates).map(({ name }) => name)).size).toBe(told.length)
})

function paceOf(per_sec: number): string {
  if (per_sec >= 1) return `${per_sec} a second`
  const seconds = Math.round(1 / per_sec)
  if (seconds === 60) return '1 a minute'
  if (seconds === 3600) return '1 an hour'
  return seconds < 60 ? `1 every ${seconds} s` : `1 every ${seconds / 60} minutes`
}
