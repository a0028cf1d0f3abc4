import { expect, test } from '@jest/globals'
import { afterChange, type Changes, NO_CHANGES, settlesAt } from './flapping.ts'

const at = (minute: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + minute * 60_000).toISOString()

/** Changes at these minutes, by turns, and what is told of each. `untold`: minutes at which a failure ends that nobody was told of. */
function tell(
  minutes: readonly number[],
  isDownFirst: boolean,
  untold: readonly number[] = [],
): { told: string[]; last: Changes } {
  let last = NO_CHANGES
  const told = minutes.map((minute, n) => {
    const [changes, telling] = afterChange(last, {
      at: at(minute),
      isDown: (n % 2 === 0) === isDownFirst,
      wasTold: !untold.includes(minute),
    })
    last = changes
    return telling
  })
  return { told, last }
}

test('the fifth change within 30 minutes is told as flapping, and what follows is not told', () => {
  const { told, last } = tell([0, 1, 2, 3, 4, 5, 6], true)
  expect(told).toEqual(['change', 'change', 'change', 'change', 'flapping', 'nothing', 'nothing'])
  expect(last).toMatchObject({ flapping_since: at(0), change_count: 7 })
  expect(settlesAt(last, false)).toBe(Date.parse(at(36)))
})

test('a flapping check that is down has settled after seven and a half minutes, longer than regular flapping explains', () => {
  const { told, last } = tell([0, 7.4, 14.8, 22.2, 29.6], true)
  expect(told.at(-1)).toBe('flapping')
  expect(settlesAt(last, true)).toBe(Date.parse(at(37.1)))
  expect(tell([0, 7.5, 15, 22.5, 30], true).told.at(-1)).toBe('change')
})

test('a failure that nobody was told of does not count, nor does the flapping that it began', () => {
  expect(tell([0, 1, 2, 3, 4, 5, 6], true, [3]).told.at(-1)).toBe('flapping')
  expect(tell([0, 1, 2, 3, 4, 5, 6], true, [1, 3]).told.at(-1)).toBe('change')
  const { told, last } = tell([0, 1, 2, 3, 4, 5], true, [5])
  expect(told.slice(4)).toEqual(['flapping', 'retracted'])
  expect(last).toEqual({ changes: [at(0), at(1), at(2), at(3)], flapping_since: null, change_count: 0 })
  expect(tell([0, 1, 2, 3, 4, 5, 6, 7], true, [7]).told.slice(4)).toEqual(['flapping', 'nothing', 'nothing', 'nothing'])
})

test('a check that comes up is told even so: nobody is left with an incident that never ended', () => {
  const { told } = tell([0, 1, 2, 3, 4, 5, 6], false)
  expect(told).toEqual(['change', 'change', 'change', 'change', 'change', 'flapping', 'nothing'])
})

test('five changes in more than 30 minutes are told one by one', () => {
  expect(new Set(tell([0, 8, 16, 24, 32, 40, 48], true).told)).toEqual(new Set(['change']))
  expect(settlesAt(NO_CHANGES, false)).toBeNull()
})
