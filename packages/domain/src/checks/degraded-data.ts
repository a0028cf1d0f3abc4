// Builds the data of events about degraded checks, and the reasons that pages show.
import { type DegradedCase, subjectOfDegradation } from '@dogwatch/store/checks/degradations'
import type { CertificateData, DegradedData } from '../events/event.ts'
import type { EventToRaise } from '../events/raise.ts'
import { type Certificate, daysLeft, type Speed } from './degraded.ts'
import { checkSubject, endOf } from './event-data.ts'
import type { HealthChange } from './health.ts'

type DegradedSubject = DegradedCase & { degradation_id: string }

/** A result with the time of its run as the agent sent it, in addition to the time that counts. */
type Ran<One> = One & { ran_at: string }
type Names = ReadonlyMap<string, string>

/** Returns a reason such as `slower than 800 ms`. */
export function slowReason({ degraded_over_ms }: Pick<DegradedSubject, 'degraded_over_ms'>): string {
  return `slower than ${degraded_over_ms} ms`
}

/** Returns a reason such as `certificate expires on 2026-12-01`. */
export function certificateReason({ cert_expires_at }: Certificate): string {
  return `certificate expires on ${cert_expires_at.slice(0, 10)}`
}

/** Builds the event that a check became degraded by its speed, or is no longer degraded. */
export function slowEvent(
  check: DegradedSubject,
  change: Exclude<HealthChange, { kind: 'none' }>,
  newest: Ran<Speed>,
  names: Names,
): EventToRaise {
  const { org_id, check_id, degradation_id } = check
  const data: DegradedData = {
    org: { name: check.org_name },
    check: checkSubject(check),
    ...(change.kind === 'down'
      ? { state: 'degraded', previous_state: 'up', since: change.since, results: change.failures }
      : {
          state: 'up',
          previous_state: 'degraded',
          ...endOf(check.slow_since ?? change.ended_at, change.ended_at),
          reason: change.reason === 'threshold' ? 'rules' : 'recovered',
        }),
    degradation_id,
    degraded_over_ms: check.degraded_over_ms,
    monitor: monitorOf(newest, names),
    ran_at: newest.ran_at,
    latency_ms: newest.latency_ms,
  }
  const type = change.kind === 'down' ? 'check.degraded' : 'check.undegraded'
  const subject = subjectOfDegradation(check, 'slow')
  return { org_id, type, subject, check_id, incident_id: degradation_id, data: { ...data } }
}

/** Builds the event that the certificate of a check expires soon. */
export function certificateEvent(check: DegradedSubject, seen: Ran<Certificate>, names: Names): EventToRaise {
  return aboutCertificate('check.certificate', check, seen, { names, state: 'degraded' })
}

/** Builds the event that a certificate was renewed, or that the check now warns later. */
export function renewedEvent(
  check: DegradedSubject,
  seen: Ran<Certificate>,
  { names, reason }: { names: Names; reason: 'renewed' | 'rules' },
): EventToRaise {
  return aboutCertificate('check.renewed', check, seen, { names, state: 'up', reason })
}

function aboutCertificate(
  type: 'check.certificate' | 'check.renewed',
  check: DegradedSubject,
  seen: Ran<Certificate>,
  { names, ...is }: Pick<CertificateData, 'state' | 'reason'> & { names: Names },
): EventToRaise {
  const { org_id, check_id, degradation_id, cert_warn_days: warn_days } = check
  const data: CertificateData = {
    org: { name: check.org_name },
    check: checkSubject(check),
    ...is,
    expires_at: seen.cert_expires_at,
    days_left: daysLeft(seen),
    warn_days,
    monitor: monitorOf(seen, names),
    ran_at: seen.ran_at,
  }
  const subject = subjectOfDegradation(check, 'certificate')
  return { org_id, type, subject, check_id, incident_id: degradation_id, data: { ...data } }
}

function monitorOf({ monitor_id: id }: { monitor_id: string }, names: Names): { id: string; name: string } {
  return { id, name: names.get(id) ?? '' }
}
