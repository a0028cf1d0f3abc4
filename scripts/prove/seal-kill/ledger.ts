// Keeps the acknowledged results as a model of rows, and compares them with pages, an export, and the history of a server.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountClient } from '../../../packages/account-sdk/dist/index.js'
import type { MonitorClient, Result } from '../../../packages/monitor-sdk/dist/index.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { listDays, listHours } from '../../../packages/server/dist/store/results/history.js'
import { countBy } from '../../lab/proof.ts'
import { query } from '../../lab/world.ts'
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

  /** Uploads rows until the server acknowledges them. */
  async upload(client: MonitorClient, rows: readonly Row[]): Promise<void> {
    for (;;) {
      try {
        const { accepted } = await client.upload(rows.map(toResult))
        if (accepted !== rows.length) this.faults.push(`${accepted} of ${rows.length} results were accepted`)
        for (const row of rows) this.rows.set(keyOf(row), row)
        return
      } catch {
        await pause(AGAIN_MS)
      }
    }
  }

  /** Uploads acknowledged rows again with other content, which must change nothing. */
  async repeat(client: MonitorClient, monitor_id: string, d: Dice): Promise<void> {
    const own = [...this.rows.values()].filter((row) => row.monitor_id === monitor_id)
    if (own.length === 0) return
    const rows = d.some(own, 100).map((row) => ({ ...row, latency_ms: 7, success: !row.success }))
    await client.upload(rows.map(toResult)).catch(() => {})
    this.repeats += rows.length
  }
}

function toResult({ guid, at, success, latency_ms, response_sample }: Row): Result {
  const error = success ? {} : { error: 'status: the status is 503' }
  const http_status = success ? 200 : 503
  const ran_at = new Date(at).toISOString()
  return { check_guid: guid, monitor_id: '', ran_at, success, http_status, latency_ms, response_sample, ...error }
}

export interface Place {
  deps: Deps
  org_id: number
  guids: readonly string[]
  client: AccountClient
}

interface ReadResult {
  ran_at: string
  monitor_id: string
  success: boolean
  latency_ms: number
  response_sample?: string | null
}

const lineOf = ({ monitor_id, at, success, latency_ms, response_sample }: Omit<Row, 'guid'>) =>
  `${at} ${monitor_id} ${success} ${latency_ms} ${response_sample}`
const readLine = ({ ran_at, response_sample, ...rest }: ReadResult) =>
  lineOf({ ...rest, at: Date.parse(ran_at), response_sample: response_sample ?? '' })

/** Counts the rows of the model that are missing, and those that are doubled or changed. */
export async function compare(
  { rows }: Ledger,
  { deps, org_id, guids, client }: Place,
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
  const exported = (await client.export()).results as Record<string, ReadResult[]>
  for (const guid of guids) {
    const expected = (byCheck.get(guid) ?? []).map(lineOf)
    const paged: string[] = []
    for await (const page of client.pages(guid)) paged.push(...page.results.map((one) => readLine(one as ReadResult)))
    hold(`pages of ${guid}`, expected, paged)
    hold(`export of ${guid}`, expected, (exported[guid] ?? []).map(readLine))
  }
  const text = 'select check_id, guid from checks where org_id = $1'
  const ids = await query<{ check_id: number; guid: string }>(deps, text, org_id)
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

/** Counts runs and failures of each check and span, which make up percentages. */
function summed(rows: readonly Row[], length: number): string[] {
  const spans = Map.groupBy(rows, ({ guid, at }) => `${guid} ${Math.floor(at / length) * length}`)
  return [...spans].map(([key, own]) => `${key} ${own.length} ${own.filter(({ success }) => !success).length}`)
}

/** Returns what is left of some texts without others, each as often as it occurs. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const counts = countBy(others, (one) => one)
  return all.filter((one) => {
    const left = counts.get(one) ?? 0
    counts.set(one, left - 1)
    return left <= 0
  })
}
