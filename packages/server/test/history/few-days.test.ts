// Sealed hours have a partition a day, and a year of them four hundred. What people and monitors ask for all the time opens the days that it
// needs: planning for all of them takes longer than everything else that a page does.

import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { openSession } from '@dogwatch/domain/people/sessions'
import { foldHistory } from '@dogwatch/domain/results/history'
import { ALL_KEYS } from '@dogwatch/store/checks/key-spans'
import { listSilentChecks } from '@dogwatch/store/checks/unmonitored'
import { readStateCounts } from '@dogwatch/store/incidents/state-counts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { sealBefore } from '../../../api/test/support/sealed.ts'
import { IS_ON_CLUSTER } from '../../../store/test/support/cluster.ts'
import { Browser } from '../support/browser.ts'
import { ACCOUNT, type Monitor, type Org, result, type World, world } from '../support/world.ts'

const NOW = Date.parse('2026-11-20T12:30:00Z')
const UNTIL = '2026-11-20T12:00:00Z'
const DAYS = 40
/** The days that a page of two days touches, and today. */
const FEW = 4

let w: World
let org: Org
let monitor: Monitor
let guid: string
let owner: Browser
/** Statements that name sealed hours, with the values they were sent with last. */
const sent = new Map<string, unknown[]>()
const { query } = pg.Client.prototype
beforeAll(async () => {
  // The database's connections take it as it is when they open.
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const { text, values } = (
      typeof given[0] === 'string' ? { text: given[0], values: given[1] } : given[0]
    ) as pg.QueryConfig
    if (/\bsealed_hours\b/.test(text)) sent.set(text, Array.isArray(values) ? values : [])
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  w = await world()
  w.clock.forward((NOW - w.clock.now().getTime()) / 1000)
  org = await w.org()
  monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{ name: 'shop', interval_sec: 300 }], 'all')
  owner = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
  const daily = Array.from({ length: DAYS }, (_, day) => NOW - (day + 1) * 86_400_000)
  const lately = Array.from({ length: 60 }, (_, place) => NOW - place * 300_000 - 60_000)
  const runs = [...daily.reverse(), ...lately.reverse()].map((at) => {
    const isDown = at > NOW - 400_000
    return result(guid, {
      ran_at: new Date(at).toISOString(),
      ...(isDown && { success: false, error: 'timeout: no answer' }),
    })
  })
  await monitor.client.upload(runs)
  await foldHistory(w.deps)
  await sealBefore(w, UNTIL)
})
afterAll(async () => {
  await w.close()
  pg.Client.prototype.query = query
})

/** How many days of sealed hours each statement opens that is sent meanwhile. */
async function daysOpened(work: () => Promise<unknown>): Promise<number[]> {
  sent.clear()
  await work()
  const asked = [...sent]
  const client = new pg.Client({ connectionString: w.databaseUrl })
  await client.connect()
  try {
    const opened: number[] = []
    for (const [text, values] of asked) {
      const { rows } = await client.query<Record<string, string>>(`explain ${text}`, values)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      opened.push(new Set(plan.match(/\bsealed_hours_\d{4}_\d\d_\d\d(?=\s)/g)).size)
    }
    return opened
  } finally {
    await client.end()
  }
}

test('checks with data and without are told apart, for which all days are opened', async () => {
  const other = await w.org()
  const { client } = await w.monitor(other)
  const [lately = '', old = ''] = await w.checks(other, [{ name: 'lately' }, { name: 'old' }, { name: 'new' }], 'all')
  const stored = (guid: string, at: string) => client.upload([result(guid, { ran_at: at })])
  await stored(lately, '2026-11-20T11:10:00Z')
  await stored(old, '2026-10-20T11:10:00Z')
  const count = () => readStateCounts(w.deps.database, other.org_id, w.clock.now().toISOString())
  expect((await count()).checks).toEqual({ up: 2, unknown: 1 })
})

const page = (path: string) => async () => {
  const { status } = await owner.open(path)
  expect(status).toBe(200)
}

const onOneServer = IS_ON_CLUSTER ? test.skip : test

onOneServer.each([
  ['the overview', () => page('/')()],
  ['the list of checks', () => page('/checks')()],
  ['a check over a day', () => page(`/checks/${guid}?period=24h`)()],
  ['a check over a year', () => page(`/checks/${guid}?period=1y`)()],
  ['the chore that looks for unmonitored checks', () => judgeUnmonitored(w.deps)],
])('%s opens few days of sealed hours', async (_, work) => {
  const opened = await daysOpened(work)
  expect(opened.length).toBeGreaterThan(0)
  expect(opened.filter((days) => days > FEW)).toEqual([])
})

onOneServer('an incident opens few days of sealed hours', async () => {
  const [{ incident_id } = {}] = await w.rows('select incident_id from incidents where org_id = $1', org.org_id)
  const opened = await daysOpened(page(`/incidents/${String(incident_id)}`))
  expect(opened.length).toBeGreaterThan(0)
  expect(opened.filter((days) => days > FEW)).toEqual([])
})

onOneServer('a page of results that has a beginning opens few days of sealed hours', async () => {
  const token = await w.pat(org)
  const after = new Date(NOW - 7_200_000).toISOString()
  const opened = await daysOpened(async () => {
    const { status } = await w.http
      .get(`${ACCOUNT}/checks/${guid}/results?after=${after}`)
      .set('Authorization', `Bearer ${token}`)
    expect(status).toBe(200)
  })
  expect(opened.length).toBeGreaterThan(0)
  // The page is not full, so that all days are opened once more.
  expect(opened.filter((days) => days > FEW).length).toBeLessThanOrEqual(1)
})

onOneServer('a look at all results does open all days, so that this test would see it', async () => {
  const token = await w.pat(org)
  const opened = await daysOpened(() =>
    w.http.get(`${ACCOUNT}/checks/${guid}/results`).set('Authorization', `Bearer ${token}`),
  )
  expect(Math.max(...opened)).toBeGreaterThan(DAYS - 2)
})

// The last one: for its checks the chore opens all days from then on.
test('a check that may be silent for longer than the days that are near is heard by what it ran before them', async () => {
  const other = await w.org()
  const { client } = await w.monitor(other)
  const slow = ['heard', 'silent'].map((name) => ({ name, interval_sec: 5 * 86_400 }))
  const [heard = '', silent = ''] = await w.checks(other, slow, 'all')
  await client.upload([result(heard, { ran_at: new Date(NOW - 6 * 86_400_000).toISOString() })])
  await client.upload([result(silent, { ran_at: new Date(NOW - 39 * 86_400_000).toISOString() })])
  await judgeUnmonitored(w.deps)
  await w.rows(
    "update check_schedules set since = since - interval '60 days', watched_since = watched_since - interval '60 days' where org_id = $1",
    other.org_id,
  )
  await w.rows(
    "update monitors set watched_since = watched_since - interval '60 days', enrolled_at = enrolled_at - interval '60 days' where org_id = $1",
    other.org_id,
  )
  const ago = (sec: number) => new Date(w.clock.now().getTime() - sec * 1000).toISOString()
  const search = { now: ago(0), onlineSince: ago(3600), seenSince: ago(3600) }
  const patience = { turns: 3, timeout_sec: 60, slack_sec: 60, least_sec: 300 }
  const found = await listSilentChecks(w.deps.database.machines, { ...search, patience }, ALL_KEYS)
  expect(found.filter(({ org_id }) => org_id === other.org_id).map(({ guid }) => guid)).toEqual([silent])
})
