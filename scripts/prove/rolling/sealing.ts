// What an operator has to know of sealed hours when a build before them comes back: they are written back first.
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { SERVER, until } from '../../lab/world.ts'
import { SERVER_FLAGS } from '../../server-flags.js'
import type { Fleet } from '../support/fleet.ts'
import { rowKeys } from '../support/stored.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Results that agents bring after they were away: so many of each check, at this distance. */
const RUNS = 144
const STEP_MS = 15 * MINUTE_MS
const AWAY = 3
const LATE_RUNS = 24
const SEALED_MS = 400_000

const run = promisify(execFile)

export interface Sealing {
  /** What was seen each time: figures of the proof. */
  readonly figures: string[]
  readonly faults: string[]
  /** Some agents bring a day and a half, and one the end of the month before: a month is dropped when all of it is sealed. */
  bringHistory(): Promise<void>
  /** One agent brings some results of that time. */
  bringLate(): Promise<void>
  /** All hours that are over are sealed, and what came late is merged. */
  isSealed(): Promise<void>
  /** Hours are written back while agents upload what is late. */
  unseal(): Promise<void>
  allow(): Promise<void>
  /** A build that reads rows alone has everything that was acknowledged. */
  areRows(): Promise<void>
}

export function sealingOf(fleet: Fleet, { deps, url }: { deps: Deps; url: string }): Sealing {
  const [figures, faults]: [string[], string[]] = [[], []]
  const begun = Date.now()
  let batches = 0
  /** No two batches of an agent have the same times: each has a millisecond of its own. */
  const bring = async (n: number, end: number, runs: number, step_ms: number): Promise<void> => {
    const own = batches++
    const times = Array.from({ length: runs }, (_, turn) => end - (turn + 1) * step_ms - own)
    const all = fleet.wellGuids.flatMap((guid) => times.map((at) => ({ guid, at, success: true })))
    await fleet.agents[n % fleet.agents.length]?.upload(all)
  }
  const bringLate = () => bring(batches, begun - HOUR_MS, LATE_RUNS, HOUR_MS)
  const command = async (act: 'unseal' | 'seal'): Promise<string> => {
    const env = { PATH: process.env.PATH, DATABASE_URL: url, LOG_LEVEL: 'fatal' }
    return (await run(process.execPath, [...SERVER_FLAGS, SERVER, 'results', act], { env })).stdout.trim()
  }
  return {
    figures,
    faults,
    bringLate,
    bringHistory: async () => {
      const today = new Date(begun)
      const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
      const away = Array.from({ length: AWAY }, (_, n) => bring(n, begun, RUNS, STEP_MS))
      await Promise.all([...away, bring(0, month, RUNS, STEP_MS)])
    },
    isSealed: async () => {
      if (!(await until(async () => (await look(deps)).undone === 0, SEALED_MS))) {
        throw new Error(`hours are not sealed: ${JSON.stringify(await look(deps))}`)
      }
      const { sealed } = await look(deps)
      figures.push(`${sealed} rows of sealed hours`)
      if (sealed === 0) faults.push('nothing was sealed: that is no trial')
    },
    unseal: async () => {
      const working = command('unseal')
      while ((await Promise.race([working, bringLate()])) === undefined) await pause(1)
      const { days, results } = JSON.parse(await working) as { days: number; results: number }
      figures.push(`${results} results of ${days} days written back`)
    },
    allow: async () => void (await command('seal')),
    areRows: async () => {
      const known = [...fleet.book.acknowledged]
      const rows = new Set(await rowKeys(deps, fleet.org_id))
      const unseen = known.filter((key) => !rows.has(key)).length
      const seen = `${known.length} acknowledged before that build went again, ${unseen} that it did not see`
      process.stderr.write(`rolling: ${seen}\n`)
      figures.push(seen)
      if (unseen > 0) faults.push(`a build before sealed hours did not see ${unseen} acknowledged results`)
    },
  }
}

interface Look {
  sealed: number
  undone: number
}

async function look({ database }: Deps): Promise<Look> {
  const { rows } = await database.pools.machines.query<Look>(LOOK)
  return rows[0] as Look
}

/** What ran in an hour that ended a while ago is sealed, nothing waits to be merged, and what was dropped is gone. */
const LOOK = `
  select (select count(*) from sealed_hours)::integer as sealed,
    ((select count(*) from reopened_results) + (select count(*) from rollup_marks)
      + (select count(*) from pg_class where relname like 'retired!_%' escape '!' and relkind = 'r')
      + (select count(*) from seal_progress where sealed_until < date_trunc('hour', now() - interval '20 minutes')))::integer
      as undone`
