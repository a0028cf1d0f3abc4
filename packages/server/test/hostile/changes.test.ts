// Whatever is sent to the configuration API's writing operations, no answer is a 5xx, what is refused has changed nothing, and another
// organisation's things stay as they are. SEED=n sends other requests, CHANGES=n as many.

import type { operations } from '@dogwatch/contract/config'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SAMPLES, type Sample } from '../../../api/test/config-api/samples.ts'
import { configToken, configurator } from '../../../api/test/support/config-api.ts'
import { dice, seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { hostileChange, WRITING, type WritingOperation } from '../support/hostile-changes.ts'
import { lookAtAll } from '../support/look-at-all.ts'
import { type Org, type World, world } from '../support/world.ts'

const seed = seedFromEnvironment()
const COUNT = Number(process.env.CHANGES ?? 120)
/** An organisation has so many of these requests: it stays small, so that looking at all of it is quick. */
const OF_ORG = 400

let w: World
/** Looks at everything that belongs to an organisation. */
let stateOf: (org: Org) => Promise<string>
beforeAll(async () => {
  w = await world({ pages: false })
  stateOf = await lookAtAll(w)
})
afterAll(() => w.close())

/** Guids and ids of everything in an organisation that has one of each. */
async function furnish(org: Org): Promise<string[]> {
  const made = await Promise.all((['getCheck', 'getChannel', 'getHeartbeat'] as const).map((id) => SAMPLES[id](w, org)))
  const more = [
    await SAMPLES.getRoute(w, org),
    await SAMPLES.getMaintenanceWindow(w, org),
    await SAMPLES.getIncident(w, org),
  ]
  return [...made, ...more].flatMap(({ path = {} }) => Object.values(path))
}

/** What a bulk request says of each kind of thing. */
function bulkOf(all: Readonly<Record<string, Sample>>): Sample {
  const put = (kind: string, id: string) => ({ action: 'put', kind, key: `${kind}-1`, body: all[id]?.body })
  const changes = [put('check', 'createCheck'), put('channel', 'createChannel'), put('heartbeat', 'createHeartbeat')]
  return { body: { changes: [...changes, put('route', 'createRoute'), put('window', 'createMaintenanceWindow')] } }
}

async function samplesFor(org: Org): Promise<Record<string, Sample>> {
  const samples: Record<string, Sample> = {}
  for (const { id } of WRITING) samples[id] = await SAMPLES[id as keyof operations](w, org)
  return { ...samples, changeInBulk: bulkOf(samples) }
}

test(
  'no hostile change is answered with a 5xx, and what is refused has changed nothing',
  async () => {
    const victim = await w.org()
    const foreign = await furnish(victim)
    const untouched = await stateOf(victim)
    const seen: Record<number, number> = {}
    const d = dice(seed)
    for (let sent = 0; sent < COUNT; ) {
      const org = await w.org()
      const ask = configurator(w, await configToken(w, org))
      const samples = await samplesFor(org)
      let before = await stateOf(org)
      for (let n = 0; n < OF_ORG && sent < COUNT; n++, sent++) {
        const operation = d.one(WRITING)
        const request = hostileChange(d, operation, samples[operation.id] ?? {}, foreign)
        const { status, text } = await send(ask, operation, request)
        const after = await stateOf(org)
        const told = {
          sent,
          operation: operation.id,
          status,
          text: text.slice(0, 200),
          request: JSON.stringify(request).slice(0, 600),
        }
        expect({ ...told, isServed: status < 500 }).toEqual({ ...told, isServed: true })
        if (status >= 400) expect({ ...told, state: after }).toEqual({ ...told, state: before })
        if (status >= 400)
          expect({ ...told, isOneLine: text !== '' && !text.includes('\n') }).toEqual({ ...told, isOneLine: true })
        before = after
        seen[status] = (seen[status] ?? 0) + 1
      }
      expect(await stateOf(victim)).toBe(untouched)
    }
    tell('hostile changes', seen)
    for (const status of [200, 400, 404]) expect({ status, seen: seen[status] ?? 0 }).not.toEqual({ status, seen: 0 })
  },
  60_000 + 60 * COUNT,
)

function send(
  ask: ReturnType<typeof configurator>,
  { method }: WritingOperation,
  { path, headers, body }: ReturnType<typeof hostileChange>,
) {
  const request = ask(method, path, undefined, headers)
  return body === undefined ? request : request.set('Content-Type', 'application/json').send(body)
}
