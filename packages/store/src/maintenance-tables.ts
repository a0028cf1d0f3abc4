// Declares, for Kysely, the columns of the maintenance tables.
import type { Generated, JSONColumnType } from 'kysely'

export interface MaintenanceTables {
  maintenance_windows: {
    org_id: number
    window_id: Generated<number>
    guid: string
    name: string
    scope: JSONColumnType<object>
    starts_at: string
    duration_sec: number
    zone: string
    rule: string | null
    is_public: boolean
    spread_until: string
    created_at: string
    key: Generated<string | null>
    next_at: Generated<string | null>
  }
  maintenance_spans: {
    org_id: number
    window_id: number
    begins_at: string
    ends_at: string
    name: string
    scope: JSONColumnType<object>
    is_public: boolean
    scope_id: Generated<string | null>
  }
  maintenance_scopes: {
    org_id: number
    scope_id: string
    scope: JSONColumnType<object>
    bytes: number
    used_at: string
  }
}
