// Stores the times in which checks were degraded: up, but slow, or with a certificate that expires soon.
import { sql } from 'kysely'
import { type CheckKey, KEY_COLUMNS, keyRows } from '../check-keys.ts'
import type { Db } from '../database.ts'
import { rowsSql } from '../rows-sql.ts'
import type { CheckCase } from './check-health.ts'
import { giveUpOn, type PastIncident } from './incidents.ts'

/** Kind of degradation. `members` and `registration` occur only for checks that the server judges. */
export type DegradationKind = 'slow' | 'certificate' | 'members' | 'registration'

/**
 * Reasons why a degradation ended. `recovered`: results show it. `rules`: the check's thresholds changed. The others cause no
 * alert.
 */
export type DegradationEnd = 'recovered' | 'rules' | 'replaced' | 'disabled' | 'deleted'

/** A check with rules of a kind of degradation, and everything that judging it by them needs. */
export interface DegradedCase
  extends CheckKey,
    Pick<CheckCase, 'guid' | 'name' | 'url' | 'org_name' | 'interval_sec' | 'monitors'>,
    Pick<CheckCase, 'judged_from' | 'late_since' | 'late_from'> {
  degraded_over_ms: number
  /** Slow results in a row that degrade the check, at least one. */
  degraded_after: number
  /** Number of days before the expiry of a certificate at which warnings begin, by both rules of the check, rounded up. */
  cert_warn_days: number
  /** Number of seconds before the expiry at which warnings begin, not rounded. */
  cert_warn_sec: number
  /** Whether some of the check's monitors are still uploading older results. */
  is_catching_up: boolean
  /** Id of the open degradation for slowness. `slow_ended_at`: end of the last closed one. */
  slow_id: string | null
  slow_since: string | null
  slow_ended_at: string | null
  /** Id of the open degradation for the certificate. */
  certificate_id: string | null
  open_expires_at: string | null
  open_warn_days: number | null
  certificate_since: string | null
  /**
   * Whether the open degradation for the certificate caused no event, because an earlier event reported the same certificate.
   */
  is_certificate_untold: boolean
}

/**
 * Lists those of the given checks that are enabled and have rules for degradation. The caller must hold the locks of the checks.
 */
export async function listDegradedCases(db: Db, keys: readonly CheckKey[]): Promise<DegradedCase[]> {
  const { rows } = await sql<DegradedCase>`
    select c.org_id, c.check_id, c.guid, c.name, c.url, o.name as org_name, c.interval_sec, c.degraded_over_ms,
      greatest(c.degraded_after, 1) as degraded_after, m.cert_warn_days, m.cert_warn_sec, wire_time(s.judged_from) as judged_from,
      slow.degradation_id as slow_id, wire_time(slow.began_at) as slow_since, wire_time(over.ended_at) as slow_ended_at,
      cert.degradation_id as certificate_id, wire_time(cert.cert_expires_at) as open_expires_at,
      cert.warn_days as open_warn_days, wire_time(cert.began_at) as certificate_since,
      cert.degradation_id is not null and not exists (
        select from events e where e.org_id = c.org_id and e.incident_id = cert.degradation_id) as is_certificate_untold,
      wire_time(s.late_since) as late_since, wire_time(s.late_from) as late_from, m.monitors, m.is_catching_up
    from ${keyRows(keys)}
    join checks c using (org_id, check_id)
    join organisations o using (org_id)
    left join check_states s using (org_id, check_id)
    left join degradations slow on slow.org_id = c.org_id and slow.check_id = c.check_id and slow.kind = 'slow' and slow.ended_at is null
    left join degradations cert on cert.org_id = c.org_id and cert.check_id = c.check_id and cert.kind = 'certificate' and cert.ended_at is null
    left join lateral (
      select ended_at from degradations
      where org_id = c.org_id and check_id = c.check_id and kind = 'slow' and ended_at is not null
      order by began_at desc limit 1) over on true
    cross join lateral (
      select greatest(count(*) filter (where m.enabled and m.platform_enabled), 1)::integer as monitors,
        coalesce(bool_or(m.catching_up), false) as is_catching_up,
        greatest(c.cert_warn_days, max(a.cert_warn_days)) as cert_warn_days,
        greatest(c.cert_warn_days * 86400,
          max(c.cert_warn_percent * coalesce(a.cert_lifetime_sec, a.cert_lifetime_days * 86400::bigint) / 100.0))::float8 as cert_warn_sec
      from assignments a join monitors m on m.id = a.monitor_id
      where a.org_id = c.org_id and a.check_id = c.check_id and a.active) m
    where c.enabled and not c.deleted and (c.degraded_over_ms > 0 or c.cert_warn_days > 0 or c.cert_warn_percent > 0)
    order by c.org_id, c.check_id`.execute(db)
  return rows
}

export interface NewDegradation extends CheckKey {
  degradation_id: string
  kind: DegradationKind
  began_at: string
  reason: string
  cert_expires_at?: string
  warn_days?: number
  /** End and its reason, if the degradation ended before anyone could be notified. */
  ended_at?: string
  end_reason?: DegradationEnd
}

export async function insertDegradations(db: Db, begun: readonly NewDegradation[]): Promise<void> {
  if (begun.length === 0) return
  await db
    .insertInto('degradations')
    .values(begun.map((one) => ({ ...one })))
    .execute()
}

export interface EndedDegradation extends CheckKey {
  degradation_id: string
  ended_at: string
  end_reason: DegradationEnd
}

export async function updateDegradationsEnded(db: Db, ended: readonly EndedDegradation[]): Promise<void> {
  if (ended.length === 0) return
  await sql`
    update degradations d set ended_at = greatest(d.began_at, k.ended_at), end_reason = k.end_reason
    from ${rowsSql(ended, { org_id: 'bigint', degradation_id: 'text', ended_at: 'timestamptz', end_reason: 'text' })}
    where d.org_id = k.org_id and d.degradation_id = k.degradation_id and d.ended_at is null`.execute(db)
}

/**
 * Lists a check's degradations for slowness that are open or ended at or after an instant, oldest first, with the column names of
 * incidents.
 */
export async function listSlowSince(db: Db, { org_id, check_id }: CheckKey, from: string): Promise<PastIncident[]> {
  const { rows } = await sql<PastIncident>`
    select degradation_id as incident_id, wire_time(began_at) as began_at, wire_time(ended_at) as ended_at, end_reason
    from degradations
    where org_id = ${org_id} and check_id = ${check_id} and kind = 'slow'
      and (ended_at is null or ended_at >= ${from}::timestamptz)
    order by degradations.began_at`.execute(db)
  return rows
}

/**
 * Returns the checks whose certificate was already reported with the same warning, or will be. Does not count alerts that were
 * given up, or that a renewal up to `renewed_after` followed. Alerts whose events were deleted count as sent.
 */
export async function listToldCertificates(
  db: Db,
  given: readonly (CheckKey & { cert_expires_at: string; warn_days: number })[],
  renewed_after: string,
): Promise<CheckKey[]> {
  if (given.length === 0) return []
  const { rows } = await sql<CheckKey>`
    select k.org_id, k.check_id
    from ${rowsSql(given, { ...KEY_COLUMNS, cert_expires_at: 'timestamptz', warn_days: 'integer' })}
    cross join lateral (
      select count(*) > 0 and (count(e.event_id) = 0 or coalesce(bool_or(exists (
        select from deliveries t where t.org_id = e.org_id and t.event_id = e.event_id
          and (t.state in ('delivered', 'pending') or t.summary_id is not null)) and coalesce((
            select max(n.created_at) from events n
            where n.org_id = e.org_id and n.check_id = e.check_id and n.type = 'check.renewed' and n.created_at >= e.created_at
          ) > ${renewed_after}::timestamptz, true)), false)) as is_told
      from degradations d
      left join events e on e.org_id = d.org_id and e.check_id = d.check_id and e.incident_id = d.degradation_id
        and e.type = 'check.certificate'
      where d.org_id = k.org_id and d.check_id = k.check_id and d.kind = 'certificate'
        and d.cert_expires_at = k.cert_expires_at and d.warn_days = k.warn_days) before
    where before.is_told`.execute(db)
  return rows
}

/** Finds the last stored event about the certificates of each check. */
export async function listLastCertificateEvents(
  db: Db,
  checks: readonly CheckKey[],
): Promise<(CheckKey & { type: string; incident_id: string | null })[]> {
  const { rows } = await sql<CheckKey & { type: string; incident_id: string | null }>`
    select distinct on (e.org_id, e.check_id) e.org_id, e.check_id, e.type, e.incident_id
    from ${keyRows(checks)} join events e using (org_id, check_id)
    where e.subject = 'check:' || e.check_id || ':certificate'
    order by e.org_id, e.check_id, e.created_at desc`.execute(db)
  return rows
}

/** Keeps only the day of certificate expiries, because public logs of certificates can be searched for the exact time. */
export async function updateDegradationsWiped(db: Db, org_id: number, check_ids: readonly number[]): Promise<void> {
  await sql`
    update degradations set cert_expires_at = date_trunc('day', cert_expires_at, 'UTC')
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and cert_expires_at is not null`.execute(
    db,
  )
}

/**
 * Returns the subject of events about a degradation. Slowness, certificate and downtime have separate subjects, so that their
 * events do not wait for each other.
 */
export function subjectOfDegradation({ check_id }: { check_id: number }, kind: DegradationKind): string {
  return `check:${check_id}:${kind}`
}

/** Ends open degradations of some kinds without an alert, and gives up pending alerts about them. */
export async function endDegradations(
  db: Db,
  org_id: number,
  check_ids: readonly number[],
  { ended_at, end_reason }: Pick<EndedDegradation, 'ended_at' | 'end_reason'>,
  kinds: readonly DegradationKind[],
): Promise<void> {
  if (kinds.length === 0 || check_ids.length === 0) return
  const { rows } = await sql<{ check_id: number; kind: DegradationKind }>`
    update degradations set ended_at = greatest(began_at, ${ended_at}::timestamptz), end_reason = ${end_reason}
    where org_id = ${org_id} and check_id = any(${[...check_ids]}::bigint[]) and kind = any(${[...kinds]}::text[])
      and ended_at is null
    returning check_id, kind`.execute(db)
  const subjects = rows.map((one) => subjectOfDegradation(one, one.kind))
  await giveUpOn(db, org_id, subjects)
}
