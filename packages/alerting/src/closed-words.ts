// Words the messages about incidents that ended without an alert. Only receivers that open and close incidents get them.
import { oneLine, time } from '@dogwatch/channels/wording'
import type { ClosedData } from '@dogwatch/domain/events/event'
import { type AlertWords, targetOf } from './alert-words.ts'

/**
 * Reason why an incident ended without an alert, in words: one form for the title and one for a sentence. `thing` is a check or a
 * heartbeat.
 */
const WHY: Readonly<Record<ClosedData['reason'], (thing: string) => readonly [title: string, because: string]>> = {
  paused: (thing) => [`${thing} paused`, `the ${thing} was paused`],
  deleted: (thing) => [`${thing} deleted`, `the ${thing} was deleted`],
  rules: (thing) => [`${thing} settings changed`, `the settings of the ${thing} were changed`],
  unassigned: (thing) => ['no monitor assigned', `the ${thing} has no monitor`],
}
const WHAT: Readonly<Record<ClosedData['closes'], string>> = {
  'check.down': 'Down',
  'heartbeat.down': 'Down',
  'check.degraded': 'Degraded',
  'check.certificate': 'Certificate',
  'check.flapping': 'Flapping',
  'check.unmonitored': 'Not monitored',
}

export function closed(data: ClosedData): AlertWords {
  const { check, checks = [], heartbeat, closes, since, reason } = data
  const others = Math.max(0, checks.length - 1)
  const name = `${oneLine(check?.name ?? heartbeat?.name ?? '')}${others > 0 ? ` and ${others} more` : ''}`
  const [why, because] = WHY[reason](heartbeat ? 'heartbeat' : 'check')
  return {
    severity: 'info',
    title: `Closed: ${name} (${why})`,
    lines: [
      `The “${WHAT[closes]}” alert about ${name} is closed, because ${because}.`,
      `The alert had been open since ${time(since)}.`,
    ],
    facts: [targetOf(check ?? {})],
  }
}
