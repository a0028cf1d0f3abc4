// The words of messages about monitors from which many checks fail.
import type { Fact, Message } from '../channels/channel.ts'
import { count, duration, list, oneLine, time } from '../channels/wording.ts'
import type { FailingData } from '../domain/events/event.ts'
import { TOLD_BY_MONITOR_MS } from '../domain/monitors/failing-rule.ts'

type Words = Omit<Message, 'link' | 'facts'> & { facts: readonly (Fact | false)[] }

const MAX_NAMED = 10

export function monitorFailing(data: FailingData): Words {
  const { checks, ran, is_estimate = false } = data
  const unknown = checks.filter(({ elsewhere }) => elsewhere === 'unknown')
  const up = checks.filter(({ elsewhere }) => elsewhere === 'up')
  const number = count(data.total ?? checks.length, 'check')
  // It is told in place of their own alerts.
  const isDown = unknown.some(({ down_since }) => down_since !== undefined)
  return {
    severity: isDown ? 'down' : 'warning',
    title: `FAILING: ${monitorOf(data)}, ${is_estimate ? 'about ' : ''}${number}`,
    lines: [
      `${is_estimate ? 'About ' : ''}${number} of ${ran} fail from ${monitorOf(data)} since ${time(data.since)}, and from nowhere else. Look after the monitor and its network.`,
      ...(up.length > 0 ? [`Up from other monitors: ${named(up, data)}.`] : []),
      ...(unknown.length > 0 ? [`Not seen by any other monitor: ${named(unknown, data)}.`] : []),
      unknown.length > 0
        ? `Their own alerts wait until another monitor sees them failing. Those that no other monitor sees are sent after ${duration(TOLD_BY_MONITOR_MS / 1000)}.`
        : 'Their own alerts wait until another monitor sees them failing.',
    ],
    facts: facts(data),
  }
}

export function monitorSettled(data: FailingData, timestamp: string): Words {
  const { checks, reason, since, duration_sec = (Date.parse(timestamp) - Date.parse(since)) / 1000 } = data
  return {
    severity: reason === 'recovered' ? 'up' : 'info',
    title: `No longer failing: ${monitorOf(data)}, after ${duration(duration_sec)}`,
    lines: [
      why(data),
      ...(checks.length > 0 ? [`Still failing there alone, and told one by one: ${named(checks, data)}.`] : []),
    ],
    facts: facts(data),
  }
}

function why({ reason, ...data }: FailingData): string {
  const name = monitorOf(data)
  if (reason === 'confirmed') return `Other monitors see the checks of ${name} failing as well: each is told by itself.`
  if (reason === 'silent') return `${name} sends no more results of most of its checks.`
  return `The checks of ${name} succeed again.`
}

function monitorOf({ monitor: { name, id } }: Pick<FailingData, 'monitor'>): string {
  return oneLine(name, 60) || id
}

/** The first of them. How many more there are is known only when the event lists all. */
function named(checks: FailingData['checks'], { checks: listed, total = 0 }: FailingData): string {
  const names = checks.map(({ name }) => oneLine(name, 100))
  return total > listed.length ? `${names.slice(0, MAX_NAMED).join(', ')} and others` : list(names, MAX_NAMED)
}

function facts({ monitor }: FailingData): Fact[] {
  return [{ label: 'Monitor', value: monitor.id }]
}
