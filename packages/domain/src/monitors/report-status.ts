// Stores what a monitor reports about its own health.
import { fromDate, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { updateSnapshot } from '@dogwatch/store/monitors/monitors'
import type { Deps } from '../deps.ts'
import { toStorable } from '../text.ts'
import { abilitiesOf, noteAbilities } from './abilities.ts'
import { requireCaller } from './authenticate.ts'
import { hearClock, measureClock } from './clock-offset.ts'
import type { Caller } from './monitor.ts'

export interface StatusReport {
  version: string
  uptime_sec: number
  unsent_results: number
  last_outage_sec?: number
  last_outage_ended_at?: string
  /** Time of the report by the agent's clock. */
  sent_at?: string
  /** Everything that the agent can do. */
  abilities?: readonly string[]
}

/** Replaces the stored status of a monitor by its report. Refuses a caller that may no longer report. */
export async function reportStatus(deps: Deps, monitor: Caller, report: StatusReport): Promise<void> {
  const snapshot = {
    version: toStorable(report.version),
    uptime_sec: report.uptime_sec,
    unsent_results: report.unsent_results,
    last_outage_sec: report.last_outage_sec ?? null,
    last_outage_ended_at: report.last_outage_ended_at ? toMicroseconds(report.last_outage_ended_at) : null,
  }
  const facts = {
    received_at: monitor.seen_at,
    held_ms: monitor.held_ms,
    sent_at: report.sent_at && toMicroseconds(report.sent_at),
  }
  hearClock(deps, monitor, facts)
  if (deps.clock.isTrusted()) await measureClock(deps, monitor, facts)
  // Stores nothing if the caller may no longer report, because the body may have taken a minute to arrive.
  const stored = await updateSnapshot(deps.database.people, monitor, snapshot, fromDate(deps.clock.now()))
  if (stored) await noteAbilities(deps, monitor, stored, abilitiesOf(report))
  else await requireCaller(deps.database.people, monitor)
}
