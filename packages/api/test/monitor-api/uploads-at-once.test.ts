// One organisation that uploads without end, beside one that does not.
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { lanesFor } from '../../src/lanes.ts'
import { eventually, type Monitor, type Org, PREFIX, result, type World, world } from '../support/world.ts'

/** As many connections as this world has: one organisation may hold two of them, and uploads three. */
const LANES = lanesFor(4)
const SHARE = { most: 24, free_share: 1, of_caller: 4, limit: 'uploads' }
/** More bytes than a small upload has. */
const LARGE = 32_769

let w: World
let holder: pg.Client
beforeAll(async () => {
  w = await world({ monitor_api: {}, lanes: { ...LANES, uploads: { ...LANES.uploads, share: SHARE } } })
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})

const instant = (n: number) => `2026-11-20T11:59:00.${String(n).padStart(6, '0')}Z`

async function upload(monitor: Monitor, guid: string, n: number, bytes = 0): Promise<number> {
  const answer = await fetch(`${w.direct}${PREFIX}/results`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${monitor.key}` },
    body: JSON.stringify({ results: [result(guid, { ran_at: instant(n), success: false })] }).padEnd(bytes),
  })
  await answer.text()
  return answer.status
}

const lockWaits = async () =>
  (await holder.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
    .rowCount

async function tenant(monitors: number): Promise<{ org: Org; monitors: Monitor[]; guid: string }> {
  const org = await w.org()
  const all: Monitor[] = []
  for (let n = 0; n < monitors; n++) all.push(await w.monitor(org))
  const [guid = ''] = await w.checks(org, [{}], 'all')
  // From then on there is a row by which it is judged.
  await upload(all[0] as Monitor, guid, 999)
  return { org, monitors: all, guid }
}

test('uploads that wait for a check leave connections to others, and one monitor has no more than its share', async () => {
  const [greedy, honest] = [await tenant(1), await tenant(1)]
  const [flooder, modest] = [greedy.monitors[0] as Monitor, honest.monitors[0] as Monitor]
  // Their check is being judged, for long.
  const locking = new pg.Client({ connectionString: w.databaseUrl })
  await locking.connect()
  await locking.query('begin')
  await locking.query('select from check_states where org_id = $1 for update', [greedy.org.org_id])
  try {
    let refused = 0
    const flood = Array.from({ length: 10 }, async (_, n) => {
      const status = await upload(flooder, greedy.guid, n)
      if (status === 429) refused++
      return status
    })
    await eventually(
      async () => (await lockWaits()) === 2 && refused === 6,
      'two of them hold a connection, two wait for one, and the others are refused',
    )
    expect(await upload(modest, honest.guid, 0)).toBe(200)
    expect((await modest.client.sync()).checks).toHaveLength(1)
    await locking.query('rollback')
    expect((await Promise.all(flood)).sort()).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429, 429])
  } finally {
    await locking.end()
  }
  expect(await upload(flooder, greedy.guid, 20)).toBe(200)
})

test.each([
  ['large', 'refused beyond its share', [200, 429], LARGE],
  ['small', 'waiting for their turn', [200], 0],
])(
  '%s uploads of many monitors of an organisation are %s, and a place is left for others',
  async (_, __, expected, bytes) => {
    const [greedy, honest] = [await tenant(8), await tenant(1)]
    const locking = new pg.Client({ connectionString: w.databaseUrl })
    await locking.connect()
    await locking.query('begin')
    await locking.query('select from check_states where org_id = $1 for update', [greedy.org.org_id])
    try {
      const flood = greedy.monitors.flatMap((monitor) => [0, 1, 2].map((n) => upload(monitor, greedy.guid, n, bytes)))
      await eventually(async () => (await lockWaits()) === 2, 'two of them hold a connection')
      expect(await upload(honest.monitors[0] as Monitor, honest.guid, 0)).toBe(200)
      await locking.query('rollback')
      const statuses = new Set(await Promise.all(flood))
      expect(statuses).toEqual(new Set(expected))
    } finally {
      await locking.end()
    }
  },
)

test('bodies that come slowly, of however many organisations, take no place from an upload that comes whole', async () => {
  const honest = await tenant(1)
  const sockets: Socket[] = []
  try {
    for (let n = 0; n < SHARE.most; n++) {
      const { key } = await w.monitor(await w.org())
      const socket = connect(Number(new URL(w.direct).port), '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      socket.write(
        `POST ${PREFIX}/results HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000\r\n\r\n{`,
      )
    }
    const monitor = honest.monitors[0] as Monitor
    const isStored = async () => {
      // Bodies that come slowly are cut off after a time of the server's clock.
      w.clock.forward(1)
      return (await upload(monitor, honest.guid, 30)) === 200
    }
    await eventually(() => sockets.every(({ bytesWritten }) => bytesWritten > 0), 'all of them have begun')
    await eventually(isStored, 'an upload that comes whole is stored')
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('an upload that its agent gave up before its turn takes no connection any more', async () => {
  const greedy = await tenant(3)
  const locking = new pg.Client({ connectionString: w.databaseUrl })
  await locking.connect()
  await locking.query('begin')
  await locking.query('select from check_states where org_id = $1 for update', [greedy.org.org_id])
  try {
    const [first, second, third] = greedy.monitors as [Monitor, Monitor, Monitor]
    const stored = [upload(first, greedy.guid, 40), upload(second, greedy.guid, 41)]
    await eventually(async () => (await lockWaits()) === 2, 'two of them hold a connection')
    const giving = new AbortController()
    const given = fetch(`${w.direct}${PREFIX}/results`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${third.key}` },
      body: JSON.stringify({ results: [result(greedy.guid, { ran_at: instant(42), success: false })] }),
      signal: giving.signal,
    })
    const seen = async () =>
      (await w.rows('select from monitors where id = $1 and last_seen_at is not null', third.id)).length === 1
    await eventually(seen, 'the third one has come')
    giving.abort()
    await expect(given).rejects.toThrow()
    await locking.query('rollback')
    expect(await Promise.all(stored)).toEqual([200, 200])
    expect(await upload(third, greedy.guid, 43)).toBe(200)
    const rows = await w.rows(
      `select from results join checks using (org_id, check_id) where guid = $1 and ran_at = $2`,
      ...[greedy.guid, instant(42)],
    )
    expect(rows).toEqual([])
  } finally {
    await locking.end()
  }
})
