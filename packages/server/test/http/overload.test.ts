// What cannot be served now is told so, in time, and takes nothing else down with it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { document } from '@dogwatch/contract/monitor'
import pg from 'pg'
import { openDatabase } from '../../src/store/database.ts'
import { closed } from '../support/closed-document.ts'
import { ACCOUNT, PLACE, PREFIX, type World, world } from '../support/world.ts'

let w: World
let holder: pg.Client
beforeAll(async () => {
  w = await world({ monitor_api: { contract: closed(document), validateResponses: true } })
  // The bounds of a server, shortened.
  const { url } = { url: w.databaseUrl }
  const bounded = openDatabase({ url, poolSize: 4, lock_ms: 300, statement_ms: 5000 })
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
    expect({ status, text }).toEqual({ status: 503, text: 'overloaded, try again later' })
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  }
  await holder.query('rollback')
  expect((await w.monitor(org)).id).toHaveLength(12)
  expect(await w.rows('select count(*) from monitors where org_id = $1', org.org_id)).toEqual([{ count: 2 }])
})
