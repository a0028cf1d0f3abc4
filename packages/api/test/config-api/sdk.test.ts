// Every operation of the configuration API through the SDK, against a server: typed functions that are generated, and what they promise.

import * as sdk from '@dogwatch/config-sdk'
import { document, type operations } from '@dogwatch/contract/config'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { edit } from '../../../config-sdk/examples/edit-without-losing.ts'
import { whileDeploying } from '../../../config-sdk/examples/while-deploying.ts'
import { configToken } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'
import { SAMPLES } from './samples.ts'

type AnyCall = (client: sdk.ConfigClient, input: object) => Promise<unknown>

const NAMES = Object.values(
  document.paths as Record<string, Record<string, { operationId: keyof operations }>>,
).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))

let w: World
let org: Org
let client: sdk.ConfigClient
beforeAll(async () => {
  w = await world()
})
beforeEach(async () => {
  org = await w.org('team')
  const token = await configToken(w, org, { scopes: ['write', 'audit:read'] })
  client = new sdk.ConfigClient({ baseUrl: w.url, token, retries: 0 })
})
afterAll(() => w.close())

test.each(NAMES)('%s is done, and its answer is what the client takes for one', async (name) => {
  const { path, query, body } = await SAMPLES[name](w, org)
  const call = (sdk as unknown as Record<string, AnyCall>)[name]
  const answer = await call?.(client, { ...path, ...query, ...(body && { body }) })
  expect(['object', 'string']).toContain(typeof answer)
})

test('what was read names its version, and a change that is based on an older one is refused', async () => {
  const created = await sdk.createCheck(client, {
    body: { name: 'Shop', url: 'https://shop.example.com/', interval_sec: 60 },
  })
  const { guid } = created
  const read = await sdk.getCheck(client, { guid })
  expect(sdk.etagOf(read)).toBe(sdk.etagOf(created))
  const changed = await sdk.changeCheck(client, { guid, body: { name: 'Shop 2' }, ifMatch: sdk.etagOf(read) })
  expect(changed.name).toBe('Shop 2')
  const late = sdk.changeCheck(client, { guid, body: { name: 'Late' }, ifMatch: sdk.etagOf(read) })
  await expect(late).rejects.toMatchObject({ name: 'ApiError', status: 412 })
})

test('pages hold everything once', async () => {
  const guids = await w.checks(
    org,
    Array.from({ length: 7 }, (_, n) => ({ name: `c${n}` })),
  )
  const read: string[] = []
  for await (const { guid } of sdk.each(sdk.listChecks, client, { limit: 3 })) read.push(guid)
  expect(read).toEqual(guids)
})

test('a POST whose answer is lost is carried out once', async () => {
  let lost = 0
  const losing = new sdk.ConfigClient({
    baseUrl: w.url,
    token: await configToken(w, org),
    clock: { sleep: async () => {} },
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (lost++ < 2) throw new TypeError('connection reset')
      return response
    },
  })
  const body = { name: 'Once', url: 'https://once.example.com/', interval_sec: 60 }
  const { guid } = await sdk.createCheck(losing, { body })
  expect(lost).toBe(3)
  expect(await w.rows('select guid from checks where org_id = $1', org.org_id)).toEqual([{ guid }])
})

test('the examples do what they say', async () => {
  const [one = '', two = '', other = ''] = await w.checks(org, [{ tags: ['web'] }, { tags: ['web'] }, {}])
  await sdk.pauseCheck(client, { guid: two })
  const enabled = async () => {
    const { checks } = await sdk.listChecks(client)
    return checks.filter((check) => check.enabled).map(({ guid }) => guid)
  }
  expect(await whileDeploying(client, 'web', enabled)).toEqual([other])
  expect(await enabled()).toEqual([one, other])
  let turns = 0
  const edited = await edit(client, other, async ({ interval_sec }) => {
    // Somebody else is faster, once.
    if (turns++ === 0) await sdk.changeCheck(client, { guid: other, body: { interval_sec: 600 } })
    return { interval_sec: interval_sec * 2 }
  })
  expect([edited.interval_sec, turns]).toEqual([1200, 2])
})
