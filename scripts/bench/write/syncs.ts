// Measures how much slower syncs are while 100 checks a second change. A sync reads one row while nothing has changed. After any
// change it reads the checks of its monitor, and returns those that changed. So changes by the API are compared with the same
// changes by the driver.
import { setTimeout as pause } from 'node:timers/promises'
import type { FleetMonitor } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { openClients, sender, type SyncAnswer, type Target } from '../support/arms.ts'
import { type Fact, median, printFacts, printRows, quantile } from '../support/report.ts'
import { startingWith } from '../support/rounds.ts'
import { checkBody, inTurn, openPoster, type Writer } from './writers.ts'

const CHANGES_PER_SEC = 100
const SYNCS_PER_SEC = 100
const LANES = 4
/** Number of organisations whose checks change, and of the checks of each, which one bulk request changes. */
const ORGS = 50
const OF_ORG = CHANGES_PER_SEC
const INTERVALS = [60, 90]
const MOST_RATIO = 1.5

type Monitor = Pick<FleetMonitor, 'id' | 'key'>

interface Sources {
  writers: readonly Writer[]
  monitors: readonly Monitor[]
  ids: () => readonly string[]
}

/** Makes the nth change of its kind. Returns how many checks it changed. */
type Change = (n: number) => Promise<number>

export async function compareSyncs(stage: Stage, target: Target, { writers, monitors, ids }: Sources): Promise<void> {
  const changes = await openChanges(stage, target, writers.slice(0, ORGS), ids)
  const seen = Object.keys(changes).map((name) => ({ name, latencies: [] as number[], cpu: [] as number[] }))
  const { rounds, seconds } = stage.flags
  const measureCpu = async <Result>(work: () => Promise<Result>) => {
    const read = () => target.meters.reduce((sum, meter) => sum + meter.seconds(), 0)
    const before = read()
    return { result: await work(), cpu: read() - before }
  }
  const syncs = openSyncs(target, monitors)
  const counts = new Map<string, number>()
  for (let round = -1; round < rounds; round++) {
    for (const { name, latencies, cpu } of startingWith(seen, round + 1)) {
      say(`${round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`}: syncs, ${name}`)
      const change: Change = async (n) => {
        counts.set(name, n)
        return (await changes[name]?.(n)) ?? 0
      }
      const first = () => (counts.get(name) ?? -1) + 1
      // First the changes alone, whose CPU does not count.
      const alone = await measureCpu(() => whileChanging(change, first(), () => pause(seconds * 1000)))
      await syncs.catchUp()
      const both = await measureCpu(() => whileChanging(change, first(), () => syncs.run(seconds)))
      if (round < 0) continue
      latencies.push(...both.result)
      cpu.push(((both.cpu - alone.cpu) / both.result.length) * 1e6)
    }
  }
  process.stdout.write(
    `\nwrite: ${SYNCS_PER_SEC} syncs a second of ${monitors.length} monitors, and ${CHANGES_PER_SEC} changes a second\n\n`,
  )
  const figures = new Map(
    seen.map(({ name, latencies, cpu }) => [name, [quantile(latencies, 0.5), quantile(latencies, 0.99), median(cpu)]]),
  )
  printRows([
    ['syncs', 'p50 ms', 'p99 ms', 'CPU us/sync'],
    ...[...figures].map(([name, values]) => [name, ...values.map((value) => value.toFixed(2))]),
  ])
  printFacts(
    PAIRS.flatMap(([top, bottom, target]) =>
      ['p50', 'p99', 'CPU per sync'].map((what, n): Fact => {
        const value = (figures.get(top)?.[n] ?? 0) / (figures.get(bottom)?.[n] ?? 0)
        return [`${top} / ${bottom}, ${what}`, value, 2, target]
      }),
    ),
  )
}

const NONE = 'no changes'
const PAIRS = [
  ['API, one by one', 'driver, one by one', { atMost: MOST_RATIO }],
  ['API, in bulk', 'driver, in bulk', { atMost: MOST_RATIO }],
  ['driver, one by one', NONE, {}],
] as const

/** Creates the checks, and returns the ways to change them. */
async function openChanges(
  stage: Stage,
  target: Target,
  writers: readonly Writer[],
  ids: () => readonly string[],
): Promise<Readonly<Record<string, Change>>> {
  say(`creating ${ORGS * OF_ORG} checks to change`)
  const post = openPoster(target)
  const body = (interval_sec: number | undefined) => ({ ...checkBody([]), interval_sec, monitors: undefined })
  const bulk = (make: () => object) => ({
    changes: Array.from({ length: OF_ORG }, (_, n) => ({
      action: 'put',
      kind: 'check',
      key: `edited-${n}`,
      body: make(),
    })),
  })
  for (const writer of writers)
    await post(
      '/bulk',
      writer,
      bulk(() => checkBody(ids())),
    )
  const { rows } = await stage.database.pools.machines.query<{ org_id: number; check_ids: string[] }>(
    `select org_id, array_agg(check_id) as check_ids from checks where org_id = any($1) and key like 'edited-%' group by org_id`,
    [writers.map(({ org_id }) => org_id)],
  )
  const checksOf = new Map(rows.map(({ org_id, check_ids }) => [org_id, check_ids]))
  const [client] = await openClients(stage, 1)
  const writer = (n: number) => writers[n % ORGS] as Writer
  // Each organisation has its turn; one by one, its next check; and when all had their turn, the other interval.
  const checkAt = (n: number) => Math.floor(n / ORGS) % OF_ORG
  const intervalOne = (n: number) => INTERVALS[(Math.floor(n / (ORGS * OF_ORG)) + 1) % INTERVALS.length]
  const intervalMany = (n: number) => INTERVALS[(Math.floor(n / ORGS) + 1) % INTERVALS.length]
  // The rows that the server stores, by prepared statements. Triggers, indexes and the sync clock are the same.
  const byDriver = async ({ org_id }: Writer, check_ids: readonly (string | undefined)[], interval?: number) => {
    await client?.query('begin')
    await client?.query('select sync_tick()')
    await client?.query({ name: 'edit', text: EDIT, values: [org_id, check_ids, interval] })
    await client?.query({ name: 'record-edit', text: RECORD, values: [org_id, check_ids] })
    await client?.query('commit')
    return check_ids.length
  }
  const idsOf = (n: number) => checksOf.get(writer(n).org_id) ?? []
  return {
    [NONE]: () => pause(100, 0),
    'driver, one by one': (n) => byDriver(writer(n), [idsOf(n)[checkAt(n)]], intervalOne(n)),
    'driver, in bulk': (n) => byDriver(writer(n), idsOf(n), intervalMany(n)),
    'API, one by one': async (n) => {
      await post(`/checks/key:edited-${checkAt(n)}`, writer(n), { interval_sec: intervalOne(n) }, 1, 'PATCH')
      return 1
    },
    'API, in bulk': async (n) => {
      await post(
        '/bulk',
        writer(n),
        bulk(() => body(intervalMany(n))),
        1,
      )
      return OF_ORG
    },
  }
}

const EDIT = `update checks set interval_sec = $3 where org_id = $1 and check_id = any($2::bigint[])`
const RECORD = `
  insert into audit_entries (org_id, created_at, actor, action, subject, check_id, detail)
  select $1, now(), 'bench', 'check.edit', 'Shop', id, '{"token": "bench", "changed": ["interval_sec"]}' from unnest($2::bigint[]) id`

/** Makes changes at their pace, from the nth on, while some work is done. */
async function whileChanging<Result>(change: Change, from: number, work: () => Promise<Result>): Promise<Result> {
  const stopping = new AbortController()
  const { signal } = stopping
  const changing = (async () => {
    const begun = performance.now()
    for (let [n, made] = [from, 0]; !signal.aborted; n++) {
      made += await change(n)
      const ahead_ms = (made / CHANGES_PER_SEC) * 1000 - (performance.now() - begun)
      if (ahead_ms > 0) await pause(ahead_ms, undefined, { signal }).catch(() => {})
    }
  })()
  const result = await work()
  stopping.abort()
  await changing
  return result
}

function openSyncs(target: Target, monitors: readonly Monitor[]) {
  const next = inTurn(monitors)
  const since = new Map<string, string>()
  const send = sender(target)
  const sync = async (key: string, lane = 0): Promise<void> => {
    const path = since.has(key) ? `/checks?since=${since.get(key)}` : '/checks'
    const body = await send(request('GET', path, { key }), lane)
    since.set(key, (JSON.parse(body.toString()) as SyncAnswer).server_time)
  }
  return {
    /** Returns all earlier changes to each monitor, so that they do not count. */
    catchUp: async (): Promise<void> => {
      for (const { key } of monitors) await sync(key)
    },
    /** Syncs at a pace, each when it is due, and returns the milliseconds that each took from then on. */
    run: async (seconds: number): Promise<number[]> => {
      const [latencies, begun] = [[] as number[], performance.now()]
      let sent = 0
      const work = async (lane: number): Promise<void> => {
        for (;;) {
          const due = begun + (sent++ / SYNCS_PER_SEC) * 1000
          if (due > begun + seconds * 1000) return
          await pause(Math.max(0, due - performance.now()))
          await sync(next().key, lane)
          latencies.push(performance.now() - due)
        }
      }
      await Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane)))
      return latencies
    },
  }
}
