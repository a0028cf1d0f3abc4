// Declares, for Kysely, the columns of sealed hours and of the history by hour and by day.
import type { Generated } from 'kysely'

export interface HistoryTables {
  rollups: {
    org_id: number
    check_id: number
    hour: string
    runs: number
    failures: number
    latency_sum_ms: number
    latency_max_ms: number
    latency_sketch: Buffer | null
  }
  rollups_daily: {
    org_id: number
    check_id: number
    day: string
    runs: number
    failures: number
    latency_sum_ms: number
    latency_max_ms: number
    latency_sketch: Buffer | null
  }
  rollup_marks: {
    org_id: number
    check_id: number
    hour: string
    changes: Generated<number>
  }
  rollup_progress: {
    is_the_one: Generated<boolean>
    hours_until: string
    days_until: string
    sketched_until: string | null
    folding_hour: string | null
    folding_org_id: number | null
    folding_check_id: number | null
  }
  rollups_behind: {
    org_id: number
    hours_until: string
    days_until: string
  }
  seal_progress: {
    is_the_one: Generated<boolean>
    is_on: Generated<boolean>
    announced: Generated<string>
    closed: Generated<string>
    settled: Generated<string>
    sealed_until: Generated<string>
    waits_for: string[] | null
    sealing_until: string | null
    sealing_org_id: number | null
    sealing_check_id: number | null
    turned_on_at: string | null
    is_barred: Generated<boolean>
    noticed_until: Generated<string>
    noticing_until: Generated<string>
    noticing_since: string | null
  }
  installation: {
    seals_by_default: boolean
  }
}
