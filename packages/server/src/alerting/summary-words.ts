// The words of a summary.
import type { SummaryData } from '../domain/events/event.ts'
import { count, list, oneLine, time } from '../channels/wording.ts'

const LISTED = 20
const KINDS: readonly (readonly [ending: string, words: string])[] = [
  ['monitor.settled', 'about monitoring'],
  ['.down', 'DOWN'],
  ['.up', 'UP'],
  ['.reminder', 'still DOWN'],
  ['.degraded', 'degraded'],
  ['.undegraded', 'no longer degraded'],
  ['.certificate', 'about a certificate'],
  ['.renewed', 'about a renewed certificate'],
  ['.acknowledged', 'acknowledged'],
  ['.flapping', 'flapping'],
  ['.settled', 'no longer flapping'],
]

interface Words {
  severity: 'down' | 'warning' | 'up'
  title: string
  lines: string[]
  facts: { label: string; value: string }[]
}

export function summaryWords(data: SummaryData): Words {
  const { since, until, down_count, offline, offline_count, unmonitored_count } = data
  const alerts = count(data.count, 'more alert')
  const [day, clock] = time(since).split(' ')
  const isSameDay = time(until).startsWith(day ?? '')
  return {
    severity: down_count > 0 ? 'down' : offline_count + unmonitored_count > 0 ? 'warning' : 'up',
    title: `${alerts} since ${isSameDay ? `${(clock ?? '').slice(0, 5)} UTC` : time(since)}: ${down_count === 0 ? 'nothing is down now' : `${down_count} down now`}`,
    lines: [
      `${count(data.count, 'alert')} since ${time(since)} ${data.count === 1 ? 'was' : 'were'} not sent one by one, because more came than this channel takes in a short time: ${kinds(data)}.`,
      ...down(data),
      ...(offline_count === 0 ? [] : [`Monitors offline: ${named(offline, offline_count)}.`]),
      ...(unmonitored_count === 0 ? [] : [`Not monitored: ${count(unmonitored_count, 'check')}.`]),
      'The delivery log of the channel lists each of them.',
    ],
    facts: [{ label: 'As of', value: time(until) }],
  }
}

function kinds({ counts }: SummaryData): string {
  const numbers = new Map<string, number>()
  for (const { type, count: number } of counts) {
    const words = KINDS.find(([ending]) => type.endsWith(ending))?.[1] ?? 'about monitoring'
    numbers.set(words, (numbers.get(words) ?? 0) + number)
  }
  return [...numbers].map(([words, number]) => `${number} ${words}`).join(', ')
}

function down({ checks, heartbeats, down_count, until }: SummaryData): string[] {
  if (down_count === 0) return [`Nothing is down at ${time(until)}.`]
  const all = [...checks, ...heartbeats].toSorted((a, b) => (a.since < b.since ? -1 : 1))
  const shown = all.slice(0, LISTED).map(({ name, since }) => `- ${oneLine(name, 100)} (since ${time(since)})`)
  const rest = down_count - shown.length
  return [
    `Down at ${time(until)}:`,
    ...shown,
    ...(rest > 0 ? [`and ${rest} more`] : ['Everything else that was down is up again.']),
  ]
}

function named(some: readonly { id: string; name: string; since: string }[], all: number): string {
  const names = some.map(({ id, name, since }) => `${oneLine(name, 60) || id} (since ${time(since)})`)
  const shown = list(names.slice(0, 10))
  return all > 10 ? `${shown} and ${all - 10} more` : shown
}
