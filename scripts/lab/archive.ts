// Creates organisations with a year of results, in monthly partitions as production would have created them.

import type { Deps } from '../../packages/domain/dist/deps.js'
import { DEFAULT_BOUNDS } from '../../packages/domain/dist/limits/bounds.js'
import { createPersonalToken } from '../../packages/domain/dist/organisations/personal-tokens.js'
import { ensurePartitions } from '../../packages/domain/dist/results/partitions.js'
import { systemClock } from '../../packages/runtime/dist/clock.js'
import { insertPartition } from '../../packages/store/dist/results/sealing/partitions.js'
import { addMonitors } from './fleet.ts'
import { insertRuns, isWellAlone } from './recorded-rows.ts'
import { ONE_FAILS_OF } from './recording.ts'
import { type Stage, say } from './stage.ts'
import { numberOf, openOrg, shops } from './world.ts'

export interface Archive {
  org_id: number
  /** Guids of the checks, in order. */
  guids: string[]
  /** Personal access tokens of the organisation's owner. */
  tokens: string[]
}

export interface ArchiveSize {
  checks: number
  /** Number of results of all checks together. */
  results: number
  tokens: number
  /** Interval of each check, whose results end now. */
  every_sec: number
}

const MONTHS = 12
const MONITORS = 3
const MINUTE_MS = 60_000
// Number of results that each statement loads, so that progress can be reported between statements.
const STEP = 1_000_000

/** Creates the partitions of the last `count` months, and those that the server creates in advance. Returns the months. */
export async function makeYear(deps: Deps, count = MONTHS): Promise<[from: string, until: string][]> {
  await ensurePartitions(deps)
  const months: [string, string][] = []
  for (let back = 0; back <= count; back++) {
    const [month, next] = [monthBack(back), monthBack(back - 1)]
    await deps.database.people.transaction().execute((trx) => insertPartition(trx, month, next))
    months.unshift([month, next])
  }
  return months
}

/** Loads an organisation whose results are spread evenly over the past. Each result is of the next check. */
export async function loadArchive(stage: Stage, { checks, results, tokens, every_sec }: ArchiveSize): Promise<Archive> {
  const { org_id, addChecks } = await openOrg(stage, `archive of ${results}`)
  const guids = await addChecks(shops('shop', checks), 'none')
  const monitors = (await addMonitors(stage, MONITORS, org_id)).map(({ id }) => id)
  const span_sec = (every_sec * results) / checks
  const until = new Date(Math.floor(systemClock.now().getTime() / MINUTE_MS) * MINUTE_MS).toISOString()
  for (let from = 0; from < results; from += STEP) {
    const to = Math.min(results, from + STEP)
    say(`loading results ${from.toLocaleString('en-US')} to ${to.toLocaleString('en-US')}`)
    const values = [org_id, guids, monitors, from, to - 1, results, until, span_sec]
    await insertRuns(stage.database.pools.machines, RUNS, values)
  }
  return { org_id, guids, tokens: await mintTokens(stage, org_id, tokens) }
}

/** Brings the loaded tables into the state that production has. */
export async function settleTables({ database }: Stage): Promise<void> {
  say('vacuum, analyze, checkpoint')
  await database.pools.machines.query('vacuum (analyze)')
  await database.pools.machines.query('checkpoint')
}

const DISK = 'select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_partition_tree($1::regclass)'

/** Returns the size of a table on disk, with all its partitions and their indexes, in bytes. */
export function readDisk(deps: Pick<Deps, 'database'>, table: 'results' | 'sealed_hours'): Promise<number> {
  return numberOf(deps, DISK, table)
}

/** Creates personal access tokens of the owner, even more than the limits permit. */
export async function mintTokens(deps: Deps, org_id: number, count: number): Promise<string[]> {
  const made: string[] = []
  const bounds = { ...DEFAULT_BOUNDS, tokens_per_org: count, tokens_per_person: count }
  for (let n = 0; n < count; n++) made.push((await createPersonalToken({ ...deps, bounds }, org_id)).token)
  return made
}

function monthBack(back: number): string {
  const now = systemClock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 10)
}

const RUNS = `
  select $1::bigint as org_id, c.check_id, $7::timestamptz - interval '1 second' * ($8::float8 * ($6 - n)::float8 / $6) as ran_at,
    ($3::text[])[1 + n / cardinality($2::text[]) % ${MONITORS}] as monitor_id,
    ${isWellAlone('c.check_id', 'n / cardinality($2::text[])', ONE_FAILS_OF)} as success, n / cardinality($2::text[]) as run
  from generate_series($4::bigint, $5::bigint) n
  join checks c on c.org_id = $1 and c.guid = ($2::text[])[1 + n % cardinality($2::text[])]`
