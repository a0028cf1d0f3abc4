// The words of messages about checks that are degraded.
import type { Fact, Message } from '../channels/channel.ts'
import { count, duration, oneLine, time } from '../channels/wording.ts'
import type { CertificateData, CheckSubject, DegradedData } from '../domain/events/event.ts'

type Words = Omit<Message, 'link' | 'facts'> & { facts: readonly (Fact | false)[] }

export function checkDegraded(data: DegradedData): Words {
  const name = oneLine(data.check.name)
  const { results = 1, degraded_over_ms: over_ms } = data
  return {
    severity: 'warning',
    title: `DEGRADED: ${name} is slow`,
    lines: [
      results > 1
        ? `${name} has been slow since ${time(data.since)}: ${count(results, 'result')} in a row took longer than ${over_ms} ms.`
        : `${name} has been slow since ${time(data.since)}: a result took longer than ${over_ms} ms.`,
      'It is up: this does not count as downtime.',
    ],
    facts: speedFacts(data),
  }
}

export function checkUndegraded(data: DegradedData, timestamp: string): Words {
  const name = oneLine(data.check.name)
  const { since, ended_at = timestamp, duration_sec = secondsBetween(since, ended_at) } = data
  const long = duration(duration_sec)
  return {
    severity: 'up',
    title: `No longer degraded: ${name}, after ${long}`,
    lines: [
      data.reason === 'rules'
        ? `${name} no longer counts as slow: its thresholds have changed.`
        : `${name} has not been slow any more since ${time(ended_at)}.`,
      `It was slow for ${long}, since ${time(since)}.`,
    ],
    facts: speedFacts(data),
  }
}

export function certificateEnds(data: CertificateData): Words {
  const name = oneLine(data.check.name)
  const { days_left, warn_days, expires_at } = data
  const left =
    days_left < 0 ? 'has ended' : days_left === 0 ? 'ends within a day' : `ends in ${count(days_left, 'day')}`
  return {
    severity: 'warning',
    title: `CERTIFICATE: ${name} ${left}`,
    lines: [
      days_left < 0
        ? `The certificate of ${name} ended at ${time(expires_at)}.`
        : `The certificate of ${name} ends at ${time(expires_at)}.`,
      `The check warns when fewer than ${count(warn_days, 'day')} are left.`,
    ],
    facts: [target(data.check), { label: 'Seen', value: `${time(data.ran_at)} by ${by(data.monitor)}` }],
  }
}

export function certificateRenewed(data: CertificateData): Words {
  const name = oneLine(data.check.name)
  const { days_left, warn_days, expires_at, reason } = data
  return {
    severity: 'up',
    title: `Certificate renewed: ${name}`,
    lines: [
      `The certificate of ${name} ends at ${time(expires_at)}, in ${count(days_left, 'day')}.`,
      `The check warns when fewer than ${count(warn_days, 'day')} are left.`,
    ],
    facts: [target(data.check), { label: 'Seen', value: `${time(data.ran_at)} by ${by(data.monitor)}` }],
    ...(reason === 'rules' && { title: `No certificate warning any more: ${name}` }),
  }
}

function speedFacts({ check, monitor, ran_at, latency_ms }: DegradedData): (Fact | false)[] {
  return [target(check), { label: 'Last result', value: `${time(ran_at)} by ${by(monitor)}: ${latency_ms} ms` }]
}

function target({ url }: CheckSubject): Fact | false {
  return url !== undefined && { label: 'Target', value: oneLine(url) }
}

function by({ id, name }: { id: string; name: string }): string {
  return oneLine(name, 60) || id
}

function secondsBetween(since: string, until: string): number {
  return (Date.parse(until) - Date.parse(since)) / 1000
}
