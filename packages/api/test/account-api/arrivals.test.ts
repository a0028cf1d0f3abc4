// GET /checks/{guid}/arrivals: whoever follows the cursor reads every stored result exactly once.

import { deleteCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { readResults } from '@dogwatch/domain/checks/read'
import { readArrivals, SETTLING_MS, settleArrivals } from '@dogwatch/domain/results/arrivals'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { askEach, holdEach, plantTriggers, workerUrls } from '../../../store/test/support/cluster.ts'
import { ACCOUNT, eventually, type Monitor, type Org, result, type World, world } from '../support/world.ts'

interface Page {
  results: { ran_at: string; monitor_id: string }[]
  cursor: string
}

const SETTLED_SEC = SETTLING_MS / 1000 + 1
let w: World
let org: Org
let token: string
let monitors: Monitor[]
let guid: string
beforeAll(async () => {
  w = await world()
  org = await w.org()
  token = await w.pat(org)
  monitors = [await w.monitor(org, 'alpha'), await w.monitor(org, 'beta'), await w.monitor(org, 'gamma')]
  // Whoever stores results of a monitor waits while that monitor's gate is closed, in the middle of the statement.
  await plantTriggers(
    w.databaseUrl,
    `create function gate() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtext(new.monitor_id));
      return new;
    end $$`,
    'create trigger gate before insert on results for each row execute function gate()',
  )
})
beforeEach(async () => {
  await w.rows('update checks set deleted = true where org_id = $1', org.org_id)
  ;[guid = ''] = await w.checks(org, [{}], 'all')
})
afterAll(() => w.close())

const get = (query = '', check = guid) =>
  w.http.get(`${ACCOUNT}/checks/${check}/arrivals${query}`).set('Authorization', `Bearer ${token}`)
const page = async (query = ''): Promise<Page> => {
  const answer = await get(query)
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
  return answer.body as Page
}
const next = ({ cursor }: Page) => page(`?cursor=${cursor}`)
/** An instant so many seconds after now. */
const at = (seconds: number) => new Date(w.clock.now().getTime() + seconds * 1000).toISOString()
const store = (monitor: Monitor | undefined, ...times: string[]) =>
  monitor?.client.upload(times.map((ran_at) => result(guid, { ran_at })))
const seconds = ({ results }: Page, since: string) =>
  results.map(({ ran_at }) => Math.round((Date.parse(ran_at) - Date.parse(since)) / 1000))

interface Gate {
  open(): Promise<void>
}
async function close(monitor: Monitor): Promise<Gate> {
  const held = await holdEach(w.databaseUrl, 'select pg_advisory_lock(hashtext($1))', [monitor.id])
  return { open: held.letGo }
}
const WAITING = "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()"
const waiting = async () => (await askEach(w.databaseUrl, WAITING)).length

describe('a reader', () => {
  test('gets a result once its time is settled, with every field, and then no more', async () => {
    const [alpha] = monitors
    const ran_at = at(0)
    await alpha?.client.upload([result(guid, { ran_at, success: false, http_status: 503, error: 'down' })])
    const early = await page()
    expect(early.results).toEqual([])
    w.clock.forward(SETTLED_SEC)
    const first = await next(early)
    expect(first.results).toEqual([
      {
        ran_at: ran_at.replace('Z', '000Z'),
        monitor_id: alpha?.id,
        monitor_name: 'alpha',
        success: false,
        latency_ms: 12,
        http_status: 503,
        error: 'down',
      },
    ])
    expect((await next(first)).results).toEqual([])
    expect(await page()).toEqual({ results: first.results, cursor: expect.any(String) })
  })

  test('gets what a monitor uploads late after what ran later, at once and once', async () => {
    const began = at(0)
    await store(monitors[0], at(-20), at(0))
    w.clock.forward(60)
    const first = await page()
    expect(seconds(first, began)).toEqual([-20, 0])
    await store(monitors[1], at(-70), at(-3_000_000))
    await store(monitors[1], at(-70))
    const second = await next(first)
    expect(seconds(second, began)).toEqual([-3_000_000 + 60, -10])
    expect((await next(second)).results).toEqual([])
    // Who comes later finds them where they ran.
    expect(seconds(await page(), began)).toEqual([-3_000_000 + 60, -20, -10, 0])
  })

  test('is held up by nobody who is ahead of the clock, and gets that when its time has come', async () => {
    const began = at(0)
    await store(monitors[0], at(500), at(0))
    w.clock.forward(SETTLED_SEC)
    const first = await page()
    expect(seconds(first, began)).toEqual([0])
    await store(monitors[1], at(0))
    w.clock.forward(600)
    expect(seconds(await next(first), began)).toEqual([SETTLED_SEC, 500])
  })

  test('misses nothing of a transaction that was under way while later ones were read', async () => {
    const [alpha, beta] = monitors as [Monitor, Monitor]
    const began = at(0)
    const gate = await close(alpha)
    const stored = store(alpha, at(-1))
    let first: Page
    try {
      await eventually(async () => (await waiting()) === 1, 'the first upload waits')
      await store(beta, at(0))
      w.clock.forward(60)
      // The first upload may not know how far readers have read, so no reader passes it.
      first = await page()
    } finally {
      await gate.open()
    }
    expect(seconds(first, began)).toEqual([])
    await stored
    expect(seconds(await next(first), began)).toEqual([-1, 0])
  })

  test('misses nothing of a prepared transaction, and reads on when it is over', async () => {
    const [{ max_prepared_transactions } = {}] = await w.rows('show max_prepared_transactions')
    // A Postgres that a person brought for the tests may not have them.
    if (max_prepared_transactions === '0') return
    const began = at(0)
    const client = new pg.Client({ connectionString: w.databaseUrl })
    await client.connect()
    const insert = () =>
      client.query(
        `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
         select org_id, check_id, $2, 12, 200, true, $3 from checks where guid = $1`,
        [guid, at(-1), monitors[0]?.id],
      )
    // Where nodes hold the results, their transactions are their own, and the coordinator's is known by this lock.
    const isOnNodes = workerUrls(w.databaseUrl).length > 0
    try {
      await client.query('begin')
      await (isOnNodes ? client.query('lock table late_results in row exclusive mode') : insert())
      await client.query(`prepare transaction '${guid}'`)
      if (isOnNodes) await insert()
    } finally {
      await client.end()
    }
    const pages: Page[] = []
    try {
      await store(monitors[1], at(0))
      w.clock.forward(60)
      pages.push(await page())
      pages.push(await next(pages[0] as Page))
    } finally {
      // A prepared transaction outlasts the connection, and keeps the database from being dropped.
      await w.rows(`commit prepared '${guid}'`)
    }
    expect(pages.map((one) => seconds(one, began))).toEqual([[], []])
    expect(seconds(await next(pages[1] as Page), began)).toEqual([-1, 0])
  })

  test('may begin at an instant, and hears of what is stored late from then on', async () => {
    const began = at(0)
    await store(monitors[0], at(-100), at(-50), at(0))
    w.clock.forward(60)
    await page()
    await store(monitors[1], at(-200))
    const first = await page(`?after=${at(-110)}`)
    expect(seconds(first, began)).toEqual([-50, 0])
    await store(monitors[1], at(-300))
    expect(seconds(await next(first), began)).toEqual([-240])
  })

  test('goes on after the results that it had were deleted, and gets none that are gone', async () => {
    const began = at(0)
    await store(monitors[0], at(0))
    w.clock.forward(60)
    const first = await page()
    await store(monitors[1], at(-100), at(-90))
    await w.rows('delete from results where ran_at < $1', at(-95))
    expect(seconds(await next(first), began)).toEqual([-30])
  })
})

describe('properties', () => {
  const monitor = fc.nat(2)
  const action = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('upload' as const),
        monitor,
        // Seconds from now, as a monitor that is right, was away, or is ahead has them.
        runs: fc.array(
          fc.oneof(
            fc.integer({ min: -20, max: 0 }),
            fc.integer({ min: -600, max: -31 }),
            fc.integer({ min: 1, max: 90 }),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        success: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), monitor }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), monitor }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('open' as const), monitor }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('forward' as const), seconds: fc.nat(90) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('read' as const), reader: fc.nat(1) }) },
  )

  /** Reads one page and keeps where to go on from. */
  type Reader = () => Promise<{ ran_at: string; monitor_id: string }[]>
  const byArrival = (size: number): Reader => {
    let cursor: string | undefined
    return async () => {
      await settleArrivals(w.deps, [0])
      const page = await readArrivals(w.deps, org.org_id, guid, { ...(cursor && { cursor }) }, size)
      cursor = page.cursor
      return page.results
    }
  }
  const byTime = (): Reader => {
    let next = {}
    return async () => {
      const results = await readResults(w.deps, org.org_id, guid, next)
      const last = results.at(-1)
      if (last) next = { after: last.ran_at, after_monitor: last.monitor_id }
      return results
    }
  }

  const exactlyOnce = (newReader: (size: number) => Reader) =>
    fc.asyncProperty(
      fc.array(action, { minLength: 4, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      async (actions, size) => {
        ;[guid = ''] = await w.checks(org, [{}], 'all')
        const gates = new Map<number, Gate>()
        const under_way = new Map<number, Promise<unknown>>()
        const sent = new Map<number, ReturnType<typeof result>[]>()
        const readers = [newReader(size), newReader(size)].map((read) => ({ read, seen: [] as string[] }))
        const go = async ({ read, seen }: (typeof readers)[number]) => {
          const results = await read()
          seen.push(...results.map(({ ran_at, monitor_id }) => `${ran_at} ${monitor_id}`))
          return results.length
        }
        const send = async (which: number, batch: ReturnType<typeof result>[]) => {
          // It waits, and one that waits is enough: each holds a connection.
          if (under_way.has(which)) return
          sent.set(which, batch)
          const before = await waiting()
          const stored = monitors[which]?.client.upload(batch) ?? Promise.resolve()
          if (!gates.has(which)) return void (await stored)
          under_way.set(which, stored)
          await eventually(async () => (await waiting()) > before, 'the upload waits')
        }
        const open = async (which: number) => {
          await gates.get(which)?.open()
          await under_way.get(which)
          gates.delete(which)
          under_way.delete(which)
        }
        try {
          for (const one of actions) {
            if (one.kind === 'upload')
              await send(
                one.monitor,
                one.runs.map((run) => result(guid, { ran_at: at(run), success: one.success })),
              )
            else if (one.kind === 'repeat' && !gates.has(one.monitor))
              await send(one.monitor, sent.get(one.monitor) ?? [])
            else if (one.kind === 'close' && !gates.has(one.monitor))
              gates.set(one.monitor, await close(monitors[one.monitor] as Monitor))
            else if (one.kind === 'open') await open(one.monitor)
            else if (one.kind === 'forward') w.clock.forward(one.seconds)
            else if (one.kind === 'read') await go(readers[one.reader] as (typeof readers)[number])
          }
        } finally {
          // A gate that stays closed would stop all that follows.
          for (const which of gates.keys()) await open(which)
        }
        w.clock.forward(200)
        for (const reader of readers) for (let idle = 0; idle < 2; ) idle = (await go(reader)) === 0 ? idle + 1 : 0
        const stored = await w.rows(
          'select wire_time(ran_at) as ran_at, monitor_id from results join checks using (org_id, check_id) where guid = $1',
          guid,
        )
        const all = stored.map(({ ran_at, monitor_id }) => `${String(ran_at)} ${String(monitor_id)}`).sort()
        return readers.every(({ seen }) => JSON.stringify(seen.toSorted()) === JSON.stringify(all))
      },
    )

  test('however late, in whatever order, repeated, ahead, or under way for long: each reader gets each result once', async () => {
    await fc.assert(exactlyOnce(byArrival), { numRuns: 40 })
  })

  test('the order of the runs does not hold that', async () => {
    const { failed } = await fc.check(exactlyOnce(byTime), { numRuns: 40, endOnFailure: true })
    expect(failed).toBe(true)
  })
})

describe('refusals', () => {
  test.each([
    '',
    'nonsense',
    'WzFd',
    'bnVsbA',
    Buffer.from('[1,"x",-1,"2026-11-20T10:00:00Z",""]').toString('base64url'),
  ])('cursor=%j is 400', async (cursor) => {
    const answer = await get(`?cursor=${cursor}`)
    expect([answer.status, answer.text]).toEqual([400, 'cursor must be a cursor from an earlier page'])
  })

  test('a cursor of another check, one that is too long, and an instant that is none are 400', async () => {
    const { cursor } = await page()
    const [other] = await w.checks(org, [{}], 'all')
    const lines = await Promise.all(
      [get(`?cursor=${cursor}`, other), get(`?cursor=${'A'.repeat(201)}`), get('?after=now')].map(async (asked) => {
        const { status, text } = await asked
        return `${status} ${text}`
      }),
    )
    expect(lines).toEqual([
      '400 cursor must be a cursor of the same check',
      '400 cursor must not have more than 200 characters',
      '400 after must be an RFC 3339 date-time',
    ])
  })

  test("an unknown guid, a deleted check's and another org's are 404", async () => {
    const [foreign] = await w.checks(await w.org(), [{}])
    await deleteCheck(w.deps, guid)
    for (const check of [foreign, 'nonsense', guid]) {
      const answer = await get('', check)
      expect([answer.status, answer.text]).toEqual([404, 'no check with that guid'])
    }
  })
})
