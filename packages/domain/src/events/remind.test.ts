import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nextReminder } from './remind.ts'

const TOLD = Date.parse('2026-11-20T12:00:00Z')
const text = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

describe('nextReminder', () => {
  const told = { told_at: text(TOLD), reminders: 2 }
  const cases: { name: string; resend_interval_sec: number; after_ms: number; want: string }[] = [
    { name: 'never when reminders are off', resend_interval_sec: 0, after_ms: 1e9, want: 'none' },
    { name: 'not a moment too soon', resend_interval_sec: 600, after_ms: 599_999, want: 'wait' },
    { name: 'when the interval has passed', resend_interval_sec: 600, after_ms: 600_000, want: 'send' },
    { name: 'once, however long the pause was', resend_interval_sec: 600, after_ms: 86_400_000, want: 'send' },
    { name: 'not while the clock is behind', resend_interval_sec: 600, after_ms: -5000, want: 'wait' },
  ]
  test.each(cases)('$name', ({ resend_interval_sec, after_ms, want }) => {
    expect(nextReminder({ ...told, resend_interval_sec }, new Date(TOLD + after_ms)).kind).toBe(want)
  })

  test('it is counted, and a wait says until when', () => {
    const one = { ...told, resend_interval_sec: 600 }
    expect(nextReminder(one, new Date(TOLD + 600_000))).toEqual({ kind: 'send', reminder: 3 })
    expect(nextReminder(one, new Date(TOLD))).toEqual({ kind: 'wait', until: text(TOLD + 600_000) })
  })
})

test('however often somebody looks, and however the interval changes, two are never closer than was wanted', () => {
  const looks = fc.array(fc.record({ wait_ms: fc.nat(2_000_000), resend_interval_sec: fc.nat(1200) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(looks, (all) => {
      let now = TOLD
      let told = { told_at: text(TOLD), reminders: 0 }
      for (const { wait_ms, resend_interval_sec } of all) {
        now += wait_ms
        const next = nextReminder({ ...told, resend_interval_sec }, new Date(now))
        const passed = now - Date.parse(told.told_at)
        expect(next.kind === 'send').toBe(resend_interval_sec > 0 && passed >= resend_interval_sec * 1000)
        if (next.kind === 'send') {
          expect(next.reminder).toBe(told.reminders + 1)
          told = { told_at: text(now), reminders: next.reminder }
        }
      }
    }),
  )
})
