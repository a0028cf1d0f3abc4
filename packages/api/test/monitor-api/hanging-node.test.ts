// A node whose machine is gone without a word: others' checks are judged, and nobody waits for it for long. Two ways to one Postgres stand
// for two nodes here, for organisations with even and with odd numbers.

import { rejudgeChecks } from '@dogwatch/domain/checks/update-health'
import { remind } from '@dogwatch/domain/events/remind'
import { openConnections } from '@dogwatch/store/postgres/connections'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type pg from 'pg'
import { SESSION } from '../../../store/src/postgres/session.ts'
import { Nodes } from '../../../store/src/results/nodes/nodes.ts'
import { createTestDatabase } from '../../../store/test/support/database.ts'
import { type DatabaseProxy, databaseProxy } from '../support/database-proxy.ts'
import { eventually, type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

let w: World
let proxies: readonly DatabaseProxy[]
let shared: Monitor
/** One on each node. */
let here: Org
let there: Org
beforeAll(async () => {
  const { url, drop } = await createTestDatabase()
  proxies = await Promise.all([databaseProxy(url), databaseProxy(url)])
  w = await world({ testDatabase: { url, drop }, nodes: () => nodesBehind(proxies) })
  shared = await w.monitor(null)
})
beforeEach(async () => {
  here = await w.org()
  there = await w.org()
})
afterEach(() => back())
afterAll(async () => {
  await w.close()
  await Promise.all(proxies.map((proxy) => proxy.close()))
})

const connectionsTo = (url: string) =>
  openConnections({
    url,
    size: 4,
    application_name: 'node',
    settings: SESSION,
    answer_ms: 0,
    pooler: undefined,
    isPrimary: true,
    onIdleError: () => {},
    onDemoted: () => {},
    onDiskFull: () => {},
  })

/** What a coordinator says of two nodes. */
function nodesBehind(ways: readonly DatabaseProxy[]): Nodes {
  const query = async (text: string, [org_ids]: [number[]] = [[]]) => ({
    rows: text.includes('unnest')
      ? org_ids.map((org_id) => ({ org_id, is_coordinator: false, host: 'node', port: org_id % 2 }))
      : [{ is_so: true }],
  })
  return new Nodes({
    coordinator: { query: query as unknown as pg.Pool['query'] },
    open: (address) => connectionsTo(ways[address?.port ?? 0]?.url ?? ''),
    slow_ms: 500,
    away_ms: 50,
  })
}

const hang = ({ org_id }: Org) => proxies[org_id % 2]?.hang()
const isAway = ({ org_id }: Org) => w.deps.database.nodes.isAway(`node:${org_id % 2}`)
async function back(): Promise<void> {
  for (const proxy of proxies) proxy.wake()
  await eventually(() => !isAway(here) && !isAway(there), 'both nodes are used')
}

const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString().replace('Z', '000Z')
const post = (guids: readonly string[], sec: number, success: boolean) =>
  w.http
    .post(`${PREFIX}/results`)
    .set('Authorization', `Bearer ${shared.key}`)
    .send({ results: guids.map((guid) => result(guid, { ran_at: ago(sec), success })), partial: true })
/** The organisations of which something is so. */
const orgsOf = async (what: string) =>
  (
    await w.rows(`select org_id::integer from ${what} and org_id = any($1) order by 1`, [here.org_id, there.org_id])
  ).map(({ org_id }) => org_id)
const down = () => orgsOf('incidents where ended_at is null')

/** A check of each. */
async function checkOfEach(): Promise<string[]> {
  const guids: string[] = []
  for (const org of [here, there]) guids.push(...(await w.checks(org, [{ resend_interval_sec: 3600 }], [shared.id])))
  return guids
}

test('checks are judged whose node answers, and those of a node that hangs when it is back', async () => {
  const guids = await checkOfEach()
  expect((await post(guids, 20, true)).body).toEqual({ accepted: 2 })
  for (const { org_id } of [here, there]) {
    await w.rows(
      `insert into results (org_id, check_id, ran_at, monitor_id, latency_ms, http_status, success)
       select org_id, check_id, $2, $3, 1, 500, false from checks where org_id = $1`,
      org_id,
      ago(10),
      shared.id,
    )
    await w.rows(
      `insert into check_states (org_id, check_id, rejudge_at) select org_id, check_id, '-infinity' from checks where org_id = $1
       on conflict (org_id, check_id) do update set rejudge_at = '-infinity'`,
      org_id,
    )
  }
  hang(there)
  await rejudgeChecks(w.deps)
  expect(await down()).toEqual([here.org_id])
  expect(isAway(there)).toBe(true)
  expect(await orgsOf(`check_states where rejudge_at > '${ago(-50)}'`)).toEqual([there.org_id])
  await back()
  w.clock.forward(61)
  await rejudgeChecks(w.deps)
  expect(await down()).toEqual([here.org_id, there.org_id])
})

test('while a node hangs, an upload takes down the checks of the others', async () => {
  const guids = await checkOfEach()
  hang(there)
  expect((await post(guids, 1, false)).body).toEqual({ accepted: 1, again: [1] })
  expect(await down()).toEqual([here.org_id])
  await back()
  expect((await post(guids.slice(1), 1, false)).body).toEqual({ accepted: 1 })
  expect(await down()).toEqual([here.org_id, there.org_id])
})

test('reminders of checks whose node hangs wait until it is back, and those of the others go out', async () => {
  const guids = await checkOfEach()
  await post(guids, 5, false)
  expect(await down()).toEqual([here.org_id, there.org_id])
  w.clock.forward(3700)
  await post(guids, 2, false)
  hang(there)
  await remind(w.deps)
  const told = () => orgsOf(`events where type = 'check.reminder'`)
  expect(await told()).toEqual([here.org_id])
  await back()
  await remind(w.deps)
  expect(await told()).toEqual([here.org_id, there.org_id])
})

test('nobody waits forever for a server that hangs between a new connection and its first answer', async () => {
  const connections = connectionsTo(proxies[0]?.url ?? '')
  proxies[0]?.hangWhenReady()
  await expect(connections.pool.query('select 1')).rejects.toThrow('timeout')
  proxies[0]?.wake()
  expect((await connections.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await connections.close()
})
