// Declares, for Kysely, the columns of incidents and of what people write about them.
import type { ColumnType, Generated } from 'kysely'

export interface IncidentTables {
  incidents: {
    org_id: number
    incident_id: string
    check_id: number | null
    heartbeat_id: number | null
    began_at: string
    told_at: string
    reminders: Generated<number>
    held_by: Generated<string | null>
    acknowledged_at: Generated<string | null>
    acknowledged_by: Generated<string | null>
    ended_at: string | null
    end_reason: string | null
    verdict: ColumnType<object | null, string | null | undefined, string | null>
  }
  incident_notes: {
    org_id: number
    note_id: Generated<number>
    incident_id: string
    created_at: string
    author_id: number
    author: string
    body: string
    edited_at: Generated<string | null>
  }
  postmortems: {
    org_id: number
    incident_id: string
    body: string
    edited_at: string
    edited_by: string
  }
}
