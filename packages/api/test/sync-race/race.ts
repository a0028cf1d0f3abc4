// The race that the sync delta must win: many writers of everything that agents see, and agents that poll all the while.
import { setTimeout as pause } from 'node:timers/promises'
import { assignMonitors, unassignMonitors } from '@dogwatch/domain/checks/assign'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { DomainError } from '@dogwatch/domain/errors'
import { resetMonitor, switchMonitor } from '@dogwatch/domain/monitors/switches'
import { ApiError, MonitorClient, type Schemas, type SyncCursor } from '@dogwatch/monitor-sdk'
import pg from 'pg'
import { type Dice, dice } from '../../../runtime/test/support/dice.ts'
import { type Monitor, type Org, PLACE, type World } from '../support/world.ts'

export interface RaceOptions {
  seed: number
  /** Committed transactions, at least. */
  commits: number
  /** No matter what is committed by then, the race ends. */
  most_ms: number
}

export interface Outcome {
  committed: number
  rolled_back: number
  /** Those that writers met, or those of all sessions by the count of the database, which may be a second old. */
  deadlocks: number
  polls: number
  /** Polls answered with 503. The agent asks again, as every agent does. */
  refused: number
  /** Rows that the agents were sent in all, over all polls. */
  delivered: number
  /** Pairs of agent and check compared at the end. */
  compared: number
  /** Of these, the ones in which the agent's set is not what a full sync says. */
  stale: number
  /** What went wrong that nobody expected, one line each. */
  faults: string[]
}

const RAW_WRITERS = 5
const DOMAIN_WRITERS = 2
const MOST_ENROLLED = 12
const DEADLOCK = '40P01'

interface Field {
  w: World
  orgs: Org[]
  /** By org, in the same order. Grows while the race runs. */
  guids: string[][]
  /** Agents that poll. They stay enabled: what enables one touches all its checks, and would hide what it lost. */
  readers: Monitor[]
  /** By org: monitors that only come and go, and so move the readers' ranks. The shared ones are in both. */
  companions: string[][]
}

/** Runs one race from start to quiet and compares every agent's set with a full sync. */
export async function race(w: World, { seed, commits, most_ms }: RaceOptions): Promise<Outcome> {
  const field = await lineUp(w)
  const outcome: Outcome = {
    committed: 0,
    rolled_back: 0,
    deadlocks: 0,
    polls: 0,
    refused: 0,
    delivered: 0,
    compared: 0,
    stale: 0,
    faults: [],
  }
  const end = performance.now() + most_ms
  const isOver = () => outcome.committed >= commits || performance.now() > end
  let isQuiet = false
  const agents = field.readers.map((reader) => new Agent(reader, outcome))
  const polling = agents.map(async (agent) => {
    while (!isQuiet) await agent.poll()
  })
  const raw = Array.from({ length: RAW_WRITERS }, (_, i) => writeRaw(field, dice(seed + i), outcome, isOver))
  const domain = Array.from({ length: DOMAIN_WRITERS }, (_, i) =>
    writeThroughDomain(field, dice(seed - i - 1), outcome, isOver),
  )
  await Promise.all([...raw, ...domain])
  isQuiet = true
  await Promise.all(polling)
  for (const agent of agents) await agent.poll()
  for (const agent of agents) await agent.compare()
  outcome.deadlocks = Math.max(outcome.deadlocks, await deadlocksOf(w))
  return outcome
}

async function lineUp(w: World): Promise<Field> {
  const orgs = [await w.org(), await w.org()]
  const [one, two] = orgs as [Org, Org]
  const readers = [await w.monitor(one), await w.monitor(one), await w.monitor(two), await w.monitor(null)]
  const shared = await w.monitor(null)
  const companions = [
    [(await w.monitor(one)).id, (await w.monitor(one)).id, shared.id],
    [(await w.monitor(two)).id, shared.id],
  ]
  const many = Array.from({ length: 15 }, (_, i) => ({ name: `check ${i}` }))
  const guids = [await w.checks(one, many, 'all'), await w.checks(two, many, 'all')]
  return { w, orgs, guids, readers, companions }
}

/** One agent: its cursor and the set of checks that it believes in. */
class Agent {
  readonly #monitor: Monitor
  readonly #outcome: Outcome
  #since: SyncCursor | undefined
  readonly #checks = new Map<string, string>()

  constructor(monitor: Monitor, outcome: Outcome) {
    this.#monitor = monitor
    this.#outcome = outcome
  }

  async poll(): Promise<void> {
    const { checks, server_time } = await this.#sync(this.#since)
    if (this.#since !== undefined && server_time < this.#since) this.#outcome.faults.push('server_time went back')
    this.#since = server_time
    for (const check of checks) this.#checks.set(check.guid, asRun(check))
    this.#outcome.polls++
    this.#outcome.delivered += checks.length
  }

  async #sync(since?: SyncCursor): ReturnType<MonitorClient['sync']> {
    for (;;) {
      try {
        return await this.#monitor.client.sync(since)
      } catch (error) {
        if (!isRefusal(error)) throw error
        this.#outcome.refused++
        await pause(50)
      }
    }
  }

  /** Holds the set against a full sync, when nothing changes any more. */
  async compare(): Promise<void> {
    const { checks } = await this.#sync()
    const real = new Map(checks.map((check) => [check.guid, asRun(check)]))
    const guids = new Set([...real.keys(), ...this.#checks.keys()])
    this.#outcome.compared += guids.size
    for (const guid of guids) if (real.get(guid) !== this.#checks.get(guid)) this.#outcome.stale++
  }
}

/** A check as far as it matters to whoever runs it: of a tombstone nothing else does. */
function asRun(check: Schemas['Check']): string {
  return check.deleted ? 'deleted' : JSON.stringify(check)
}

/** Transactions as an operator at psql might write them: several statements in random order, then a while, then the end. */
async function writeRaw(field: Field, d: Dice, outcome: Outcome, isOver: () => boolean): Promise<void> {
  const client = new pg.Client({ connectionString: field.w.databaseUrl })
  await client.connect()
  try {
    while (!isOver()) {
      const commits = d.below(5) > 0
      try {
        await client.query('begin')
        for (let i = 1 + d.below(3); i > 0; i--) await changeRaw(field, d, client)
        await client.query('select pg_sleep($1)', [d.below(21) / 1000])
        await client.query(commits ? 'commit' : 'rollback')
        if (commits) outcome.committed++
        else outcome.rolled_back++
      } catch (error) {
        note(error, outcome)
        await client.query('rollback')
      }
    }
  } finally {
    await client.end()
  }
}

async function changeRaw({ guids, companions, readers }: Field, d: Dice, client: pg.Client): Promise<void> {
  const org = d.below(2)
  const some = d.some(guids[org] ?? [], 5)
  switch (d.below(7)) {
    case 5:
      return void (await client.query('update monitors set abilities = $1 where id = $2', [
        d.one([['http', 'tcp', 'tls'], ['http'], ['tcp', 'telepathy']]),
        d.one([...readers.map(({ id }) => id), ...(companions[org] ?? [])]),
      ]))
    case 6:
      return void (await client.query("update checks set url = $1 where guid = any($2) and not deleted and url <> ''", [
        d.one(['https://example.com/', 'tcp://example.com:25']),
        some,
      ]))
    case 0:
      return void (await client.query('update monitors set enabled = not enabled where id = $1', [
        d.one(companions[org] ?? []),
      ]))
    case 1:
      return void (await client.query(
        'update assignments set active = not active where monitor_id = $1 and guid = any($2)',
        [d.one([...readers.map(({ id }) => id), ...(companions[org] ?? [])]), some],
      ))
    case 2:
      return void (await client.query('update checks set interval_sec = 30 + $1 where guid = any($2) and not deleted', [
        d.below(1000),
        some,
      ]))
    default:
      for (const guid of some) {
        await client.query('update checks set name = $1 where guid = $2', [`name ${d.below(1_000_000)}`, guid])
      }
  }
}

/** The same through what the operator commands and the enroll route call. */
async function writeThroughDomain(field: Field, d: Dice, outcome: Outcome, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await changeThroughDomain(field, d)
      outcome.committed++
    } catch (error) {
      // Another writer has deleted the check, or reclaimed the monitor, before us.
      if (
        error instanceof DomainError ||
        isRefusal(error) ||
        /^(404|409)\b|already enrolled|no monitor/.test((error as Error).message)
      )
        outcome.rolled_back++
      else note(error, outcome)
    }
    await pause(d.below(10))
  }
}

async function changeThroughDomain({ w, orgs, guids, companions, readers }: Field, d: Dice): Promise<void> {
  const at = d.below(2)
  const org = orgs[at] as Org
  const mine = guids[at] ?? []
  const guid = d.one(mine)
  const monitors = d.some([...(companions[at] ?? []), readers[at === 0 ? 0 : 2]?.id ?? ''], 3)
  switch (d.below(20)) {
    case 0:
      return deleteCheck(w.deps, guid)
    case 1:
      return wipeDefinition(w.deps, guid)
    case 2: {
      const made = await importChecks(
        w.deps,
        org.org_id,
        [{ name: 'new', url: 'tcp://example.com:25', interval_sec: 60 }],
        'all',
      )
      return void mine.push(...made.guids)
    }
    case 3:
    case 4: {
      const id = d.one(companions[at] ?? [])
      await resetMonitor(w.deps, id)
      const [row] = await w.rows('select org_id from monitors where id = $1', id)
      return void (await enroll(w, row?.org_id === null ? null : org, id))
    }
    case 5: {
      if ((companions[at]?.length ?? 0) > MOST_ENROLLED) return switchCheck(w.deps, guid, true)
      return void companions[at]?.push(await enroll(w, org))
    }
    case 6:
    case 7:
    case 8:
      return assignMonitors(w.deps, guid, d.below(4) === 0 ? 'all' : monitors)
    case 9:
    case 10:
    case 11:
      return unassignMonitors(w.deps, guid, d.below(4) === 0 ? 'all' : monitors)
    case 12:
    case 13:
    case 14:
      return switchMonitor(
        w.deps,
        d.one(companions[at] ?? []),
        d.below(2) ? 'enabled' : 'platform_enabled',
        d.below(2) > 0,
      )
    case 15: {
      const entries = d.some(mine, 4).map((each) => ({
        guid: each,
        name: `import ${d.below(1000)}`,
        url: d.one(['https://example.com/', 'tls://example.com:443']),
        interval_sec: 60 + d.below(60),
      }))
      return void (await importChecks(w.deps, org.org_id, entries))
    }
    default:
      return switchCheck(w.deps, guid, d.below(2) > 0)
  }
}

async function enroll(w: World, org: Org | null, id?: string): Promise<string> {
  const client = new MonitorClient({ baseUrl: w.url, token: await w.token(org) })
  return (await client.enroll({ ...PLACE, ...(id !== undefined && { id }) })).monitor_id
}

/** Whether the server asks to come again later. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503
}

function note(error: unknown, outcome: Outcome): void {
  const { code, message } = error as { code?: string; message: string }
  if (code === DEADLOCK) outcome.deadlocks++
  else outcome.faults.push(message)
}

/** Deadlocks in the world's database so far. */
async function deadlocksOf(w: World): Promise<number> {
  const [row] = await w.rows(
    'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
  )
  return row?.deadlocks as number
}
