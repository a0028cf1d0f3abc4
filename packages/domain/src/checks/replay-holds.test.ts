// How long the check that another depends on holds its alerts, over random histories.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { text } from '../../test/ledger.ts'
import { Dependency } from './replay-holds.ts'
import { patienceMs } from './unmonitored.ts'

const TURN_MS = 20_000
const MONITORS = ['A', 'B', 'C']
const OTHER = {
  ...{ guid: 'gateway', name: 'Gateway', is_live: true, threshold: 1, interval_sec: TURN_MS / 1000 },
  ...{ monitors: MONITORS.length, down_places: 0, down_majority: false, up_successes: 0 },
} as ConstructorParameters<typeof Dependency>[0]
const PATIENCE_MS = patienceMs({ interval_sec: TURN_MS / 1000, timeout_sec: 0, monitors: MONITORS.length })

/** Who is there for a while: monitors join, leave, are disabled and fall silent. */
const spells = fc.array(
  fc.record({ turns: fc.integer({ min: 1, max: 20 }), there: fc.subarray(MONITORS), success: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
)

test('a check holds those that depend on it while it is down and somebody watches it, and no longer', () => {
  fc.assert(
    fc.property(spells, (history) => {
      const dependency = new Dependency(OTHER, { interval_sec: 60 })
      let turn = 0
      let last: { at_ms: number; success: boolean } | undefined
      for (const { turns, there, success } of history) {
        for (const end = turn + turns; turn < end; turn++) {
          const [at_ms, monitor_id = ''] = [turn * TURN_MS, MONITORS[turn % MONITORS.length]]
          const at = text(at_ms)
          if (there.includes(monitor_id)) {
            dependency.take({ at, monitor_id, success })
            last = { at_ms, success }
          }
          const isWatched = last !== undefined && at_ms - last.at_ms < PATIENCE_MS
          const hold = dependency.holdAt(new Date(at), text(0))
          expect(hold?.until === null).toBe(isWatched && !last?.success)
          if (!isWatched) expect(hold).toBeUndefined()
        }
      }
    }),
    { numRuns: 200 },
  )
})
