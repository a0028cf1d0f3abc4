// Makes many changes to an organisation's configuration in one transaction: all of them or none. A dry run does the same and
// keeps nothing.

import { setImmediate as pause } from 'node:timers/promises'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import { countChecks, readSyncClock, tickAfter } from '@dogwatch/store/checks/checks'
import { listChecksWithMonitors } from '@dogwatch/store/checks/configured-checks'
import type { Trx } from '@dogwatch/store/database'
import { attempt } from '@dogwatch/store/one-transaction'
import { TriedDestinations } from '../channels/tried.ts'
import { changeChecks } from '../checks/change-many.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError, FieldError } from '../errors.ts'
import { existing } from '../organisations/existing.ts'
import { wipeSoon } from '../results/wipe.ts'
import { arrangeRoutes } from '../routing/edit-many.ts'
import { decideAgain } from '../routing/release.ts'
import { answerOf, type BulkAnswer, keyOf, requireVersions } from './bulk-answer.ts'
import { type BulkChange, type ChangesByKind, type IndexedChange, type Outcome, sortOut } from './bulk-changes.ts'
import { type PlannedChecks, planChecks, type ReadPut, readPuts } from './bulk-checks.ts'
import { lockNamed, planThenLock, ROUTING } from './bulk-locks.ts'
import { listWarnings } from './bulk-warnings.ts'
import { Faults } from './faults.ts'
import { type KeyedKind, resolveMany } from './keys.ts'
import { type Inside, ifThere } from './kind.ts'
import { KINDS, kindOf } from './kinds.ts'
import { putChecks, recordPlanned } from './put-checks.ts'
import { together, untilUncrossed } from './together.ts'

/** Changes of a request, with everything that was read before any lock. */
interface PreparedChanges extends ChangesByKind {
  faults: Faults
  checks: readonly ReadPut[]
  /** Results of `read` for items other than checks, by the position of their changes. */
  reads: ReadonlyMap<number, unknown>
}

interface Work extends PreparedChanges {
  deps: Deps
  trx: Trx
  by: Editor
  inside: Inside
  /** Throws if the time is up or the client has disconnected. */
  goOn: () => void
}

/** Number of faults after which the remaining items of a kind are not read. Faults of checks are all reported. */
const MOST_FAULTS = 20
/**
 * Maximum time of the transaction, in milliseconds, because everyone who changes a check waits for the sync clock that the
 * transaction locks.
 */
const MOST_MS = 10_000
/** Maximum time for reading the changes of a request, in milliseconds, because cron expressions and recurrence rules can be made to take long. */
const MOST_READING_MS = 10_000

interface BulkOutcome {
  outcomes: readonly Outcome[]
  /** Whether the order of routes changed. Undefined if the request had no `route_order`. */
  reordered: boolean | undefined
}

/** Error that rolls back a dry run and carries its result. */
class NotKept extends Error {
  readonly made: BulkOutcome
  constructor(made: BulkOutcome) {
    super('a dry run keeps nothing')
    this.made = made
  }
}

export interface BulkOptions {
  dry_run: boolean
  /** Whether the caller may read the secrets of checks. Default: false. */
  reads_secrets?: boolean
  gone?: AbortSignal
  route_order?: readonly string[] | undefined
}

/**
 * Makes many changes, or refuses them with all faults of one kind of item at once. Deletes first, then stores items in the order
 * of `KINDS`, so that they can name each other by key in any order of the request.
 */
export async function changeInBulk(
  deps: Deps,
  by: Editor,
  changes: readonly BulkChange[],
  { dry_run, reads_secrets = false, gone, route_order }: BulkOptions,
): Promise<BulkAnswer> {
  const faults = new Faults()
  const { puts, deletes } = sortOut(changes, faults)
  const checks = await readPuts(puts.get('check') ?? [], faults)
  const reads = await readOthers(deps, { puts, faults, gone })
  const tried = new TriedDestinations(deps.clock)
  await prepareAll(deps, by, { puts, faults, tried, gone })
  faults.refuse()
  const carryOut = () =>
    together(deps, async (inner, trx) => {
      const prepared = { puts, deletes, faults: new Faults(), checks, reads }
      const goOn = untilLate(inner, gone)
      const inside = { deps: inner, trx, by, tried }
      const outcomes = await carryOutAll({ ...prepared, ...inside, inside, goOn })
      requireVersions(changes, outcomes)
      const reordered = route_order && (await orderRoutes(inside, route_order))
      if (reordered || isRouted(outcomes, prepared)) await decideAgain(trx, inner, by.org_id)
      const made = { outcomes, reordered }
      if (dry_run) throw new NotKept(made)
      const hidden = new Set(checks.flatMap(({ put, content }) => (content.url === '' ? [put.index] : [])))
      const guids = outcomes.flatMap(({ index, id }) => (hidden.has(index) ? [id] : []))
      if (guids.length > 0) await wipeSoon(inner, { org_id: by.org_id, guids })
      return made
    })
  const { outcomes, reordered } = await keptUnless(dry_run, () => untilUncrossed(deps, carryOut))
  const warnings = await listWarnings(deps, by.org_id, changes, outcomes)
  return { ...answerOf(changes, outcomes, reads_secrets, warnings), ...(reordered !== undefined && { reordered }) }
}

/** Reads the changes of kinds other than checks, and lets other requests run after each of them. */
async function readOthers(
  deps: Deps,
  { puts, faults, gone }: Pick<ChangesByKind, 'puts'> & { faults: Faults; gone: AbortSignal | undefined },
): Promise<ReadonlyMap<number, unknown>> {
  const reads = new Map<number, unknown>()
  const until = deps.clock.monotonicMs() + MOST_READING_MS
  for (const [name, some] of puts) {
    const read = KINDS.get(name)?.many?.read
    if (!read) continue
    const most = faults.count + MOST_FAULTS
    const known = new Map<string, unknown>()
    for (const put of some) {
      if (faults.count >= most) break
      await pause()
      requireClient(gone)
      if (deps.clock.monotonicMs() > until)
        throw new DomainError('limited', `${TOO_LONG}; send the changes in smaller batches`, 5)
      await faults.during(put.index, () => reads.set(put.index, read(deps, inputOf(put), known)))
    }
  }
  return reads
}

const TOO_LONG = 'the changes took too long, so nothing was changed'

function inputOf({ key, input }: IndexedChange) {
  return key === undefined ? input : { ...input, key }
}

/** Runs the slow preparations of each kind before any lock. */
async function prepareAll(
  deps: Deps,
  by: Editor,
  {
    puts,
    faults,
    tried,
    gone,
  }: Pick<ChangesByKind, 'puts'> & { faults: Faults; tried: TriedDestinations; gone: AbortSignal | undefined },
): Promise<void> {
  for (const [name, some] of puts) {
    const { prepare } = kindOf(name)
    if (!prepare) continue
    const most = faults.count + MOST_FAULTS
    for (const { index, key, id = '', input } of some) {
      requireClient(gone)
      if (faults.count >= most) break
      const reference = key === undefined ? id : `key:${key}`
      try {
        await faults.during(index, () => prepare(deps, by, { reference, input }, tried))
      } catch (error) {
        // A fault says more than the lack of time for the rest.
        faults.refuse()
        throw error
      }
    }
  }
}

function requireClient(gone: AbortSignal | undefined): void {
  if (gone?.aborted) throw new DomainError('limited', 'the client disconnected, so nothing was changed', 1)
}

function untilLate({ clock }: Pick<Deps, 'clock'>, gone: AbortSignal | undefined): () => void {
  const until = clock.monotonicMs() + MOST_MS
  return () => {
    requireClient(gone)
    if (clock.monotonicMs() <= until) return
    throw new DomainError('limited', `${TOO_LONG}; send the changes in smaller batches`, 5)
  }
}

async function keptUnless(dry_run: boolean, work: () => Promise<BulkOutcome>): Promise<BulkOutcome> {
  try {
    return await work()
  } catch (error) {
    if (dry_run && error instanceof NotKept) return error.made
    throw error
  }
}

async function carryOutAll(work: Work): Promise<Outcome[]> {
  const { trx, by, faults, puts, deletes, goOn } = work
  const names = [...KINDS.keys()]
  const { planned, gone } = await lockInOrder(work)
  goOn()
  await lockNamed(trx, by.org_id, { puts, deletes })
  const before = planned?.count ?? (puts.has('check') ? await countChecks(trx, by.org_id) : 0)
  const found = await readBefore(work, gone)
  faults.refuse()
  const outcomes: Outcome[] = []
  for (const name of names.toReversed()) {
    goOn()
    outcomes.push(...(await deleteAll(work, name, deletes.get(name) ?? [], found)))
  }
  for (const name of names) {
    faults.refuse()
    goOn()
    const some = puts.get(name) ?? []
    if (some.length === 0) continue
    if (name === 'check') outcomes.push(...(await putPlanned(work, planned, before)))
    else if (KINDS.get(name)?.many) outcomes.push(...(await putMany(work, name, some, found)))
    else for (const put of some) outcomes.push(...(await putOne(work, name, put, found)))
  }
  faults.refuse()
  return outcomes
}

type ItemsByReference = ReadonlyMap<string, unknown>

/**
 * Locks in the order that all changes of checks use. Returns the checks to store or to delete, if they could be looked up before
 * anyone has to wait.
 */
async function lockInOrder({
  deps,
  trx,
  by,
  inside,
  puts,
  deletes,
  checks,
}: Work): Promise<{ planned?: PlannedChecks; gone?: ItemsByReference | undefined }> {
  // Deletions change what the other checks are compared with.
  if (puts.has('check') && !deletes.has('check')) {
    const isConditional = checks.some(({ put }) => put.if_match !== undefined)
    const planned = await attempt(
      trx,
      () => planThenLock(trx, deps, by, checks, isConditional),
      (made) => made !== undefined,
    )
    if (planned) return { planned }
  }
  const since = await readSyncClock(trx)
  const some = (deletes.get('check') ?? []).map(referenceOf)
  const gone = some.length === 0 ? undefined : await findAll(inside, 'check', some)
  const hasChecks = puts.has('check') || deletes.has('check')
  const isOutdated = hasChecks && (await tickAfter(trx, by.org_id, since))
  existing(await lockOrganisation(trx, by.org_id))
  return { gone: isOutdated ? undefined : gone }
}

/** Stores the checks of the request. `early`: the planned checks from before the locks, if they are still right. */
async function putPlanned(
  { deps, trx, by, checks, faults }: Work,
  early: PlannedChecks | undefined,
  before: number,
): Promise<Outcome[]> {
  const planned = early ?? (await planChecks(trx, deps, by, checks, faults))
  if (!planned) return []
  if (!early) await recordPlanned(trx, deps, by, planned)
  return putChecks(trx, deps, by, planned, { faults, before })
}

/** Arranges routes in the requested order, within the positions that they already occupy. Returns whether the order changed. */
async function orderRoutes({ deps, trx, by }: Inside, references: readonly string[]): Promise<boolean> {
  const ids = await resolveMany(trx, by.org_id, 'route', references)
  const guids = references.map((reference) => ids.get(reference) ?? reference)
  const twice = guids.findIndex((guid, at) => guids.indexOf(guid) < at)
  if (twice >= 0) throw new FieldError('invalid', `route_order[${twice}]`, 'must not repeat a route')
  const done = await arrangeRoutes(trx, deps, by, guids)
  if (typeof done === 'boolean') return done
  throw new FieldError('invalid', `route_order[${guids.indexOf(done)}]`, 'must name an existing route')
}

/** Whether an outcome affects the decisions about planned alerts. */
function isRouted(outcomes: readonly Outcome[], { puts, deletes }: ChangesByKind): boolean {
  const its = new Set(
    ROUTING.flatMap((name) => [...(puts.get(name) ?? []), ...(deletes.get(name) ?? [])]).map(({ index }) => index),
  )
  return outcomes.some(({ index, action }) => action !== 'unchanged' && its.has(index))
}

/**
 * Reads the existing items before any change, by the position of their changes. Omits the checks to store, which `putPlanned`
 * reads.
 */
async function readBefore(
  { deps, by, inside, faults, puts, deletes }: Work,
  checksGone: ItemsByReference | undefined,
): Promise<Map<number, unknown>> {
  const found = new Map<number, unknown>()
  for (const name of [...KINDS.keys()]) {
    const [put = [], gone = []] = [name === 'check' ? [] : puts.get(name), deletes.get(name)]
    if (KINDS.get(name)?.isSingle) {
      for (const { index } of put) found.set(index, await ifThere(kindOf(name).read(deps, by.org_id, '')))
      continue
    }
    const all = [...gone, ...put]
    if (all.length === 0) continue
    const early = name === 'check' ? checksGone : undefined
    const things = early ?? (await findAll(inside, name, all.map(referenceOf)))
    const isGone = new Set(gone)
    const seen = new Set<string>()
    for (const one of all) {
      const { index, key } = one
      const field = key === undefined ? 'id' : 'key'
      const thing = things.get(referenceOf(one))
      const id = thing === undefined ? undefined : kindOf(name).idOf(thing)
      if (thing === undefined || id === undefined) {
        if (isGone.has(one) || key === undefined) faults.add(index, field, `must name an existing ${name}`)
      } else if (seen.has(id)) faults.add(index, field, `names a ${name} that another change also names`)
      else found.set(index, thing)
      if (id !== undefined) seen.add(id)
    }
  }
  return found
}

/** Finds items by reference. Omits those that the organisation does not have. */
async function findAll(inside: Inside, name: string, references: readonly string[]): Promise<ItemsByReference> {
  const { trx, by } = inside
  const ids = await resolveMany(trx, by.org_id, name as KeyedKind, references)
  const wanted = [...new Set(ids.values())]
  const things = (await (name === 'check' ? listChecks : KINDS.get(name)?.many?.list)?.(inside, wanted)) ?? []
  const byId = new Map(things.map((thing) => [kindOf(name).idOf(thing), thing]))
  return new Map([...ids].flatMap(([reference, id]) => (byId.has(id) ? [[reference, byId.get(id)]] : [])))
}

async function listChecks({ trx, by }: Inside, guids: readonly string[]): Promise<readonly unknown[]> {
  return guids.length === 0 ? [] : listChecksWithMonitors(trx, by.org_id, { limit: guids.length, guids })
}

function referenceOf({ key, id = '' }: IndexedChange): string {
  return key === undefined ? id : `key:${key}`
}

async function deleteAll(
  { deps, by, inside }: Work,
  name: string,
  some: readonly IndexedChange[],
  found: ReadonlyMap<number, unknown>,
): Promise<Outcome[]> {
  if (some.length === 0) return []
  const kind = kindOf(name)
  const gone = some.map(({ index }) => ({ index, before: found.get(index) }))
  const things = gone.map(({ before }) => before)
  if (name === 'check') await changeChecks(deps, by, things.map(kind.idOf), { kind: 'delete' })
  else await KINDS.get(name)?.many?.remove(inside, things)
  return gone.map(({ index, before }) => {
    return { index, action: 'deleted', id: kind.idOf(before), key: keyOf(kind, before), before }
  })
}

async function putMany(
  { inside, faults, reads }: Work,
  name: string,
  some: readonly IndexedChange[],
  found: ReadonlyMap<number, unknown>,
): Promise<Outcome[]> {
  const puts = some.map((put) => {
    const { index } = put
    return { index, before: found.get(index), input: inputOf(put), read: reads.get(index) }
  })
  const made = (await KINDS.get(name)?.many?.put(inside, puts, faults)) ?? []
  return faults.isEmpty ? puts.map(({ index, before }, at) => outcomeOf(name, { index, before, after: made[at] })) : []
}

async function putOne(
  { deps, trx, by, faults }: Work,
  name: string,
  put: IndexedChange,
  found: ReadonlyMap<number, unknown>,
): Promise<Outcome[]> {
  const { index } = put
  const kind = kindOf(name)
  const before = found.get(index)
  const made = await faults.during(index, async () => {
    const replace = async () =>
      kind.replace?.(deps, by, kind.idOf(before), { input: inputOf(put), expected: undefined })
    // A change without effect leaves no entry in the audit log.
    return outcomeOf(name, {
      index,
      before,
      after: await attempt(trx, replace, (after) => !isSame(kind, before, after)),
    })
  })
  return made ? [made] : []
}

function isSame(kind: ReturnType<typeof kindOf>, before: unknown, after: unknown): boolean {
  return before !== undefined && kind.versionOf(before) === kind.versionOf(after)
}

function outcomeOf(
  name: string,
  { index, before, after }: { index: number; before: unknown; after: unknown },
): Outcome {
  const kind = kindOf(name)
  const done = before === undefined ? 'created' : 'replaced'
  const action = isSame(kind, before, after) ? 'unchanged' : done
  return { index, action, id: kind.idOf(after), key: keyOf(kind, after), before, after }
}
