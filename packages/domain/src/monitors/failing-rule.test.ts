// Which failures say more about a monitor than about checks: the rule by itself.

import type { Sight } from '@dogwatch/store/checks/failing-monitors'
import { describe, expect, test } from '@jest/globals'
import { failingAlone, isGroup, isOver, isSuspicious, whyOver } from './failing-rule.ts'

/** `F`: it fails, `L`: it has failed for long, `S`: it succeeds, `-`: no fresh result. A letter for each check. */
function sights(seen: Record<string, string>): Sight[] {
  return Object.entries(seen).flatMap(([monitor_id, letters]) =>
    Array.from(letters).flatMap((letter, check_id) =>
      letter === '-' ? [] : [{ check_id, monitor_id, success: letter === 'S', was_well: letter === 'F' }],
    ),
  )
}
const groupOf = (seen: Record<string, string>) => {
  const ran = Array.from(seen.A ?? '').filter((letter) => letter !== '-').length
  return isGroup(failingAlone(sights(seen)).get('A') ?? [], ran)
}

describe('a group', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['twelve of the only monitor', { A: 'F'.repeat(12) }, true],
    ['eleven', { A: 'F'.repeat(11) }, false],
    ['twelve that others see well', { A: 'F'.repeat(12), B: 'S'.repeat(12) }, true],
    ['thirteen, of which two fail elsewhere', { A: 'F'.repeat(13), B: `FF${'S'.repeat(11)}` }, false],
    ['fourteen, of which two fail elsewhere', { A: 'F'.repeat(14), B: `FF${'S'.repeat(12)}` }, true],
    ['half of what it runs', { A: 'F'.repeat(20) + 'S'.repeat(20) }, true],
    ['less than half of it', { A: 'F'.repeat(20) + 'S'.repeat(21) }, false],
    ['what has failed for long', { A: `${'F'.repeat(11)}${'L'.repeat(9)}` }, false],
    ['results that are not fresh', { A: `${'F'.repeat(12)}${'-'.repeat(30)}` }, true],
  ])('%s: %#', (_, seen, expected) => {
    expect(groupOf(seen)).toBe(expected)
  })

  test('is over with fewer than six', () => {
    const alone = (n: number) => failingAlone(sights({ A: 'L'.repeat(n) })).get('A') ?? []
    expect([isOver(alone(6)), isOver(alone(5)), isOver(alone(0))]).toEqual([false, true, true])
  })

  test.each<[Record<string, string>, string]>([
    [{ A: 'S'.repeat(12) }, 'recovered'],
    [{ A: `FFFFF${'S'.repeat(7)}` }, 'recovered'],
    [{ A: 'F'.repeat(12), B: 'F'.repeat(12) }, 'confirmed'],
    [{ A: '-'.repeat(12), B: 'S'.repeat(12) }, 'silent'],
  ])('says why it is over: %j', (seen, reason) => {
    expect(whyOver(sights(seen), 'A', 12)).toBe(reason)
  })
})

test('a few checks are suspicious where the monitor runs few, and an eighth of them where it runs many', () => {
  const least = (checks: number) => Array.from({ length: checks }, (_, n) => n).find((n) => isSuspicious(n, checks))
  expect([11, 12, 24, 80, 500].map(least)).toEqual([undefined, 3, 3, 10, 63])
})
