// What the agent tells the server of itself each minute.
import type { MonitorStatus } from '@dogwatch/monitor-sdk'
import type { Outage } from './connectivity.ts'

export const REPORT_MS = 60_000

export interface Condition {
  version: string
  uptime_ms: number
  unsent_results: number
  last_outage: Outage | undefined
}

export function statusOf({ version, uptime_ms, unsent_results, last_outage }: Condition): MonitorStatus {
  const status = { version, uptime_sec: Math.max(0, Math.floor(uptime_ms / 1000)), unsent_results }
  if (!last_outage) return status
  const last_outage_ended_at = new Date(last_outage.ended_at).toISOString()
  return { ...status, last_outage_sec: last_outage.seconds, last_outage_ended_at }
}
