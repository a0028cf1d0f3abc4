// Words the messages about monitors from which many checks fail.
import type { Fact } from '@dogwatch/channels/channel'
import { count, duration, list, numberText, oneLine, time } from '@dogwatch/channels/wording'
import type { FailingData } from '@dogwatch/domain/events/event'
import { TOLD_BY_MONITOR_MS } from '@dogwatch/domain/monitors/failing-rule'
import { type AlertWords, nameOf, secondsBetween } from './alert-words.ts'

const MAX_NAMED = 10

export function monitorFailing(data: FailingData): AlertWords {
  const { checks, ran, is_estimate = false } = data
  const unknown = checks.filter(({ elsewhere }) => elsewhere === 'unknown')
  const up = checks.filter(({ elsewhere }) => elsewhere === 'up')
  const number = count(data.total ?? checks.length, 'check')
  // The message about the monitor replaces the alerts of its checks, so it is as severe as they are.
  const isDown = unknown.some(({ down_since }) => down_since !== undefined)
  return {
    severity: isDown ? 'down' : 'warning',
    title: `Failing: ${monitorOf(data)} (${is_estimate ? 'about ' : ''}${number})`,
    lines: [
      `${is_estimate ? 'About ' : ''}${numberText(data.total ?? checks.length)} of ${count(ran, 'check')} have been failing from ${monitorOf(data)} since ${time(data.since)}.`,
      'The cause is probably the monitor or its network. Check both first.',
      ...(up.length > 0
        ? [
            `These checks pass from other monitors: ${named(up, data)}. Dogwatch sends no alert about these checks unless they also fail from another monitor.`,
          ]
        : []),
      ...(unknown.length > 0
        ? [
            `No other monitor has recent results for these checks: ${named(unknown, data)}. You will get a separate alert for each of these checks that still fails after ${duration(TOLD_BY_MONITOR_MS / 1000)}.`,
          ]
        : []),
    ],
    facts: facts(data),
  }
}

export function monitorSettled(data: FailingData, timestamp: string): AlertWords {
  const { checks, reason, since, duration_sec = secondsBetween(since, timestamp) } = data
  return {
    severity: reason === 'recovered' ? 'up' : 'info',
    title: `${settledState(data)}: ${monitorOf(data)} (${reason === 'silent' ? 'its checks had been failing for' : 'after'} ${duration(duration_sec)})`,
    lines: [
      why(data),
      ...(checks.length > 0
        ? [
            `These checks still fail, but only from this monitor: ${named(checks, data)}.`,
            'You will get a separate alert for each of these checks.',
          ]
        : []),
    ],
    facts: facts(data),
  }
}

function why({ reason, ...data }: FailingData): string {
  const name = monitorOf(data)
  if (reason === 'confirmed')
    return `The failing checks of ${name} now also fail from other monitors. You will get a separate alert for each of these checks.`
  if (reason === 'silent')
    return `Dogwatch has no recent results from ${name} for most of its checks, so it is unknown whether these checks still fail. Make sure that the monitor is running.`
  return `${data.checks.length > 0 ? 'Most checks' : 'The checks'} of ${name} are passing again.`
}

function settledState({ reason }: FailingData): string {
  if (reason === 'confirmed') return 'Failures confirmed'
  return reason === 'silent' ? 'No recent results' : 'No longer failing'
}

/** Returns words such as `monitor rack 4`. */
function monitorOf({ monitor }: Pick<FailingData, 'monitor'>): string {
  return `monitor ${nameOf(monitor)}`
}

/** Lists the names of the first checks. Says how many others there are only if the event lists all checks. */
function named(checks: FailingData['checks'], { checks: listed, total = 0 }: FailingData): string {
  const names = checks.map(({ name }) => oneLine(name, 100))
  return total > listed.length ? `${names.slice(0, MAX_NAMED).join(', ')} and others` : list(names, MAX_NAMED)
}

function facts({ monitor }: FailingData): Fact[] {
  return [{ label: 'Monitor ID', value: monitor.id }]
}
