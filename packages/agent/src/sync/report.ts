// Builds the status report that the agent sends to the server each minute.
import type { MonitorStatus } from '@dogwatch/monitor-sdk'
import { abilitiesHere } from '../process/abilities.ts'

export const REPORT_MS = 60_000

export interface Condition {
  version: string
  uptime_ms: number
  unsent_results: number
  /** Time by the clock that dates results, in milliseconds since the Unix epoch. */
  sent_at: number
  /** Server time at which the outage ended, in milliseconds, and its duration. */
  last_outage: { ended_at: number; seconds: number } | undefined
}

export function statusOf({ version, uptime_ms, unsent_results, sent_at, last_outage }: Condition): MonitorStatus {
  const uptime_sec = Math.max(0, Math.floor(uptime_ms / 1000))
  const abilities = abilitiesHere()
  const status = { version, uptime_sec, unsent_results, sent_at: new Date(sent_at).toISOString(), abilities }
  if (!last_outage) return status
  const last_outage_ended_at = new Date(last_outage.ended_at).toISOString()
  return { ...status, last_outage_sec: last_outage.seconds, last_outage_ended_at }
}
