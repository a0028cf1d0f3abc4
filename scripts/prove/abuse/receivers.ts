// Tenants that are alerted, and the receivers of their alerts.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { raise } from '../../../packages/server/dist/domain/events/raise.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import type { Lab } from './lab.ts'

/** Where receivers listen; the server may reach no other address that is not public. */
export const RECEIVERS = '127.77.0.0/16'

type Channel = Parameters<typeof createChannel>[2]

/** A tenant with one channel: the time of each of its alerts from the event to the receiver. */
export async function victim({ deps, undo }: Lab, name: string, address: string, channelAt: (url: string) => Channel) {
  const wanted = { name, plan: 'team', owner_email: `${name}@example.com` }
  const { org_id } = await createOrganisation(deps, wanted)
  const raised = new Map<string, number>()
  const came_ms: number[] = []
  const url = await listen(address, undo, (_, body) => {
    const { data } = JSON.parse(body) as { data: { check?: { name: string } } }
    const subject = data.check?.name ?? ''
    const at = raised.get(subject)
    // A repeat does not tell how long the first one took.
    if (at !== undefined) came_ms.push(performance.now() - at)
    raised.delete(subject)
    return Promise.resolve(204)
  })
  await createChannel(deps, org_id, channelAt(`${url}/`))
  return {
    alert: async (n: number) => {
      raised.set(`${name} ${n}`, performance.now())
      await tell(deps, org_id, `${name} ${n}`)
    },
    tell: () => ({ came_ms, missing: raised.size }),
  }
}

/** Raises an alert about a check of that name. `more`: further data of the event. */
export async function tell(deps: Deps, org_id: number, name: string, more: object = {}): Promise<void> {
  const now = deps.clock.now().toISOString()
  const data = {
    org: { name: 'org' },
    check: { guid: '00000000-0000-4000-8000-000000000000', name },
    state: 'down',
    previous_state: 'up',
    incident_id: '00000000-0000-4000-8000-000000000001',
    since: now,
    failures: 1,
    monitor: { id: 'm', name: 'm' },
    ran_at: now,
    http_status: 0,
    latency_ms: 1,
    monitors: [],
    ...more,
  }
  const event = { org_id, type: 'check.down', subject: `check:${name}`, data } as const
  await deps.database.machines.transaction().execute((trx) => raise(trx, deps, [event]))
}

/** Listens on an address of this machine. Returns the URL. */
export async function listen(
  host: string,
  undo: Lab['undo'],
  answer: (path: string, body: string) => Promise<number>,
): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body !== undefined) response.writeHead(await answer(request.url ?? '', body)).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, host, resolve))
  undo(async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
