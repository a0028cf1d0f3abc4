// Stores a batch of results where they are distributed over nodes: judged by the coordinator, written to the nodes.
//
// There is no transaction over all nodes, and none is needed. Rows are stored before their checks are judged, and are visible to
// everybody from then on, so nobody judges by half of a batch. That they are to be judged is recorded before: if this
// process ends in between, a chore judges them. Repeats change nothing, so of a batch of which a part could not be stored
// the agent sends that part again, or all of it if it knows no parts.
import { isBroken, isUndone } from '../../runtime/database-faults.ts'
import { fromDate, withSixDigits } from '../../runtime/timestamps.ts'
import { type AssignedBatch, type AssignedCheck, readAssigned } from '../../store/results/assigned.ts'
import {
  expectLate,
  insertAtNode,
  listNotStored,
  lockMarked,
  markToJudge,
  type RowToStore,
  type StoredKey,
  takeExpected,
  whileStoring,
} from '../../store/results/on-nodes.ts'
import type { TimedColumns, Touched } from '../../store/results/results.ts'
import { TIMING_NAMES } from '../../store/stored/timings.ts'
import type { Deps } from '../deps.ts'
import { requireCaller } from '../monitors/authenticate.ts'
import type { Caller } from '../monitors/monitor.ts'
import { hourOf, lateHours } from './history.ts'
import { type Arrival, judgeTouched } from './judge-touched.ts'

/**
 * Longer than it takes to store a batch. The checks are judged then if this process does not get to it. If it does, it
 * removes the mark, unless somebody else planned or marked the check as well: then it is judged twice.
 */
const STORED_BY_MS = 60_000
const DAY_MS = 86_400_000

interface Stored {
  accepted: number
  fresh: number
  /** The guids of the checks whose results could not be stored for now. */
  missed: ReadonlySet<string>
}

/** The result of a check, as it is stored, with its place in the batch. */
interface Planned extends RowToStore {
  check: AssignedCheck
}

/** `isPartial`: what some nodes have stored counts, although others did not. Otherwise it throws then. */
export async function storeOnNodes(
  deps: Deps,
  monitor: Caller,
  columns: TimedColumns,
  { isPartial, ...arrival }: Arrival & { isPartial: boolean },
): Promise<Stored> {
  const { machines } = deps.database
  const guids = [...new Set(columns.check_guid)]
  const first = await whileStoring(deps.database, monitor, guids, async (batch) => {
    const planned = planOf(deps, columns, batch)
    const late = planned.filter(isLate(batch))
    const touched = touchedBy(planned, late)
    const loud = touched.filter((one) => mayDecide(one, batch, arrival))
    const isQuiet = !arrival.wasDelayed && loud.length === 0 && planned.every(isOrdinary)
    return { loud, late, written: isQuiet ? await write(deps, monitor, planned) : undefined }
  })
  if (!first) {
    await requireCaller(machines, monitor)
    throw new Error('the caller may upload after all')
  }
  if (first.written) return answer(first.written, isPartial)
  const marked_at = fromDate(new Date(deps.clock.now().getTime() + STORED_BY_MS))
  if (first.loud.length > 0) await markToJudge(machines, first.loud, marked_at)
  await expectLate(machines, monitor.id, await listNotStored(machines, monitor.id, first.late))
  const written = await machines.transaction().execute(async (trx) => {
    const batch = await readAssigned(trx, monitor, guids)
    if (!batch) return undefined
    const planned = planOf(deps, columns, batch)
    const found = await write(deps, monitor, planned)
    const late = found.kept.filter(isLate(batch))
    // All at once and before they are judged, which plans anew. Of a node that did not answer, the marks stay.
    const marked = new Set(first.loud.map(({ check_id }) => check_id))
    const held = touchedBy(found.kept, []).filter(({ check_id }) => late.length > 0 || marked.has(check_id))
    await lockMarked(trx, held, marked_at)
    // Another attempt to store them may have left that to us.
    const expected = await takeExpected(trx, monitor.id, late)
    const noted = [...found.fresh.filter(isLate(batch)), ...expected]
    await judgeTouched(trx, deps, monitor, touchedBy(found.kept, noted), arrival)
    return found
  })
  if (written) return answer(written, isPartial)
  await requireCaller(machines, monitor)
  throw new Error('the caller may upload after all')
}

interface Written {
  /** The rows of nodes that answered, those that were known before included. */
  kept: Planned[]
  fresh: StoredKey[]
  /** The rows of nodes that did not. */
  missed: Planned[]
  /** Why they did not. */
  failures: Error[]
}

/** Each node stores its rows by itself: one that is away takes down only its organisations. */
async function write({ database }: Deps, monitor: Caller, planned: readonly Planned[]): Promise<Written> {
  const nodes = await database.nodes.listNodesOf(planned.map(({ org_id }) => org_id))
  const written: Written = { kept: [], fresh: [], missed: [], failures: [] }
  await Promise.all(
    nodes.map(async (node) => {
      const rows = planned.filter(({ org_id }) => node.org_ids.has(org_id))
      try {
        written.fresh.push(...(await database.nodes.at(node, (pool) => insertAtNode(pool, monitor.id, rows))))
        written.kept.push(...rows)
      } catch (error) {
        written.failures.push(error instanceof Error ? error : new Error(String(error)))
        written.missed.push(...rows)
      }
    }),
  )
  return written
}

/** What some nodes have stored stays. The rest is sent again; all of it, unless the caller knows how to send a part. */
function answer({ kept, fresh, missed, failures }: Written, isPartial: boolean): Stored {
  const isForNow = (error: Error) => isUndone(error) || isBroken(error)
  const failure = failures.find((error) => !isPartial || !isForNow(error))
  if (failure) throw failure
  return { accepted: kept.length, fresh: fresh.length, missed: new Set(missed.map(({ check }) => check.guid)) }
}

/** The rows of assigned checks in the order of their keys: two batches that share rows wait for each other. */
function planOf(deps: Deps, columns: TimedColumns, { checks }: AssignedBatch): Planned[] {
  const checkOf = new Map(checks.map((check) => [check.guid, check]))
  const late = lateHours(columns, deps.clock.now(), !deps.clock.isTrusted())
  const hours = new Set(late?.check_guid.map((guid, index) => `${late.hour[index] ?? ''} ${guid}`))
  const planned = columns.check_guid.flatMap((guid, place): Planned[] => {
    const check = checkOf.get(guid)
    if (!check) return []
    const cut = (text: string | undefined) => cutTo(text ?? '', check.result_detail_max_chars) || null
    const told = columns.ran_at[place] ?? ''
    const hour = hours.size > 0 ? hourOf(told) : ''
    const timings = TIMING_NAMES.map((name) => [name, columns[name][place] ?? null] as const)
    return [
      {
        check,
        org_id: check.org_id,
        check_id: check.check_id,
        ran_at: withSixDigits(told),
        latency_ms: columns.latency_ms[place] ?? 0,
        http_status: columns.http_status[place] ?? 0,
        success: columns.success[place] ?? false,
        error: cut(columns.error[place]),
        response_sample: cut(columns.response_sample[place]),
        retries: columns.retries[place] ?? null,
        cert_expires_at: columns.cert_expires_at[place] ?? null,
        effective_at: columns.effective_at[place] ?? null,
        late_hour: hours.has(`${hour} ${guid}`) ? hour : null,
        ...(Object.fromEntries(timings) as Pick<Planned, (typeof TIMING_NAMES)[number]>),
      },
    ]
  })
  return planned.sort(byKey)
}

function byKey(a: Planned, b: Planned): number {
  return a.org_id - b.org_id || a.check_id - b.check_id || (a.ran_at < b.ran_at ? -1 : a.ran_at > b.ran_at ? 1 : 0)
}

/** In code points. */
function cutTo(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join('')
}

/** Nothing but a result is stored for it. */
function isOrdinary({ effective_at, late_hour }: Planned): boolean {
  return effective_at === null && late_hour === null
}

/** Whether a result is late when it is stored now. */
const isLate =
  ({ announced }: AssignedBatch) =>
  ({ ran_at }: StoredKey): boolean =>
    ran_at < announced

/** Its check by check sums, as a plain Postgres makes them of a batch. `noted`: the results that are noted as late. */
function touchedBy(planned: readonly Planned[], noted: readonly StoredKey[]): Touched[] {
  const late = Map.groupBy(noted, ({ check_id }) => check_id)
  return [...Map.groupBy(planned, ({ check_id }) => check_id)].flatMap(([check_id, own]): Touched[] => {
    const [first] = own
    if (!first) return []
    const { degraded_over_ms, cert_warn_days } = first.check
    const times = own.map(({ effective_at, ran_at }) => effective_at ?? ran_at)
    return [
      {
        org_id: first.org_id,
        check_id,
        accepted: own.length,
        all_succeeded: own.every(({ success }) => success),
        is_rated: degraded_over_ms > 0 || cert_warn_days > 0,
        may_degrade: own.some(mayDegrade),
        oldest_at: times.reduce((least, at) => (at < least ? at : least)),
        late: [...new Set((late.get(check_id) ?? []).map(({ ran_at }) => ran_at))],
      },
    ]
  })
}

/** Whether a result could change whether its check is degraded: see the statement for a plain Postgres in results.ts. */
function mayDegrade({ check, success, latency_ms, ran_at, cert_expires_at }: Planned): boolean {
  const { degraded_over_ms, cert_warn_days, is_slow, open_certificate } = check
  if (degraded_over_ms > 0 && success && latency_ms > degraded_over_ms !== is_slow) return true
  if (cert_warn_days === 0 || cert_expires_at === null) return false
  if (Date.parse(cert_expires_at) >= Date.parse(ran_at) + cert_warn_days * DAY_MS) return open_certificate !== null
  const isKnown =
    open_certificate?.warn_days === cert_warn_days &&
    open_certificate.cert_expires_at === withSixDigits(cert_expires_at)
  return !isKnown
}

/** Whether its check is to be judged once it is stored. */
function mayDecide(one: Touched & { is_down?: boolean }, { checks }: AssignedBatch, { wasDelayed }: Arrival): boolean {
  const isDown = checks.some(({ check_id, is_down }) => check_id === one.check_id && is_down)
  return !one.all_succeeded || one.may_degrade || isDown || wasDelayed || one.late.length > 0
}
