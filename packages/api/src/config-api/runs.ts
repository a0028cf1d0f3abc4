// Handles the operations on runs that clients request out of turn.

import { type AskedRun, askToRun, readRun } from '@dogwatch/domain/checks/ask-run'
import type { RunReport } from '@dogwatch/domain/checks/asked-runs'
import { resolveReference } from '@dogwatch/domain/configuration/keys'
import { DomainError } from '@dogwatch/domain/errors'
import { requireRoomToAsk } from '@dogwatch/domain/limits/rooms'
import type { RateLimiter } from '@dogwatch/domain/limits/spend'
import { isDateTime, withSixDigits } from '@dogwatch/runtime/timestamps'
import type { SomeHandlers } from './contract.ts'
import { CONFIG_API } from './prefix.ts'
import { carryOut } from './repeat.ts'
import { editorOf } from './resource.ts'

/**
 * Returns the operations on runs. `limiter` counts runs against the same limit as those from the console. `onAsked` gets the id of
 * the monitor, so that the caller can wake it at once.
 */
export function runOperations(limiter: RateLimiter, onAsked: (monitor_id: string) => void) {
  return {
    async runCheck(deps, { caller, path, query, header, reply }) {
      const asked = { caller, header, asks: ['runCheck', path.guid, query.monitor] }
      const { body, headers } = await carryOut(deps, asked, async (inner) => {
        const guid = await resolveReference(inner.database.people, caller.org_id, 'check', path.guid)
        await requireRoomToAsk(limiter, caller)
        const { run_id, monitor_id } = await askToRun(inner, editorOf(caller), guid, { monitor: query.monitor })
        const headers = { Location: `${CONFIG_API}/runs/${run_id}` }
        return { status: 201, headers, body: { id: run_id, monitor_id, state: 'waiting' as const } }
      })
      onAsked(body.monitor_id)
      return reply(201, body, headers)
    },
    async getRun(deps, { caller, path, reply }) {
      const run = await readRun(deps, caller.org_id, path.run)
      // A run of an unsaved definition belongs to the user who tests it in the console, so the API does not show it.
      if (run.check_id === null) throw new DomainError('missing', 'no run with that id')
      return reply(200, toRun(run))
    },
  } satisfies SomeHandlers
}

function toRun({ run_id, monitor_id, monitor_name, isOver, report }: AskedRun) {
  const state = report ? ('done' as const) : isOver ? ('lost' as const) : ('waiting' as const)
  return {
    id: run_id,
    monitor_id,
    ...(monitor_name !== '' && { monitor_name }),
    state,
    ...(report && { result: toResult(report) }),
  }
}

function toResult(report: Omit<RunReport, 'id'>) {
  const { success, not_run, ran_at, kind, error, http_status = 0, latency_ms } = report
  const { address, certificate_days, redirects = [], assertions = [], response_sample } = report
  return {
    ...(success !== undefined && { success }),
    ...(not_run !== undefined && { not_run }),
    ...(ran_at !== undefined && isDateTime(ran_at) && { ran_at: withSixDigits(ran_at) }),
    ...(kind !== undefined && { kind }),
    ...(error !== undefined && error !== '' && { error }),
    ...(http_status > 0 && { http_status }),
    ...(latency_ms !== undefined && { latency_ms }),
    ...(address !== undefined && { address }),
    ...(certificate_days !== undefined && { certificate_days }),
    ...(redirects.length > 0 && { redirects }),
    ...(assertions.length > 0 && { assertions }),
    ...(response_sample !== undefined && response_sample !== '' && { response_sample }),
  }
}
