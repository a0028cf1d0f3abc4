// Handles POST /status: a monitor reports its own health.
import type { Deps } from '../../domain/deps.ts'
import { reportStatus } from '../../domain/monitors/report-status.ts'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postStatus(
  deps: Deps,
  { body, caller, reply }: MonitorInput<'reportStatus'>,
): MonitorAnswer<'reportStatus'> {
  await reportStatus(deps, caller, body)
  return reply(200, { status: 'ok' })
}
