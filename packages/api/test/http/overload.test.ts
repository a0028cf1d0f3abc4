// What cannot be served now is told so, in time, and takes nothing else down with it.

import { document } from '@dogwatch/contract/monitor'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { openDatabase } from '@dogwatch/store/database'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import type supertest from 'supertest'
import { askEach } from '../../../store/test/support/cluster.ts'
import { wayTo } from '../../../store/test/support/database.ts'
import { closed } from '../support/closed-document.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'
import { ACCOUNT, eventually, PLACE, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let holder: pg.Client
beforeAll(async () => {
  w = await world({ monitor_api: { contract: closed(document), validateResponses: true } })
  // The bounds of a server, shortened.
  const { url } = { url: w.databaseUrl }
  const bounded = openDatabase({ ...wayTo(url), poolSize: 4, lock_ms: 300, statement_ms: 5000 })
  await w.deps.database.close()
  Object.assign(w.deps.database, bounded)
  holder = new pg.Client({ connectionString: url })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})

test('while a change holds the clock, enrolling is 503 with Retry-After, and syncs, uploads and readers go on', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [token, pat] = [await w.token(org), await w.pat(org)]
  await holder.query('begin; select sync_tick()')
  const enrolling = Array.from({ length: 8 }, () =>
    w.http.post(`${PREFIX}/enroll`).set('Authorization', `Bearer ${token}`).send(PLACE),
  )
  const refused = Promise.all(enrolling)
  expect((await monitor.client.sync()).checks).toEqual([])
  expect(await monitor.client.ping()).toEqual({ status: 'ok' })
  expect((await w.http.get(`${ACCOUNT}/checks`).set('Authorization', `Bearer ${pat}`)).status).toBe(200)
  for (const { status, text, headers } of await refused) {
    expect({ status, text }).toEqual({ status: 503, text: 'overloaded; try again later' })
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  }
  await holder.query('rollback')
  expect((await w.monitor(org)).id).toHaveLength(12)
  expect(await w.rows('select count(*) from monitors where org_id = $1', org.org_id)).toEqual([{ count: 2 }])
})

describe('the way to the database breaks', () => {
  let proxy: DatabaseProxy
  let through: World
  beforeAll(async () => {
    through = await world()
    proxy = await databaseProxy(through.databaseUrl)
    await through.deps.database.close()
    Object.assign(through.deps.database, openDatabase({ url: proxy.url, poolSize: 2 }))
  })
  afterAll(async () => {
    await through.close()
    await proxy.close()
  })

  /** Asks while somebody holds a table, and cuts the connections once the request waits for it. */
  async function asksAndIsCut(table: string, request: () => supertest.Test) {
    const client = new pg.Client({ connectionString: through.databaseUrl })
    await client.connect()
    await client.query(`begin; lock table ${table} in exclusive mode`)
    const answer = request().then((response) => response)
    // By connections that are in no transaction, which would see the same all the time.
    const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    try {
      await eventually(async () => (await askEach(through.databaseUrl, waits)).length === 1, 'the request waits')
      proxy.cut()
      // What waits at a node does so beside the proxy.
      await client.query('rollback')
      const { status, headers } = await answer
      return { status, retryAfter: headers['retry-after'] }
    } finally {
      await client.end()
    }
  }

  test('an upload and a call may come again, and are told so', async () => {
    const org = await through.org()
    const monitor = await through.monitor(org)
    const [guid = ''] = await through.checks(org, [{}], 'all')
    const upload = () =>
      through.http
        .post(`${PREFIX}/results`)
        .set('Authorization', `Bearer ${monitor.key}`)
        .send({ results: [result(guid)] })
    expect(await asksAndIsCut('results', upload)).toEqual({ status: 503, retryAfter: '1' })
    const wanted = { name: 'hb', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { token } = await createHeartbeat(through.deps, org.org_id, wanted)
    expect(await asksAndIsCut('pings', () => through.http.get(`/ping/${token}`))).toEqual({
      status: 503,
      retryAfter: '1',
    })
    expect((await through.http.get(`/ping/${token}`)).status).toBe(200)
  })

  test('nobody knows whether somebody was enrolled: that is not to be done twice', async () => {
    const token = await through.token(await through.org())
    const enroll = () => through.http.post(`${PREFIX}/enroll`).set('Authorization', `Bearer ${token}`).send(PLACE)
    expect(await asksAndIsCut('monitors', enroll)).toEqual({ status: 500, retryAfter: undefined })
  })
})
