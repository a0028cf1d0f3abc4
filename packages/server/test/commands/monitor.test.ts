// dogwatch monitor ...

import { authenticateMonitor } from '@dogwatch/domain/monitors/authenticate'
import { enroll } from '@dogwatch/domain/monitors/enroll'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Operator, operator, usageFault } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

const ids = async (...args: string[]) =>
  ((await o.answer(['monitor', 'list', ...args])) as { id: string }[]).map(({ id }) => id)

test('monitor list: an org’s, the shared fleet’s, or all, each by id and without its key', async () => {
  const [org, other] = [await o.org(), await o.org()]
  const { monitor_id, api_key } = await o.monitor(org)
  const theirs = await o.monitor(other)
  const shared = await o.monitor(null)
  const answer = await o.answer(['monitor', 'list', '--org', String(org)])
  expect(answer).toEqual([
    {
      id: monitor_id,
      org_id: org,
      name: 'rack 4',
      region: 'eu',
      country: 'DE',
      city: 'Berlin',
      enabled: true,
      platform_enabled: true,
      enrolled: true,
      last_seen_at: null,
      version: null,
      uptime_sec: null,
      unsent_results: null,
      clock_offset_ms: null,
      last_outage_sec: null,
      last_outage_ended_at: null,
      reported_at: null,
    },
  ])
  expect(JSON.stringify(answer)).not.toContain(api_key)
  expect(await ids('--shared')).toEqual([shared.monitor_id])
  expect(await ids()).toEqual([monitor_id, theirs.monitor_id, shared.monitor_id].sort())
  expect(await usageFault(o, ['monitor', 'list', '--org', '1', '--shared'])).toBe(
    'error: use --org or --shared, not both',
  )
})

test('enable and disable move the org’s bit, with --platform the kill switch; it takes both to be enabled', async () => {
  const { monitor_id: id, api_key } = await o.monitor(await o.org())
  const steps: [args: string[], answer: Record<string, boolean>, refused: boolean][] = [
    [['disable'], { enabled: false }, true],
    [['disable', '--platform'], { platform_enabled: false }, true],
    [['enable'], { enabled: true }, true],
    [['enable', '--platform'], { platform_enabled: true }, false],
  ]
  for (const [[verb = '', ...flags], answer, isRefused] of steps) {
    expect(await o.answer(['monitor', verb, '--id', id, ...flags])).toEqual({ id, ...answer })
    const call = authenticateMonitor(o.deps, api_key)
    if (isRefused) await expect(call).rejects.toMatchObject({ kind: 'forbidden' })
    else expect(await call).toMatchObject({ id })
  }
})

test('reset ends the key, and lets an agent enroll with this id', async () => {
  const org_id = await o.org()
  const { monitor_id: id, api_key } = await o.monitor(org_id)
  expect(await o.answer(['monitor', 'reset', '--id', id])).toEqual({ id, reset: true })
  await expect(authenticateMonitor(o.deps, api_key)).rejects.toMatchObject({ kind: 'unauthenticated' })
  expect(await o.answer(['monitor', 'list', '--org', String(org_id)])).toMatchObject([{ id, enrolled: false }])
  const place = { name: 'new', region: 'r', country: 'c', city: 'y' }
  expect((await enroll(o.deps, { org_id }, { ...place, id })).monitor_id).toBe(id)
})

test('remove ends it for good', async () => {
  const org_id = await o.org()
  const { monitor_id: id } = await o.monitor(org_id)
  expect(await o.answer(['monitor', 'remove', '--id', id])).toEqual({ id, removed: true })
  expect(await o.refusal(['monitor', 'remove', '--id', id])).toBe('no monitor with that id')
})

test('an id that no monitor has is refused', async () => {
  const lines = ['enable', 'disable', 'reset'].map((verb) => o.refusal(['monitor', verb, '--id', 'nobody']))
  expect(new Set(await Promise.all(lines))).toEqual(new Set(['no monitor with that id']))
})
