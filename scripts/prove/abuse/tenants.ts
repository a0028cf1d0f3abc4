// Defines attacks of many organisations that each use all that they may: templates that are costly to render, and live streams.
// In the meantime, an honest tenant must receive alerts, and changes on open pages.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { recordAuditEntry } from '../../../packages/domain/dist/audit/record.js'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { raise } from '../../../packages/domain/dist/events/raise.js'
import { openStream, type Stream } from '../../lab/clients/stream.ts'
import { countBy, listen, tally, until } from '../../lab/proof.ts'
import { openOrg } from '../../lab/world.ts'
import type { Lab } from './lab.ts'

/** Network of the receivers. The server can reach no other private address. */
export const RECEIVERS = '127.77.0.0/16'
/** Maximum time until an alert or change reaches the honest tenant, in milliseconds. */
const WITHIN_MS = 5000
const EVERY_MS = 1000

const COSTLY_ORGS = 12
/**
 * Template that looks for a property of each of 500 checks. It is cheap when the server tests it with samples, because these
 * contain few checks.
 */
const COSTLY =
  '{% if data.checks.size > 100 %}{% for i in (1..390) %}{% assign a = data.checks | where: "name.first.size", "x" %}{% endfor %}{% endif %}ok'
const SMALL = '{% if data.check %}{{ data.check.name }}{% else %}other{% endif %}'
const CHECKS = Array.from({ length: 500 }, (_, n) => ({
  guid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `check ${n} `.repeat(10),
}))

/** Raises alerts of organisations whose templates take as long as a template may. */
export async function templates(lab: Lab): Promise<string> {
  const { deps, seconds } = lab
  const [costly, honest] = [await openReceiver(lab, '127.77.2.1'), await openReceiver(lab, '127.77.1.1')]
  const channelOf = async (name: string, template_url: string, template_body: string) => {
    const { org_id, addChannel } = await openOrg(deps, name)
    const template = { template_url, template_body, template_headers: 'content-type: text/plain' }
    await addChannel({ kind: 'webhook-template', name: 'hook', ...template })
    return org_id
  }
  const attackers: number[] = []
  for (let n = 0; n < COSTLY_ORGS; n++) attackers.push(await channelOf(`costly ${n}`, costly.url, COSTLY))
  const brief = await channelOf('brief', honest.url, SMALL)
  const raised = new Map<string, number>()
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(EVERY_MS)) {
    const name = `alert ${raised.size}`
    for (const org_id of attackers) await alert(deps, org_id, name, { checks: CHECKS })
    raised.set(name, performance.now())
    await alert(deps, brief, name)
  }
  await until(() => honest.came.size >= raised.size, 2 * WITHIN_MS)
  const waits = [...raised].map(([name, at]) => (honest.came.get(name) ?? Infinity) - at)
  const slowest_ms = Math.max(...waits)
  if (slowest_ms > WITHIN_MS) lab.fault(`an honest alert took ${slowest_ms.toFixed(0)} ms`)
  return `${waits.length} honest alerts, the slowest after ${slowest_ms.toFixed(0)} ms; ${costly.count()} alerts of ${COSTLY_ORGS} organisations with costly templates were sent`
}

/** Opens a receiver, which records when each different body first came. */
async function openReceiver({ undo }: Lab, host: string) {
  const came = new Map<string, number>()
  let count = 0
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    count++
    if (!came.has(body)) came.set(body, performance.now())
    response.writeHead(204).end()
  })
  return { url: `http://${host}:${await listen(server, undo, host)}/`, came, count: () => count }
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

const TAKERS = { accounts: 200, sessions: 2, streams: 10 }
/** Pause between the openings of two streams, in milliseconds, because the attack is no flood of requests. */
const REST_MS = 10
const AGAIN_MS = 5000
const PAGES = 3

/** Opens as many live streams as 200 accounts may have. Opens each stream again that ends. */
export async function streams(lab: Lab): Promise<string> {
  const { deps, seconds, url } = lab
  const reader = await openOrg(deps, 'reader')
  const cookie = await reader.signIn()
  const kept = Array.from({ length: PAGES }, () => openStream(url, cookie, '127.9.3.1'))
  const attack = await takeStreams(lab)
  let [visits, slowest_ms] = [0, 0]
  for (const end = performance.now() + seconds * 1000; performance.now() < end; visits++) {
    const visitor = openStream(url, cookie, '127.9.3.2')
    await pause(EVERY_MS)
    const pages = [visitor, ...kept].map((page) => ({ page, before: page.changes }))
    const changed = performance.now()
    const entry = { org_id: reader.org_id, action: 'check.edit' as const, subject: `visit ${visits}` }
    await recordAuditEntry(deps.database.people, deps, undefined, entry)
    const isHeard = await until(() => pages.every(({ page, before }) => page.changes > before), WITHIN_MS)
    slowest_ms = Math.max(slowest_ms, performance.now() - changed)
    if (!isHeard) lab.fault(`an honest page did not receive a change (visitor: ${visitor.status})`)
    visitor.close()
    await pause(EVERY_MS)
  }
  const lost = kept.filter(({ isOpen }) => !isOpen).length
  if (lost > 0) lab.fault(`${lost} honest pages lost their stream`)
  for (const page of kept) page.close()
  return `${visits} honest pages beside ${PAGES} that stayed, the slowest change after ${slowest_ms.toFixed(0)} ms; ${attack.stop()}`
}

async function takeStreams(lab: Lab): Promise<{ stop(): string }> {
  const ended: number[] = []
  const all = new Set<Stream>()
  let isOver = false
  const take = (cookie: string, address: string): void => {
    if (isOver) return
    const stream = openStream(lab.url, cookie, address, () => {
      all.delete(stream)
      ended.push(stream.status)
      setTimeout(take, AGAIN_MS, cookie, address)
    })
    all.add(stream)
  }
  for (let n = 0; n < TAKERS.accounts; n++) {
    const org = await openOrg(lab.deps, `taker ${n}`)
    for (let session = 0; session < TAKERS.sessions; session++) {
      const cookie = await org.signIn()
      for (let i = 0; i < TAKERS.streams; i++) {
        take(cookie, `127.67.${n}.1`)
        await pause(REST_MS)
      }
    }
  }
  return {
    stop: () => {
      isOver = true
      const held = [...all].filter(({ isOpen }) => isOpen).length
      for (const stream of all) stream.close()
      return `${TAKERS.accounts} accounts held ${held} streams, ended ${tally(countBy(ended, (status) => `with ${status}`))}`
    },
  }
}
