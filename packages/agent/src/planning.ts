// From the server's rows to what the schedule runs.
import type { Check } from '@dogwatch/monitor-sdk'
import { type Definitions, overlay } from './private-definitions.ts'
import { isRankKnown, turnOf } from './rotation.ts'
import type { Planned } from './schedule.ts'

export interface Planning {
  planned: Planned[]
  /** Private checks that no definition is here for. They are not run. */
  undefined_guids: string[]
  /** Checks of several monitors that run here in each slot, because the server does not say which turn is ours. */
  unranked_guids: string[]
}

export function planRuns(checks: Iterable<Check>, definitions: Definitions): Planning {
  const planning: Planning = { planned: [], undefined_guids: [], unranked_guids: [] }
  for (const row of checks) {
    if (!row.enabled || row.deleted || row.interval_sec < 1) continue
    const laid = overlay(row, definitions)
    if (!laid) planning.undefined_guids.push(row.guid)
    else {
      if (!isRankKnown(row)) planning.unranked_guids.push(row.guid)
      const cost = /^(https|tls):/i.test(laid.check.url) ? 'tls' : 'plain'
      planning.planned.push({ guid: row.guid, turn: turnOf(row), cost })
    }
  }
  return planning
}
