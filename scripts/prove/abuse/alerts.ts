// Stories in which a tenant's alerts must arrive within five seconds: beside endless alerts, and beside templates that are costly to render.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { raise } from '../../../packages/server/dist/domain/events/raise.js'
import { listen, quantile, type Undo } from '../../lab/proof.ts'
import { openOrg, query } from '../../lab/world.ts'
import type { Lab, Story } from './lab.ts'

/** Network of the receivers. The server can reach no other private address. */
export const RECEIVERS = '127.77.0.0/16'
const FLOOD = 15_000
const HANGING = 15
const HANG_MS = 14_000
const WITHIN_MS = 5000
const ALERT_EVERY_MS = 1000
const TEMPLATES = 12
/** Template that looks for a property of each of 500 checks. The samples that test a template have few checks. */
const COSTLY =
  '{% if data.checks.size > 100 %}{% for i in (1..390) %}{% assign a = data.checks | where: "name.first.size", "x" %}{% endfor %}{% endif %}ok'
const SMALL = '{"data": {% if data.check %}{"check": {"name": {{ data.check.name | json }}}}{% else %}{}{% endif %}}'
const CHECKS = Array.from({ length: 500 }, (_, n) => ({
  guid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `check ${n} `.repeat(10),
}))

/** Floods one channel with 15,000 deliveries, and 15 channels whose receivers hang. */
export const alerts: Story = async (lab) => {
  const { deps, undo } = lab
  const { org_id } = await openOrg(deps, 'loud')
  let received = 0
  const url = await receive('127.77.2.1', undo, async (path) => {
    received++
    if (path === '/hang') await pause(HANG_MS)
    return path === '/hang' ? 500 : 204
  })
  const hook = async (path: string) =>
    (await createChannel(deps, org_id, { kind: 'webhook', name: path, webhook_url: url + path })).id
  for (let n = 0; n < HANGING; n++) await hook('/hang')
  for (let n = 0; n < 20; n++) await alert(deps, org_id, `loud ${n}`)
  await query(
    deps,
    `insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
     select org_id, event_id, $2, 'flood:' || n, created_at, created_at
     from (select * from events where org_id = $1 limit 1) e, generate_series(1, $3) n`,
    ...[org_id, await hook('/fast'), FLOOD],
  )
  const honest = await alertHonest(lab, 'quiet', '127.77.1.1', (webhook_url) => ({ kind: 'webhook', webhook_url }))
  const figure = `the attacker's ${FLOOD} alerts and ${HANGING} hanging receivers: ${received} requests`
  return { ...honest, figures: [...honest.figures, figure] }
}

/** Organisations whose templates take as long as a template may. */
export const templates: Story = async (lab) => {
  const { deps, undo } = lab
  let received = 0
  const template_url = await receive('127.77.2.2', undo, async () => (received++, 204))
  const costly = { template_url, template_body: COSTLY, template_headers: 'content-type: text/plain' }
  const orgs: number[] = []
  for (let n = 0; n < TEMPLATES; n++) {
    const { org_id } = await openOrg(deps, `costly ${n}`)
    await createChannel(deps, org_id, { kind: 'webhook-template', name: 'hook', ...costly })
    orgs.push(org_id)
  }
  const channelAt = (url: string) => ({ kind: 'webhook-template', template_url: url, template_body: SMALL })
  const attack = async (n: number) => {
    for (const org_id of orgs) await alert(deps, org_id, `costly ${n}`, { checks: CHECKS })
  }
  const honest = await alertHonest(lab, 'brief', '127.77.1.2', channelAt, attack)
  const figure = `${received} alerts of ${TEMPLATES} organisations with costly templates were sent by then`
  return { ...honest, figures: [...honest.figures, figure] }
}

/** Raises alerts of a tenant with one channel, and requires that they arrive in time. */
async function alertHonest(
  { deps, seconds, undo }: Lab,
  name: string,
  address: string,
  channelAt: (url: string) => object,
  attack: (n: number) => Promise<void> = async () => {},
) {
  const { org_id } = await openOrg(deps, name)
  const raised = new Map<string, number>()
  const came_ms: number[] = []
  const url = await receive(address, undo, async (_, body) => {
    const subject = (JSON.parse(body) as { data: { check?: { name: string } } }).data.check?.name ?? ''
    const at = raised.get(subject)
    if (at !== undefined) came_ms.push(performance.now() - at)
    raised.delete(subject)
    return 204
  })
  await createChannel(deps, org_id, { name: 'hook', ...channelAt(`${url}/`) } as Parameters<typeof createChannel>[2])
  for (let n = 0; n < (seconds * 1000) / ALERT_EVERY_MS; n++) {
    await attack(n)
    raised.set(`${name} ${n}`, performance.now())
    await alert(deps, org_id, `${name} ${n}`)
    await pause(ALERT_EVERY_MS)
  }
  await pause(2 * WITHIN_MS)
  const worst = Math.max(...came_ms)
  return {
    faults: [
      raised.size > 0 && `${raised.size} honest alerts did not arrive`,
      worst > WITHIN_MS && `an honest alert took ${worst.toFixed(0)} ms`,
    ],
    figures: [
      `${came_ms.length} honest alerts, the slowest after ${worst.toFixed(0)} ms, half within ${quantile(came_ms, 0.5).toFixed(0)} ms`,
    ],
  }
}

/** Raises an alert about a check. */
async function alert(deps: Deps, org_id: number, name: string, more: object = {}): Promise<void> {
  const now = deps.clock.now().toISOString()
  const data = {
    org: { name: 'org' },
    check: { guid: '00000000-0000-4000-8000-000000000000', name },
    ...{ state: 'down', previous_state: 'up', incident_id: '00000000-0000-4000-8000-000000000001', since: now },
    ...{ failures: 1, monitor: { id: 'm', name: 'm' }, ran_at: now, http_status: 0, latency_ms: 1, monitors: [] },
    ...more,
  }
  const event = { org_id, type: 'check.down', subject: `check:${name}`, data } as const
  await deps.database.machines.transaction().execute((trx) => raise(trx, deps, [event]))
}

/** Listens on an address. Returns the URL. */
async function receive(
  host: string,
  undo: Undo,
  answer: (path: string, body: string) => Promise<number>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined)
    if (body !== undefined) response.writeHead(await answer(request.url ?? '', body)).end()
  })
  return `http://${host}:${await listen(server, undo, host)}`
}
