// What was acknowledged, as a model of rows, and what a server says of it: by pages, by the export, and by hour and day.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountClient } from '../../../packages/account-sdk/dist/index.js'
import type { MonitorClient, Result } from '../../../packages/monitor-sdk/dist/index.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { listDays, listHours } from '../../../packages/server/dist/store/results/history.js'
import type { Dice } from '../../../packages/server/test/support/dice.ts'

const AGAIN_MS = 100
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface Row {
  guid: string
  monitor_id: string
  at: number
  success: boolean
  latency_ms: number
  response_sample: string
}

const SAMPLES = ['<!doctype html><title>Shop</title>', '{"status":"ok"}', 'ungültig ✓ "\\n"', 'x'.repeat(200)]
const keyOf = ({ guid, monitor_id, at }: Pick<Row, 'guid' | 'monitor_id' | 'at'>) => `${guid} ${monitor_id} ${at}`

export class Ledger {
  readonly rows = new Map<string, Row>()
  readonly faults: string[] = []
  repeats = 0

  make(guid: string, monitor_id: string, at: number, d: Dice): Row {
    const success = d.below(9) > 0
    return { guid, monitor_id, at, success, latency_ms: d.below(70_000), response_sample: d.one(SAMPLES) }
  }

  /** Until it is acknowledged; afterwards a repeat with other content must change nothing. */
  async upload(client: MonitorClient, rows: readonly Row[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { accepted } = await client.upload(rows.map(toResult), { signal })
        if (accepted !== rows.length) this.faults.push(`${accepted} of ${rows.length} results were accepted`)
        for (const row of rows) this.rows.set(keyOf(row), row)
        return
      } catch {
        // A process was killed: what has no answer comes again as it is.
        await pause(AGAIN_MS)
      }
    }
  }

  async repeat(client: MonitorClient, monitor_id: string, d: Dice, signal: AbortSignal): Promise<void> {
    const own = [...this.rows.values()].filter((row) => row.monitor_id === monitor_id)
    if (own.length === 0) return
    const rows = d.some(own, 100).map((row) => ({ ...row, latency_ms: 7, success: !row.success }))
    await client.upload(rows.map(toResult), { signal }).catch(() => {})
    this.repeats += rows.length
  }
}

function toResult({ guid, at, success, latency_ms, response_sample }: Row): Result {
  const error = success ? {} : { error: 'status: the status is 503' }
  const http_status = success ? 200 : 503
  const ran_at = new Date(at).toISOString()
  return { check_guid: guid, monitor_id: '', ran_at, success, http_status, latency_ms, response_sample, ...error }
}

export interface Asked {
  deps: Deps
  org_id: number
  guids: readonly string[]
  client: AccountClient
}

interface Told {
  ran_at: string
  monitor_id: string
  success: boolean
  latency_ms: number
  response_sample?: string | null
}

const lineOf = ({ monitor_id, at, success, latency_ms, response_sample }: Omit<Row, 'guid'>) =>
  `${at} ${monitor_id} ${success} ${latency_ms} ${response_sample}`
const toldLine = ({ ran_at, response_sample, ...rest }: Told) =>
  lineOf({ ...rest, at: Date.parse(ran_at), response_sample: response_sample ?? '' })

/** How many of the model's rows are missing, and how many are there that should not be: a second time, or changed. */
export async function compare(
  { rows }: Ledger,
  { deps, org_id, guids, client }: Asked,
): Promise<{ lost: number; beyond: number; faults: string[] }> {
  const faults: string[] = []
  let [lost, beyond] = [0, 0]
  const hold = (what: string, expected: readonly string[], found: readonly string[]) => {
    const missing = without(expected, found)
    const more = without(found, expected)
    lost += missing.length
    beyond += more.length
    if (missing.length > 0) faults.push(`${what}: ${missing.length} are missing: ${missing[0]}`)
    if (more.length > 0) faults.push(`${what}: ${more.length} are too many: ${more[0]}`)
  }
  const byCheck = Map.groupBy(rows.values(), ({ guid }) => guid)
  const exported = (await client.export()).results as Record<string, Told[]>
  for (const guid of guids) {
    const expected = (byCheck.get(guid) ?? []).map(lineOf)
    const paged: string[] = []
    for await (const page of client.pages(guid)) paged.push(...page.results.map((one) => toldLine(one as Told)))
    hold(`pages of ${guid}`, expected, paged)
    hold(`export of ${guid}`, expected, (exported[guid] ?? []).map(toldLine))
  }
  const { rows: ids } = await deps.database.pools.machines.query<{ check_id: number; guid: string }>(
    'select check_id, guid from checks where org_id = $1',
    [org_id],
  )
  const guidOf = new Map(ids.map(({ check_id, guid }) => [check_id, guid]))
  const span = { org_id, check_ids: [...guidOf.keys()], from: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  for (const [what, length, some] of [
    ['hours', HOUR_MS, await listHours(deps.database, span)],
    ['days', DAY_MS, await listDays(deps.database, span)],
  ] as const) {
    const counted = some.map((one) => `${guidOf.get(one.check_id)} ${Date.parse(one.at)} ${one.runs} ${one.failures}`)
    hold(what, summed([...rows.values()], length), counted)
  }
  return { lost, beyond, faults }
}

/** Runs and failures of each check and span: what percentages are made of. */
function summed(rows: readonly Row[], length: number): string[] {
  const spans = Map.groupBy(rows, ({ guid, at }) => `${guid} ${Math.floor(at / length) * length}`)
  return [...spans].map(([key, own]) => `${key} ${own.length} ${own.filter(({ success }) => !success).length}`)
}

/** What is left of some texts when others are taken away, each as often as it is there. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const one of others) counts.set(one, (counts.get(one) ?? 0) + 1)
  return all.filter((one) => {
    const left = counts.get(one) ?? 0
    counts.set(one, left - 1)
    return left <= 0
  })
}
