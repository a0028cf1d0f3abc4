// Handles POST /enroll: makes an agent a monitor.
import type { Deps } from '@dogwatch/domain/deps'
import { enroll } from '@dogwatch/domain/monitors/enroll'
import { classOf } from '@dogwatch/domain/monitors/monitor'
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function postEnroll(deps: Deps, { body, caller, reply }: MonitorInput<'enroll'>): MonitorAnswer<'enroll'> {
  const { api_key, monitor_id } = await enroll(deps, caller, body)
  return reply(200, { api_key, monitor_id, class: classOf(caller) })
}
