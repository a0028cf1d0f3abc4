// The account SDK against the server itself: what one writes the other reads, page by page and in an export.

import { AccountClient, type Result } from '@dogwatch/account-sdk'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { result, type World, world } from '../support/world.ts'

const COUNT = 1203
const PAGE = 500

let w: World
let account: AccountClient
let guids: string[]
beforeAll(async () => {
  w = await world()
  const org = await w.org()
  const monitor = await w.monitor(org, '')
  guids = await w.checks(org, [{}, {}], 'all')
  const start = Date.parse('2026-11-20T00:00:00Z')
  const at = (index: number) => new Date(start + index * 1000).toISOString()
  const uploads = Array.from({ length: COUNT }, (_, index) => ({ ...result(guids[0] ?? ''), ran_at: at(index) }))
  expect(await monitor.client.upload(uploads)).toEqual({ submitted: COUNT, accepted: COUNT })
  account = new AccountClient({ baseUrl: w.url, token: await w.pat(org), retries: 0 })
})
afterAll(() => w.close())

const timesOf = (results: readonly Result[]) => results.map((one) => one.ran_at)

test('every result comes once and in order, in pages and resumed in the middle', async () => {
  const sizes: number[] = []
  const paged: Result[] = []
  for await (const page of account.pages(guids[0] ?? '')) {
    sizes.push(page.results.length)
    paged.push(...page.results)
  }
  expect(sizes).toEqual([PAGE, PAGE, COUNT - 2 * PAGE])
  expect(new Set(timesOf(paged)).size).toBe(COUNT)
  expect(timesOf(paged)).toEqual(timesOf(paged).sort())
  const { ran_at: after, monitor_id: after_monitor } = paged[699] as Result
  const rest: Result[] = []
  for await (const one of account.results(guids[0] ?? '', { after, after_monitor })) rest.push(one)
  expect(rest).toEqual(paged.slice(700))
})

test('the lists, the export and its results agree', async () => {
  const whole = await account.export()
  const { header, results } = await account.exportResults()
  const found: Result[] = []
  for await (const one of results) {
    expect(one.guid).toBe(guids[0])
    found.push(one.result)
  }
  expect(found).toEqual(whole.results[guids[0] ?? ''])
  expect(found).toHaveLength(COUNT)
  expect(whole.results[guids[1] ?? '']).toEqual([])
  // An export has what a check is, and not how it stands.
  expect(header.checks).toEqual((await account.checks()).map(({ state: _, state_since: __, ...check }) => check))
  expect(header.monitors).toEqual(await account.monitors())
  expect(header.members).toEqual(await account.members())
  expect(header.heartbeats).toEqual(await account.heartbeats())
  expect(header.notification_channels).toEqual(await account.channels())
  expect(await account.settings()).toMatchObject({ org_name: header.org_name, entitlements: header.entitlements })
  expect(await account.check(guids[1] ?? '')).toMatchObject(header.checks[1] ?? {})
  expect((await account.exportStream()).filename).toMatch(/\.json$/)
})

test('a refusal is the server’s own line, whatever the guid is', async () => {
  for (const guid of ['no/such?check#1', '%2e%2e', 'é', ' ']) {
    await expect(account.check(guid)).rejects.toMatchObject({ status: 404, requestId: expect.stringMatching(/./) })
  }
  const stranger = new AccountClient({ baseUrl: w.url, token: 'dogwatch_pat_no', retries: 0 })
  await expect(stranger.checks()).rejects.toMatchObject({ name: 'ApiError', status: 401 })
  await expect(account.pages(guids[0] ?? '', { after: 'now' }).next()).rejects.toMatchObject({ status: 400 })
})
