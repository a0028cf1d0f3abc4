// Builds the schedule from the server's rows.
import { readTarget, usesTls } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import { isRankKnown, turnOf } from '@dogwatch/monitor-sdk/agent'
import { type Definitions, overlay } from '../definitions/private-definitions.ts'
import { timeoutOf } from '../run/run-check.ts'
import type { PlannedCheck } from './schedule.ts'

export interface Planning {
  planned: PlannedCheck[]
  /** Guids of private checks without a definition on this machine. They do not run. */
  undefined_guids: string[]
  /**
   * Guids of checks of several monitors that run here in every slot, because the server does not say which turn is this
   * monitor's.
   */
  unranked_guids: string[]
  /** Guids of checks with an invalid interval. They do not run. */
  unplannable_guids: string[]
}

/** Maximum of the integers in the contract. */
const INTERVAL_MAX_SEC = 2 ** 31 - 1

export function planRuns(checks: Iterable<Check>, definitions: Definitions): Planning {
  const planning: Planning = { planned: [], undefined_guids: [], unranked_guids: [], unplannable_guids: [] }
  for (const row of checks) {
    if (!row.enabled || row.deleted) continue
    const laid = overlay(row, definitions)
    if (!isInterval(row.interval_sec)) planning.unplannable_guids.push(row.guid)
    else if (!laid) planning.undefined_guids.push(row.guid)
    else {
      if (!isRankKnown(row)) planning.unranked_guids.push(row.guid)
      const target = readTarget(laid.check.url)
      const cost = !('fault' in target) && usesTls(target) ? 'tls' : 'plain'
      planning.planned.push({
        guid: row.guid,
        turn: turnOf(row),
        cost,
        lasts_ms: timeoutOf(laid.check),
        check: laid.check,
      })
    }
  }
  return planning
}

/** Validates an interval, because a server may send anything, whatever its contract says. */
function isInterval(sec: unknown): boolean {
  return typeof sec === 'number' && Number.isInteger(sec) && sec >= 1 && sec <= INTERVAL_MAX_SEC
}
