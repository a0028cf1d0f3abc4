// Endless alerts: 15,000 deliveries to one channel, and 15 channels whose receivers hang, beside a tenant whose own
// alerts must arrive within five seconds.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { raise } from '../../../packages/server/dist/domain/events/raise.js'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import type { Lab, Story } from './lab.ts'

/** Where receivers listen; the server may reach no other address that is not public. */
export const RECEIVERS = '127.77.0.0/16'
const FLOOD = 15_000
const HANGING = 15
const HANG_MS = 14_000
const WITHIN_MS = 5_000
const ALERT_EVERY_MS = 1_000

let faults: string[] = []

export const alerts: Story = {
  name: 'alerts',
  faults: () => faults,
  run: async (lab) => {
    faults = []
    const { deps, seconds } = lab
    const attacked = await attack(lab)
    const honest = await victim(lab)
    for (let n = 0; n < (seconds * 1000) / ALERT_EVERY_MS; n++) {
      await honest.alert(n)
      await pause(ALERT_EVERY_MS)
    }
    // The last ones get their five seconds, and a little longer to see how late they are.
    await pause(2 * WITHIN_MS)
    const { came_ms, missing } = honest.tell()
    const worst = Math.max(...came_ms)
    if (missing > 0) faults.push(`alerts: ${missing} honest alerts did not arrive`)
    if (worst > WITHIN_MS) faults.push(`alerts: an honest alert took ${worst.toFixed(0)} ms`)
    const { rows } = await deps.database.pools.machines.query<{ state: string; count: number }>(
      `select case when summary_id is null then state else 'summarised' end as state, count(*)::integer as count
       from deliveries where org_id = $1 group by 1 order by 1`,
      [attacked.org_id],
    )
    return [
      `${came_ms.length} honest alerts arrived, the slowest after ${worst.toFixed(0)} ms, half within ${median(came_ms).toFixed(0)} ms`,
      `the attacker's ${FLOOD} alerts and ${HANGING} hanging receivers: ${attacked.received()} requests taken`,
      `its deliveries: ${rows.map(({ state, count }) => `${count} ${state}`).join(', ')}`,
    ]
  },
}

/** The attacker's alerts are all written before the honest ones, and so are older. */
async function attack({ deps, undo }: Lab): Promise<{ org_id: number; received: () => number }> {
  const { org_id } = await createOrganisation(deps, { name: 'loud', plan: 'team', owner_email: 'loud@example.com' })
  let received = 0
  const url = await listen('127.77.2.1', undo, async (path) => {
    received++
    if (path === '/hang') await pause(HANG_MS)
    return path === '/hang' ? 500 : 204
  })
  const hook = async (path: string) =>
    (await createChannel(deps, org_id, { kind: 'webhook', name: path, webhook_url: url + path })).id
  for (let n = 0; n < HANGING; n++) await hook('/hang')
  for (let n = 0; n < 20; n++) await tell(deps, org_id, `loud ${n}`)
  const fast = await hook('/fast')
  await deps.database.pools.machines.query(
    `insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
     select org_id, event_id, $2, 'flood:' || n, created_at, created_at
     from (select * from events where org_id = $1 limit 1) e, generate_series(1, $3) n`,
    [org_id, fast, FLOOD],
  )
  return { org_id, received: () => received }
}

/** A tenant with one channel: the time of each of its alerts from the event to the receiver. */
async function victim({ deps, undo }: Lab) {
  const wanted = { name: 'quiet', plan: 'team', owner_email: 'quiet@example.com' }
  const { org_id } = await createOrganisation(deps, wanted)
  const raised = new Map<string, number>()
  const came_ms: number[] = []
  const url = await listen('127.77.1.1', undo, (_, body) => {
    const { data } = JSON.parse(body) as { data: { check?: { name: string } } }
    const name = data.check?.name ?? ''
    const at = raised.get(name)
    // A repeat does not tell how long the first one took.
    if (at !== undefined) came_ms.push(performance.now() - at)
    raised.delete(name)
    return Promise.resolve(204)
  })
  await createChannel(deps, org_id, { kind: 'webhook', name: 'hook', webhook_url: `${url}/` })
  return {
    alert: async (n: number) => {
      raised.set(`quiet ${n}`, performance.now())
      await tell(deps, org_id, `quiet ${n}`)
    },
    tell: () => ({ came_ms, missing: raised.size }),
  }
}

async function tell(deps: Deps, org_id: number, name: string): Promise<void> {
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
  }
  const event = { org_id, type: 'check.down', subject: `check:${name}`, data } as const
  await deps.database.machines.transaction().execute((trx) => raise(trx, deps, [event]))
}

async function listen(
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
