// Deletes what is older than each organisation's plan promises: once a day, some rows at a time, so that no one is slowed down.
import { setTimeout as pause } from 'node:timers/promises'
import { percentText } from '@dogwatch/channels/wording'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { gatedTime } from '@dogwatch/store/gated-time'
import { holdResultsInPlace } from '@dogwatch/store/results/hold'
import { LEFTOVERS } from '@dogwatch/store/results/leftovers'
import {
  claimDueOrg,
  commitUnflushed,
  insertMissingRetention,
  isAnyOrgDue,
  listDueOrgs,
  PRUNERS,
  type RetentionRow,
  readOldestDay,
  readShareBetween,
  updateRetention,
} from '@dogwatch/store/results/retention'
import type { Tables } from '@dogwatch/store/tables'
import type { Transaction } from 'kysely'
import type { Deps } from '../deps.ts'
import { planOf } from '../organisations/plans.ts'
import { apply, edgeOf, edgeToApply, MOST_UNEXPECTED, nextDay, ordinaryEdge, type Passage } from './edge.ts'
import { openGate, readTrustedTime } from './gate.ts'

/** Maximum number of rows in one transaction, which takes some tens of milliseconds. */
const AT_ONCE = 1000
const ORGS_AT_ONCE = 1000
/** Maximum duration of a run. The next run continues, so that a process that stops need not wait for it. */
const RUN_MS = 10_000
/**
 * Duration of the rest after a transaction, as a multiple of the duration of the transaction: deletions take at most a quarter of
 * one connection's time.
 */
const REST = 3
const LONGEST_REST_MS = 3000
/** Minimum number of days to keep audit entries, because people ask late who did what, whatever the plan. */
const AUDIT_DAYS = 365
const LEFTOVERS_AT_ONCE = 200

/** Number of deleted rows, by table. */
export type DeletedCounts = Record<string, number>

/**
 * Returns the time until a run can find something, in milliseconds: 0 while an organisation is due. Otherwise, the chore that
 * forgets leftovers still looks at the calendar once an hour.
 */
export async function untilNextPruning({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  return (await isAnyOrgDue(database.machines, fromDate(clock.now()))) ? 0 : Infinity
}

/**
 * Runs the chore once. Several can run at once, because each transaction locks its organisation. The next run continues after a
 * timeout. While the calendar stands still, prunes only organisations that an operator confirmed.
 */
export async function pruneOrgs(deps: Deps): Promise<DeletedCounts> {
  const { machines } = deps.database
  const began = deps.clock.monotonicMs()
  const isOver = (): boolean => deps.clock.monotonicMs() - began > RUN_MS
  const pruned: DeletedCounts = {}
  const { now, held } = await openGate(deps)
  await insertMissingRetention(machines, fromDate(now))
  const orgs = await listDueOrgs(machines, fromDate(now), ORGS_AT_ONCE, held !== undefined)
  for (const org_id of orgs) {
    if (isOver()) break
    try {
      await pruneOrg(deps, org_id, pruned, isOver)
    } catch (error) {
      deps.log.error({ err: error, org_id }, 'could not delete old rows of an organisation; will retry')
    }
  }
  return pruned
}

async function pruneOrg(deps: Deps, org_id: number, pruned: DeletedCounts, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const began = deps.clock.monotonicMs()
    const step = await pruneSome(deps, org_id)
    for (const [table, count] of Object.entries(step?.counts ?? {})) pruned[table] = (pruned[table] ?? 0) + count
    if (step?.hasMore !== true) return
    await pause(Math.min(REST * (deps.clock.monotonicMs() - began), LONGEST_REST_MS))
  }
}

/**
 * Deletes some rows of an organisation in one transaction. If none are left, the organisation is done for the day. Returns
 * undefined if another process prunes it, or did.
 */
function pruneSome(deps: Deps, org_id: number): Promise<{ counts: DeletedCounts; hasMore: boolean } | undefined> {
  return deps.database.machines.transaction().execute(async (trx) => {
    const now = await readTrustedTime(trx, deps)
    await commitUnflushed(trx)
    await holdResultsInPlace(trx, org_id)
    const org = await claimDueOrg(trx, org_id, fromDate(now))
    if (!org) return undefined
    const applied = apply(org, planOf(org).retention_days, now)
    const wanted = edgeOf(applied.days, now)
    const { edge, held_share } = await findEdge(trx, org, wanted)
    const behind_ms = Date.parse(wanted) - Date.parse(edge)
    const audit_edge = gatedTime(edgeOf(Math.max(applied.days, AUDIT_DAYS), new Date(now.getTime() - behind_ms)))
    const counts: DeletedCounts = {}
    let room = AT_ONCE
    for (const [table, prune] of Object.entries(PRUNERS)) {
      let sum = 0
      for (let count = 1; count > 0 && room > 0; room -= count) {
        count = await prune(trx, { org_id, now: fromDate(now), edge: gatedTime(edge), audit_edge, limit: room })
        sum += count
      }
      counts[table] = sum
      if (room <= 0) return { counts, hasMore: true }
    }
    const held_since = held_share === null ? null : (org.held_since ?? fromDate(now))
    await updateRetention(trx, { org_id, ...applied, edge, due_at: nextDay(now), held_since, held_share })
    if (held_share !== null) tellHeld(deps, { org_id, edge, wanted, held_since, held_share })
    return { counts, hasMore: false }
  })
}

/** Decides how far this pass deletes: up to the edge of the plan, or one ordinary day. */
async function findEdge(
  trx: Transaction<Tables>,
  { org_id, edge: last, is_confirmed: isConfirmed }: RetentionRow,
  wanted: string,
): Promise<Passage> {
  const from = ordinaryEdge(last, wanted)
  const isOrdinary = from === wanted
  const share = isConfirmed || isOrdinary ? 0 : await readShareBetween(trx, org_id, from, wanted)
  const oldest = share > MOST_UNEXPECTED ? await readOldestDay(trx, org_id) : undefined
  return edgeToApply(last, wanted, { isConfirmed, share, oldest: oldest ?? wanted })
}

function tellHeld({ log }: Deps, held: { org_id: number; held_share: number } & Record<string, unknown>): void {
  const part = `${percentText(Math.round(held.held_share * 100))} of its runs`
  const word = `dogwatch retention confirm --org ${held.org_id}`
  log.warn(held, `more of an organisation's history would be deleted than expected: ${part} are waiting for ${word}`)
}

/** Runs the chore once: deletes expired rows whose age no plan decides (`LEFTOVERS`). */
export async function forgetLeftovers(deps: Deps): Promise<DeletedCounts> {
  const began = deps.clock.monotonicMs()
  const pruned: DeletedCounts = {}
  const gate = await openGate(deps)
  if (gate.held) return pruned
  for (const [table, forget] of Object.entries(LEFTOVERS)) {
    let sum = 0
    for (let count = LEFTOVERS_AT_ONCE; count === LEFTOVERS_AT_ONCE; sum += count) {
      count = await deps.database.machines.transaction().execute(async (trx) => {
        await readTrustedTime(trx, deps)
        return forget(trx, gate.ago(0), LEFTOVERS_AT_ONCE)
      })
      if (deps.clock.monotonicMs() - began > RUN_MS) break
    }
    pruned[table] = sum
  }
  return pruned
}
