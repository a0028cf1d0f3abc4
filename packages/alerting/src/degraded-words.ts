// Words the messages about checks that are degraded.
import type { Fact } from '@dogwatch/channels/channel'
import { count, duration, oneLine, time } from '@dogwatch/channels/wording'
import type { CertificateData, DegradedData } from '@dogwatch/domain/events/event'
import { type AlertWords, nameOf, secondsBetween, targetOf } from './alert-words.ts'

export function checkDegraded(data: DegradedData): AlertWords {
  const name = oneLine(data.check.name)
  const { results = 1, degraded_over_ms: over_ms, cause } = data
  if (cause !== undefined) {
    return {
      severity: 'warning',
      title: `Degraded: ${name} (${oneLine(cause)})`,
      lines: [
        `${name} has been degraded since ${time(data.since)}: ${oneLine(cause)}.`,
        `${name} is still up. Degraded time does not count as downtime.`,
      ],
      facts: [targetOf(data.check)],
    }
  }
  return {
    severity: 'warning',
    title: `Degraded: ${name} (slower than ${over_ms} ms)`,
    lines: [
      `${name} has been degraded since ${time(data.since)}.`,
      `${count(results, 'response')}${results > 1 ? ' in a row' : ''} took longer than ${over_ms} ms.`,
      `${name} is still up. Degraded time does not count as downtime.`,
    ],
    facts: speedFacts(data),
  }
}

export function checkUndegraded(data: DegradedData, timestamp: string): AlertWords {
  const name = oneLine(data.check.name)
  const { since, ended_at = timestamp, duration_sec = secondsBetween(since, ended_at) } = data
  const long = duration(duration_sec)
  return {
    severity: 'up',
    title: `No longer degraded: ${name} ${data.reason === 'rules' ? '(thresholds changed)' : `after ${long}`}`,
    lines: [
      `${name} was degraded for ${long}, from ${time(since)} to ${time(ended_at)}.`,
      ...(data.reason === 'rules'
        ? [`${name} no longer counts as degraded, because the thresholds of the check were changed.`]
        : []),
    ],
    facts: data.degraded_over_ms === 0 ? [targetOf(data.check)] : speedFacts(data),
  }
}

export function certificateEnds(data: CertificateData): AlertWords {
  const name = oneLine(data.check.name)
  const { days_left, warn_days, expires_at } = data
  const left = days_left === 0 ? 'within 1 day' : `in ${count(days_left, 'day')}`
  return {
    severity: 'warning',
    title: days_left < 0 ? `Certificate expired: ${name}` : `Certificate expires soon: ${name} (${left})`,
    lines: [
      days_left < 0
        ? `The certificate of ${name} expired at ${time(expires_at)}.`
        : `The certificate of ${name} expires at ${time(expires_at)}.`,
      'Renew the certificate.',
      warnsAt(warn_days),
    ],
    facts: certificateFacts(data),
  }
}

export function certificateRenewed(data: CertificateData): AlertWords {
  const name = oneLine(data.check.name)
  const { days_left, warn_days, expires_at, reason } = data
  const left = count(days_left, 'day')
  return {
    severity: 'up',
    title: `${reason === 'rules' ? 'Certificate warning cleared' : 'Certificate renewed'}: ${name} (${reason === 'rules' ? 'warning period changed' : `expires in ${left}`})`,
    lines: [
      `The ${reason === 'rules' ? '' : 'new '}certificate of ${name} expires at ${time(expires_at)}, in ${left}.`,
      reason === 'rules'
        ? `The warning is cleared, because the check now warns only when fewer than ${count(warn_days, 'day')} remain.`
        : warnsAt(warn_days),
    ],
    facts: certificateFacts(data),
  }
}

function warnsAt(days: number): string {
  return `The check is set to warn when fewer than ${count(days, 'day')} remain.`
}

function certificateFacts({ check, monitor, ran_at }: CertificateData): (Fact | false)[] {
  return [targetOf(check), { label: 'Certificate seen', value: `${time(ran_at)} from ${nameOf(monitor)}` }]
}

function speedFacts({ check, monitor, ran_at, latency_ms }: DegradedData): (Fact | false)[] {
  return [targetOf(check), { label: 'Last result', value: `${time(ran_at)} from ${nameOf(monitor)}: ${latency_ms} ms` }]
}
