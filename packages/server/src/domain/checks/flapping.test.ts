import { expect, test } from '@jest/globals'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from './flapping.ts'

const at = (minute: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + minute * 60_000).toISOString()

/** Changes at these minutes, by turns, and what is told of each. */
function tell(minutes: readonly number[], isDownFirst: boolean): { told: string[]; last: Changes } {
  let last = NO_CHANGES
  const told = minutes.map((minute, n) => {
    const [changes, telling] = afterChange(last, at(minute), (n % 2 === 0) === isDownFirst)
    last = changes
    return telling
  })
  return { told, last }
}

test('the fifth change within 30 minutes is told as flapping, and what follows is not told', () => {
  const { told, last } = tell([0, 1, 2, 3, 4, 5, 6], true)
  expect(told).toEqual(['change', 'change', 'change', 'change', 'flapping', 'nothing', 'nothing'])
  expect(last).toMatchObject({ flapping_since: at(0), change_count: 7 })
  expect(settlesAt(last)).toBe(Date.parse(at(36)))
})

test('a check that comes up is told even so: nobody is left with an incident that never ended', () => {
  const { told } = tell([0, 1, 2, 3, 4, 5, 6], false)
  expect(told).toEqual(['change', 'change', 'change', 'change', 'change', 'flapping', 'nothing'])
})

test('five changes in more than 30 minutes are told one by one', () => {
  expect(new Set(tell([0, 8, 16, 24, 32, 40, 48], true).told)).toEqual(new Set(['change']))
  expect(settlesAt(NO_CHANGES)).toBeNull()
})
