// Words a summary, which replaces the alerts that exceed a channel's limit.

import { count, list, numberText, oneLine, time } from '@dogwatch/channels/wording'
import type { SummaryData } from '@dogwatch/domain/events/event'
import { type AlertWords, nameOf } from './alert-words.ts'

const LISTED = 20
const KINDS: readonly (readonly [ending: string, words: string])[] = [
  ['monitor.settled', 'about monitoring'],
  ['.down', 'down'],
  ['.up', 'recovered'],
  ['.reminder', 'still down'],
  ['.degraded', 'degraded'],
  ['.undegraded', 'no longer degraded'],
  ['.certificate', 'about a certificate'],
  ['.renewed', 'about a renewed certificate'],
  ['.acknowledged', 'acknowledged'],
  ['.flapping', 'flapping'],
  ['.settled', 'no longer flapping'],
]

export function summaryWords(data: SummaryData): AlertWords {
  const { since, until, down_count, offline, offline_count, unmonitored_count } = data
  const alerts = count(data.count, 'alert')
  const [day, clock] = time(since).split(' ')
  const isSameDay = time(until).startsWith(day ?? '')
  return {
    severity: down_count > 0 ? 'down' : offline_count + unmonitored_count > 0 ? 'warning' : 'up',
    title: `Summary: ${alerts} since ${isSameDay ? `${(clock ?? '').slice(0, 5)} UTC` : time(since)} (${down_count === 0 ? 'nothing is down now' : `${numberText(down_count)} down now`})`,
    lines: [
      `Since ${time(since)}, ${alerts} exceeded the rate limit of this channel and ${data.count === 1 ? 'was' : 'were'} not sent separately.`,
      `Alerts in this summary: ${kindsOf(data.counts)}.`,
      ...down(data),
      ...(offline_count === 0 ? [] : [`Monitors offline: ${named(offline, offline_count)}.`]),
      ...(unmonitored_count === 0 ? [] : [`Not monitored: ${count(unmonitored_count, 'check')}.`]),
      'The delivery log of the channel lists each alert.',
    ],
    facts: [{ label: 'As of', value: time(until) }],
  }
}

/** Returns the number of alerts of each kind, in words. */
export function kindsOf(counts: SummaryData['counts']): string {
  const numbers = new Map<string, number>()
  for (const { type, count: number } of counts) {
    const words = KINDS.find(([ending]) => type.endsWith(ending))?.[1] ?? 'about monitoring'
    numbers.set(words, (numbers.get(words) ?? 0) + number)
  }
  return [...numbers].map(([words, number]) => `${number} ${words}`).join(', ')
}

function down({ checks, heartbeats, down_count, until }: SummaryData): string[] {
  if (down_count === 0) return [`Nothing was down at ${time(until)}.`]
  const all = [...checks, ...heartbeats].toSorted((a, b) => (a.since < b.since ? -1 : 1))
  const shown = all.slice(0, LISTED).map(({ name, since }) => `- ${oneLine(name, 100)} (since ${time(since)})`)
  const rest = down_count - shown.length
  return [
    `Down as of ${time(until)}:`,
    ...shown,
    ...(rest > 0 ? [`and ${rest} more`] : ['No other check or heartbeat is down.']),
  ]
}

function named(some: readonly { id: string; name: string; since: string }[], all: number): string {
  const names = some.map((one) => `${nameOf(one)} (since ${time(one.since)})`)
  const shown = list(names.slice(0, 10))
  return all > 10 ? `${shown} and ${all - 10} more` : shown
}
