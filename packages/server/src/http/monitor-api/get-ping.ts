// GET /ping: authentication has done all there is to do.
import type { MonitorAnswer, MonitorInput } from './contract.ts'

export async function getPing({ reply }: MonitorInput<'ping'>): MonitorAnswer<'ping'> {
  return reply(200, { status: 'ok' })
}
