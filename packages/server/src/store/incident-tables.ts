// The columns of incidents for Kysely.
import type { ColumnType, Generated } from 'kysely'

export interface Incidents {
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
