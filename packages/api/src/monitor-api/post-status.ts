// Handles POST /status: a monitor reports its own health.
import type { Deps } from '@dogwatch/domain/deps'
import { reportStatus } from '@dogwatch/domain/monitors/report-status'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postStatus(
  deps: Deps,
  { body, caller, reply }: MonitorInput<'reportStatus'>,
): MonitorAnswer<'reportStatus'> {
  await reportStatus(deps, caller, body)
  return reply(200, { status: 'ok' })
}
