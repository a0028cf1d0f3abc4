// GET /ping: authentication has done all the work.
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function getPing({ reply }: MonitorInput<'ping'>): MonitorAnswer<'ping'> {
  return reply(200, { status: 'ok' })
}
