// /metrics: what Prometheus is told, and what it is never told.
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMetricsServer } from '@dogwatch/api/metrics-server'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { Metrics } from '@dogwatch/runtime/metrics'
import { openSparePool, type SparePool } from '@dogwatch/store/postgres/spare-pool'
import { readLags } from '@dogwatch/store/processes/lags'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type DatabaseProxy, databaseProxy } from '../../../api/test/support/database-proxy.ts'
import { observe } from '../../src/bin/observe.ts'
import { ACCOUNT, eventually, result, type World, world } from '../support/world.ts'

let w: World
let metrics: Metrics
let proxy: DatabaseProxy
let sparePool: SparePool
let probes: Server
beforeAll(async () => {
  metrics = new Metrics()
  w = await world({ metrics, address_limit: { per_sec: 0.001, burst: 50 } })
  proxy = await databaseProxy(w.databaseUrl)
  sparePool = openSparePool(proxy.url, 5000)
  observe(metrics, w.deps, sparePool)
  probes = createMetricsServer(() => false, metrics)
  await new Promise<void>((resolve) => void probes.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  probes.closeAllConnections()
  await new Promise((resolve) => probes.close(resolve))
  await sparePool.end()
  await proxy.close()
  await w.close()
})

/** Every line but the comments: its name with its labels, and the number. */
async function scrape(): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${(probes.address() as AddressInfo).port}/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** Asks later than the last look at the database holds. */
async function scrapeAnew(): Promise<Map<string, number>> {
  w.clock.forward(10)
  return scrape()
}

test('requests are counted by surface, route, method and status, and no label is of a client', async () => {
  const org = await w.org()
  const pat = await w.pat(org)
  const [guid = ''] = await w.checks(org, [{}])
  const made_up = randomBytes(8).toString('hex')
  await w.http.get(`${ACCOUNT}/checks/${guid}`).set('Authorization', `Bearer ${pat}`)
  for (const path of [`/${made_up}`, `/ping/${made_up}`, `/status/${made_up}`, `${ACCOUNT}/${made_up}`, '/sign-in']) {
    await w.http.get(path)
  }
  await w.http.put(`${ACCOUNT}/checks/${made_up}`)
  const counted = () => scrape().then((all) => [...all].filter(([name]) => /^dogwatch_http_requests_total/.test(name)))
  await eventually(async () => (await counted()).length >= 7, 'all are counted')
  expect(Object.fromEntries(await counted())).toMatchObject(
    Object.fromEntries(
      [
        'surface="account-api",route="/checks/{guid}",method="GET",status="200"',
        'surface="account-api",route="none",method="GET",status="404"',
        'surface="account-api",route="none",method="PUT",status="405"',
        'surface="console",route="none",method="GET",status="404"',
        'surface="console",route="/sign-in",method="GET",status="200"',
        'surface="ping",route="/ping/{token}",method="GET",status="404"',
        'surface="status-page",route="/:page",method="GET",status="404"',
      ].map((labels) => [`dogwatch_http_requests_total{${labels}}`, 1]),
    ),
  )
  const all = [...(await scrape()).keys()].join('\n')
  for (const secret of [made_up, guid, pat]) expect(all).not.toContain(secret)
})

test('results are counted as fresh, known and dropped, and a limit by its refusals', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], 'all')
  const before = await scrape()
  const one = result(guid, { ran_at: w.deps.clock.now().toISOString() })
  await monitor.client.upload([one, result('unknown')])
  await monitor.client.upload([one])
  // The longer way, since one of them failed.
  await monitor.client.upload([one, { ...result(guid, { success: false, ran_at: '2026-11-20T11:59:30Z' }) }])
  const pat = await w.pat(org)
  const after = await scrape()
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  expect({
    batches: grown('dogwatch_ingest_batches_total'),
    fresh: grown('dogwatch_ingest_results_total{outcome="fresh"}'),
    known: grown('dogwatch_ingest_results_total{outcome="known"}'),
    dropped: grown('dogwatch_ingest_results_total{outcome="dropped"}'),
  }).toEqual({ batches: 3, fresh: 2, known: 2, dropped: 1 })
  let refused = 0
  // A machine that takes a second for each wave gives some of the allowance back meanwhile.
  for (let wave = 0; wave < 20 && refused === 0; wave++) {
    const asked = Array.from({ length: 60 }, () => w.http.get(`${ACCOUNT}/x`).set('Authorization', `Bearer ${pat}`))
    refused = (await Promise.all(asked)).filter(({ status }) => status === 429).length
  }
  expect(refused).toBeGreaterThan(0)
  expect((await scrape()).get('dogwatch_limited_total{limit="account-api"}')).toBe(refused)
})

test('lags are told in seconds, and that they cannot be read is told beside all the rest', async () => {
  const { org_id } = await w.org()
  const wanted = { name: 'hb', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const { guid } = await createHeartbeat(w.deps, org_id, wanted)
  await w.rows(
    "update heartbeats set state = 'up', last_heartbeat_at = now(), due_at = now() - interval '90 seconds' where guid = $1",
    guid,
  )
  const there = await scrapeAnew()
  expect(await readLags(sparePool, 60_000)).toMatchObject({ heartbeats_due: 1 })
  expect(there.get('dogwatch_scrape_failed')).toBe(0)
  expect(there.get('dogwatch_heartbeats_due')).toBe(1)
  expect(there.get('dogwatch_heartbeats_oldest_due_seconds')).toBeGreaterThanOrEqual(90)
  expect(there.get('dogwatch_deliveries_oldest_due_seconds')).toBe(0)
  // As when a node of a sharded database is away.
  await w.rows('alter table rollup_marks rename to elsewhere')
  try {
    const counted = { heartbeats_due: 1, history_marks: null, results_outside_partitions: expect.any(Number) }
    expect(await readLags(sparePool, 60_000)).toMatchObject(counted)
  } finally {
    await w.rows('alter table elsewhere rename to rollup_marks')
  }
  for (const pool of ['durable', 'editing']) {
    expect(there.get(`dogwatch_pool_total{pool="${pool}"}`)).toBeGreaterThan(0)
  }
  proxy.forget()
  const away = await scrapeAnew()
  expect(away.get('dogwatch_scrape_failed')).toBe(1)
  expect(away.has('dogwatch_heartbeats_due')).toBe(false)
  expect(away.get('dogwatch_pool_total{pool="durable"}')).toBeGreaterThan(0)
  expect((await scrapeAnew()).get('dogwatch_heartbeats_due')).toBe(1)
})

test('a delivery that waits for an earlier one of its subject is not the oldest that is due', async () => {
  const org = await w.org()
  const [{ id: channel_id } = {}] = await w.rows(
    `insert into notification_channels (org_id, name, kind, destination)
     values ($1, 'hook', 'webhook', '{"webhook_url":"https://example.com/"}') returning id`,
    org.org_id,
  )
  const add = (subject: string, due: string) =>
    w.rows(
      `with e as (insert into events (org_id, event_id, type, created_at, subject, data)
         values ($1, gen_random_uuid()::text, 'check.down', now(), $3, '{}') returning org_id, event_id)
       insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
       select org_id, event_id, $2, $3, now(), now() + $4::interval from e`,
      org.org_id,
      channel_id,
      subject,
      due,
    )
  await add('check a', '1 hour')
  await add('check a', '-1 hour')
  await add('check b', '-60 seconds')
  const lags = await scrapeAnew()
  expect(lags.get('dogwatch_deliveries_pending')).toBe(3)
  expect(lags.get('dogwatch_deliveries_oldest_due_seconds')).toBeGreaterThanOrEqual(60)
  expect(lags.get('dogwatch_deliveries_oldest_due_seconds')).toBeLessThan(3600)
})

test('the lag of sealing is shown once an hour is sealed', async () => {
  await w.rows(
    `insert into rollup_progress (hours_until, days_until, sketched_until) values ('2026-11-20T12:00Z', '2026-11-20', '2026-11-20T12:00Z')
     on conflict do nothing`,
  )
  const behind = async () => (await scrapeAnew()).get('dogwatch_sealing_behind_seconds')
  const sealed = "sealed_until = (select hours_until - interval '5 hours' from rollup_progress)"
  await w.rows('update seal_progress set is_on = true')
  expect(await behind()).toBeUndefined()
  await w.rows(`update seal_progress set ${sealed}`)
  expect(await behind()).toBe(18_000)
  await w.rows('update seal_progress set is_on = false')
  expect(await behind()).toBeUndefined()
})
