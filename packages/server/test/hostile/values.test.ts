// Every number, date, enumeration and text of the three documents, with infinities, extremes and names of the prototype: in paths, queries,
// headers and bodies. No answer is a 5xx, bounds hold, refusals name the field, and what is refused has changed nothing.

import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { afterAll, beforeAll, test } from '@jest/globals'
import type { ContractDocument } from '../../../api/src/routes.ts'
import { SAMPLES, type Sample } from '../../../api/test/config-api/samples.ts'
import { configToken } from '../../../api/test/support/config-api.ts'
import type { Schema } from '../../../api/test/support/hostile-values.ts'
import { HostileTrial, type Operation, type Parameter } from '../support/hostile-trial.ts'
import { lookAtAll } from '../support/look-at-all.ts'
import { ACCOUNT, CONFIG, type Org, PLACE, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let stateOf: (org: Org) => Promise<string>

beforeAll(async () => {
  w = await world({ pages: false })
  stateOf = await lookAtAll(w)
})
afterAll(() => w.close())

function operationsOf(document: ContractDocument): Operation[] {
  const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters = [], requestBody }]) => ({
      id: String(operationId),
      method: method.toUpperCase(),
      path,
      parameters: parameters as Parameter[],
      body: schemaOf(requestBody),
    })),
  )
}

function schemaOf(requestBody: unknown): Schema | undefined {
  const { content } = (requestBody ?? {}) as { content?: { 'application/json': { schema: Schema } } }
  return content?.['application/json'].schema
}

test('monitor API', async () => {
  const org = await w.org()
  const { id, key } = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], [id])
  const token = await w.token(org)
  const now = w.clock.now().toISOString()
  const results = [result(guid, { ran_at: now, timings: { dns_ms: 1 } })]
  const phases = { dns: 1 }
  const run = { id: 'x', success: true, ran_at: now, http_status: 200, latency_ms: 1, phases, certificate_days: 1 }
  const outage = { last_outage_sec: 1, last_outage_ended_at: now }
  const bodies = new Map<string, object>([
    ['enroll', PLACE],
    ['uploadResults', { results, sent_at: now, remaining: 0, runs: [run] }],
    ['reportStatus', { version: '1', uptime_sec: 1, unsent_results: 0, ...outage, sent_at: now }],
  ])
  const trial = new HostileTrial(w.direct, PREFIX, () => stateOf(org))
  for (const operation of operationsOf(monitor)) {
    const body = bodies.get(operation.id)
    const bearer = operation.id === 'enroll' ? token : key
    await trial.run({ operation, bearer, sample: async () => (body ? { body } : {}) })
  }
  trial.expectNoFault([200, 400])
})

test('account API', async () => {
  const org = await w.org()
  const [guid = ''] = await w.checks(org, [{}])
  const bearer = await w.pat(org)
  const trial = new HostileTrial(w.direct, ACCOUNT, () => stateOf(org))
  for (const operation of operationsOf(account)) {
    await trial.run({ operation, bearer, sample: async () => ({ path: { guid } }) })
  }
  trial.expectNoFault([200, 400, 404])
})

test('configuration API', async () => {
  let org = await w.org()
  const trial = new HostileTrial(w.direct, CONFIG, () => stateOf(org))
  for (const operation of operationsOf(config).flatMap(byKind)) {
    // An organisation of its own, since each may have only so many things.
    org = await w.org()
    const bearer = await configToken(w, org)
    await trial.run({ operation, bearer, sample: () => sampleOf(operation.id, org), isBrief: isFamiliar(operation.id) })
  }
  trial.expectNoFault([200, 201, 400, 404, 412])
}, 600_000)

/** Tests whether the bodies of an operation are judged by the same rules as those of the one that creates. */
function isFamiliar(id: string): boolean {
  return id.startsWith('replace') || id.startsWith('bulk ')
}

/** The alternatives of a bulk request as one operation for each kind of thing. */
function byKind(operation: Operation): Operation[] {
  if (operation.id !== 'changeInBulk') return [operation]
  const { properties = {} } = operation.body ?? {}
  const [every, { oneOf = [] } = {}] = properties.changes?.items?.allOf ?? []
  return oneOf.map((one) => {
    const changes = { items: { properties: { ...every?.properties, ...one.properties } } }
    const kind = String(one.properties?.kind?.enum?.[0])
    return { ...operation, id: `bulk ${kind}`, body: { properties: { ...properties, changes } } }
  })
}

const CREATES = new Map([
  ['channel', 'createChannel'],
  ['check', 'createCheck'],
  ['heartbeat', 'createHeartbeat'],
  ['window', 'createMaintenanceWindow'],
  ['route', 'createRoute'],
  ['status_page', 'replaceStatusPage'],
])

async function sampleOf(id: string, org: Org): Promise<Sample> {
  const [, kind] = id.split('bulk ')
  if (id === 'changeRoute') return sampleOf('replaceRoute', org)
  if (kind === undefined) return fuller(id, await SAMPLES[id as keyof typeof SAMPLES](w, org))
  const { body } = await sampleOf(CREATES.get(kind) ?? '', org)
  const key = kind === 'status_page' ? {} : { key: 'one' }
  return { body: { dry_run: true, changes: [{ action: 'put', kind, ...key, body }] } }
}

const QUIET = { from: '22:00', to: '07:00', days: [1], zone: 'UTC' }
const ROTATION = { starts_on: '2026-11-23', at: '09:00', zone: 'UTC' }

/** Adds the fields without which something else is refused before the value that is tried. */
function fuller(id: string, sample: Sample): Sample {
  const { body } = sample
  if (id === 'readMetrics') return { ...sample, query: { part: '1', parts: '2' } }
  if (id === 'replaceStatusPage') return { body: { ...body, entries: [{ check: 'key:shop', public_name: 'Shop' }] } }
  const { steps } = (body ?? {}) as { steps?: { channels: string[] }[] }
  if (!steps) return sample
  const rotation = { channels: steps[0]?.channels, ...ROTATION }
  return { ...sample, body: { ...body, quiet: QUIET, steps: [...steps, { after_sec: 900, rotation }] } }
}
