// Stores who has acknowledged which incident.
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Subject of an incident. */
export interface IncidentPlace {
  org_id: number
  kind: 'check' | 'heartbeat'
  /** Id of the check or heartbeat. */
  id: number
}

/** Time since which a person takes care of an incident, and who does. Both are null if no one does. */
export interface Acknowledgement {
  acknowledged_at: string | null
  acknowledged_by: string | null
}

export interface OpenIncident extends Acknowledgement {
  incident_id: string
  began_at: string
  org_name: string
}

/**
 * Locks the open incident of a check or heartbeat until the transaction ends, and returns it. The transaction must already have
 * locked the check or heartbeat.
 */
export async function lockOpenIncident(db: Db, { org_id, kind, id }: IncidentPlace): Promise<OpenIncident | undefined> {
  const { rows } = await sql<OpenIncident>`
    select i.incident_id, wire_time(i.began_at) as began_at, o.name as org_name,
      wire_time(i.acknowledged_at) as acknowledged_at, i.acknowledged_by
    from incidents i join organisations o using (org_id)
    where i.org_id = ${org_id} and i.${sql.ref(`${kind}_id`)} = ${id} and i.ended_at is null for update of i`.execute(
    db,
  )
  return rows[0]
}

export async function updateAcknowledged(
  db: Db,
  { org_id, incident_id }: { org_id: number; incident_id: string },
  acknowledgement: Acknowledgement,
): Promise<void> {
  await db
    .updateTable('incidents')
    .set(acknowledgement)
    .where('org_id', '=', org_id)
    .where('incident_id', '=', incident_id)
    .execute()
}

/** Event that reported an incident. */
export interface TroubleEvent {
  event_id: string
  type: string
  subject: string
  created_at: string
  data: Record<string, unknown>
}

/** Finds the newest event of these types about an incident. Its alert might not have been sent. */
export async function findTroubleEvent(
  db: Db,
  { org_id, incident_id, began_at }: { org_id: number; incident_id: string; began_at: string },
  types: readonly string[],
): Promise<TroubleEvent | undefined> {
  const { rows } = await sql<TroubleEvent>`
    select event_id, type, subject, wire_time(created_at) as created_at, data from events
    where org_id = ${org_id} and created_at >= ${began_at}::timestamptz and incident_id = ${incident_id}
      and type = any(${[...types]}::text[])
    order by events.created_at desc limit 1`.execute(db)
  return rows[0]
}
