// The words of messages about what ended without an alert. Only receivers that keep incidents get them.
import type { Fact, Message } from '../channels/channel.ts'
import { oneLine, time } from '../channels/wording.ts'
import type { ClosedData } from '../domain/events/event.ts'

const WHY: Readonly<Record<ClosedData['reason'], string>> = {
  paused: 'was paused',
  deleted: 'was deleted',
  rules: 'no longer has a rule for it',
  unassigned: 'has no monitor any more',
}
const WHAT: Readonly<Record<ClosedData['closes'], string>> = {
  'check.down': 'down',
  'heartbeat.down': 'down',
  'check.degraded': 'slow',
  'check.certificate': 'warned about because of its certificate',
  'check.flapping': 'flapping',
  'check.unmonitored': 'not monitored',
}

export function closed(data: ClosedData): Omit<Message, 'link' | 'facts'> & { facts: readonly (Fact | false)[] } {
  const { check, checks = [], heartbeat, closes, since, reason } = data
  const others = Math.max(0, checks.length - 1)
  const name = `${oneLine(check?.name ?? heartbeat?.name ?? '')}${others > 0 ? ` and ${others} more` : ''}`
  return {
    severity: 'info',
    title: `CLOSED: ${name}`,
    lines: [`${name} ${WHY[reason]}.`, `It was ${WHAT[closes]} since ${time(since)}.`],
    facts: [check?.url !== undefined && { label: 'Target', value: oneLine(check.url) }],
  }
}
