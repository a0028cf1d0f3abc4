// Many changes of an organisation's configuration in one transaction: all of them are made, or none. A dry run does the same and keeps
// nothing of it.
import { DEFINITION_FIELDS } from '@dogwatch/check-rules/fields'
import type { Transaction } from 'kysely'
import { lockOrganisation } from '../../store/accounts/organisations.ts'
import { countChecks, tick } from '../../store/checks/checks.ts'
import { attempt } from '../../store/one-transaction.ts'
import type { Tables } from '../../store/tables.ts'
import { changeChecks } from '../checks/change-many.ts'
import { TriedDestinations } from '../channels/tried.ts'
import type { Editor } from '../checks/pause-delete-wipe.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { wipeResults } from '../results/wipe.ts'
import type { Action, BulkChange, Outcome, Put } from './bulk-changes.ts'
import { lockNamed } from './bulk-locks.ts'
import { putChecks, type ReadPut, readPuts } from './bulk-checks.ts'
import type { ConfiguredCheck } from './checks.ts'
import { type Difference, differencesOf } from './differences.ts'
import { Faults } from './faults.ts'
import { readKey } from './keys.ts'
import type { Kind } from './kind.ts'
import { KINDS } from './kinds.ts'
import { together } from './together.ts'

export interface Changed {
  action: Action
  kind: string
  key?: string
  id: string
  fields: Difference[]
}

export interface BulkAnswer {
  changes: Changed[]
  counts: Record<Action, number>
}

type Trx = Transaction<Tables>

interface Work {
  deps: Deps
  trx: Trx
  by: Editor
  faults: Faults
  /** By kind, in the order of the request. */
  puts: Map<string, Put[]>
  deletes: Map<string, Put[]>
  checks: readonly ReadPut[]
  gone: AbortSignal | undefined
}

/** Things of a kind that are wrong before the rest of them are left unread; of checks, all are told. */
const MOST_FAULTS = 20
/** Everybody who changes a check waits for a transaction that has the sync clock: after this it gives up. */
const MOST_MS = 10_000

/** Thrown to have a dry run undone, with its result. */
class NotKept extends Error {
  readonly outcomes: Outcome[]
  constructor(outcomes: Outcome[]) {
    super('a dry run keeps nothing')
    this.outcomes = outcomes
  }
}

/**
 * Makes many changes, and refuses them with all that is wrong with one kind of thing at once. Things are stored in the order of `KINDS`, so
 * that they may name each other by their keys in whatever order they are sent; what is deleted is deleted before.
 */
export async function changeInBulk(
  deps: Deps,
  by: Editor,
  changes: readonly BulkChange[],
  { dry_run, gone }: { dry_run: boolean; gone?: AbortSignal },
): Promise<BulkAnswer> {
  const faults = new Faults()
  const { puts, deletes } = sortOut(changes, faults)
  const checks = await readPuts(puts.get('check') ?? [], faults)
  const tried = new TriedDestinations(deps.clock)
  await prepareAll(deps, by, { puts, faults, tried, gone })
  faults.refuse()
  const outcomes = await keptUnless(dry_run, () =>
    together(deps, async (inner, trx) => {
      const made = await carryOutAll({
        deps: { ...inner, tried },
        trx,
        by,
        faults,
        puts,
        deletes,
        checks,
        gone,
      })
      faults.refuse()
      if (dry_run) throw new NotKept(made)
      return made
    }),
  )
  const hasPrivate = checks.some(({ content }) => content.url === '')
  if (hasPrivate && !dry_run && !deps.is_joined) await wipeResults(deps)
  return answerOf(changes, outcomes)
}

/** Does what takes long, before anything is locked. */
async function prepareAll(
  deps: Deps,
  by: Editor,
  { puts, faults, tried, gone }: Pick<Work, 'puts' | 'faults' | 'gone'> & { tried: TriedDestinations },
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
        await faults.during(index, () => prepare(deps, by.org_id, { reference, input }, tried))
      } catch (error) {
        // What is wrong says more than that there is no time for the rest.
        faults.refuse()
        throw error
      }
    }
  }
}

function requireClient(gone: AbortSignal | undefined): void {
  if (gone?.aborted) throw new DomainError('limited', 'nobody waits for the answer: nothing was done', 1)
}

async function keptUnless(dry_run: boolean, work: () => Promise<Outcome[]>): Promise<Outcome[]> {
  try {
    return await work()
  } catch (error) {
    if (dry_run && error instanceof NotKept) return error.outcomes
    throw error
  }
}

/** What can be told of the changes by themselves. */
function sortOut(changes: readonly BulkChange[], faults: Faults): Pick<Work, 'puts' | 'deletes'> {
  const seen = new Set<string>()
  const sorted = { put: [] as (Put & { kind: string })[], delete: [] as (Put & { kind: string })[] }
  for (const [index, { action, kind, key, id, body }] of changes.entries()) {
    const [field, must] = faultOf({ action, kind, key, id, body }) ?? []
    const name = `${kind} ${key ?? id}`
    if (field !== undefined && must !== undefined) faults.add(index, field, must)
    else if (seen.has(name)) faults.add(index, key === undefined ? 'id' : 'key', 'must not be that of another change')
    else sorted[action].push({ index, kind, key, id, input: body ?? {} })
    seen.add(name)
  }
  return {
    puts: Map.groupBy(sorted.put, ({ kind }) => kind),
    deletes: Map.groupBy(sorted.delete, ({ kind }) => kind),
  }
}

function faultOf({ action, kind, key, id, body }: BulkChange): [field: string, must: string] | undefined {
  if (!Object.hasOwn(KINDS, kind)) return ['kind', `must be one of ${Object.keys(KINDS).join(', ')}`]
  if (KINDS[kind]?.isSingle) {
    if (action === 'delete') return ['action', 'must be put: there is always one']
    if (key !== undefined || id !== undefined) return ['key', 'must be left out, as id: there is one']
  } else if ((key === undefined) === (id === undefined)) return ['key', 'is required, or id instead of it']
  if (action === 'put' && body === undefined) return ['body', 'is required']
  if (action === 'delete' && body !== undefined) return ['body', 'must be left out']
  if (key === undefined) return undefined
  try {
    readKey({ key })
  } catch (error) {
    if (error instanceof DomainError) return ['key', error.message.replace(/^key /, '')]
    throw error
  }
  const own = body?.key
  return own === undefined || own === key ? undefined : ['body.key', 'must be left out or be the key of the change']
}

async function carryOutAll(work: Work): Promise<Outcome[]> {
  const { deps, trx, by, faults, puts, deletes, gone } = work
  const names = Object.keys(KINDS)
  const hasChecks = puts.has('check') || deletes.has('check')
  // In the order in which all changes of checks lock.
  if (hasChecks) await tick(trx)
  if (!(await lockOrganisation(trx, by.org_id))) throw new DomainError('missing', 'no organisation with that id')
  const until = deps.clock.monotonicMs() + MOST_MS
  const goOn = () => {
    requireClient(gone)
    if (deps.clock.monotonicMs() <= until) return
    throw new DomainError('limited', 'the changes take too long together: nothing was done. Send them in parts', 5)
  }
  await lockNamed(trx, by.org_id, { puts, deletes })
  const before = hasChecks ? await countChecks(trx, by.org_id) : 0
  const found = await readBefore(work)
  faults.refuse()
  const outcomes: Outcome[] = []
  for (const name of names.toReversed()) {
    goOn()
    outcomes.push(...(await deleteAll(work, name, deletes.get(name) ?? [], found)))
  }
  for (const name of names) {
    faults.refuse()
    goOn()
    if (name === 'check') {
      if (work.checks.length > 0) outcomes.push(...(await putChecks(trx, deps, by, work.checks, { faults, before })))
    } else {
      for (const put of puts.get(name) ?? []) {
        goOn()
        if (faults.count >= MOST_FAULTS) break
        outcomes.push(...(await putOne(work, name, put, found)))
      }
    }
  }
  return outcomes
}

/** What is there before anything is changed, by the place of its change. Of checks that are put, putting them asks for it. */
async function readBefore({ deps, by, faults, puts, deletes }: Work): Promise<Map<number, unknown>> {
  const found = new Map<number, unknown>()
  const look = async (name: string, put: Put, isNeeded: boolean) => {
    const { index, key, id } = put
    try {
      found.set(index, await kindOf(name).readInside(deps, by.org_id, key === undefined ? (id ?? '') : `key:${key}`))
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'missing') throw error
      if (isNeeded) faults.add(index, key === undefined ? 'id' : 'key', `must name a ${name} that exists`)
    }
  }
  for (const [name, some] of deletes) for (const put of some) await look(name, put, true)
  for (const [name, some] of puts) {
    if (name === 'check') continue
    for (const put of some) await look(name, put, put.key === undefined && !KINDS[name]?.isSingle)
  }
  return found
}

async function deleteAll(
  { deps, by, faults }: Work,
  name: string,
  some: readonly Put[],
  found: ReadonlyMap<number, unknown>,
): Promise<Outcome[]> {
  const kind = kindOf(name)
  const gone = some.map(({ index }) => ({ index, before: found.get(index) }))
  const ids = gone.map(({ before }) => kind.idOf(before))
  if (name === 'check' && ids.length > 0) await changeChecks(deps, by, ids, { kind: 'delete' })
  if (name !== 'check') {
    for (const [at, { index }] of gone.entries()) {
      await faults.during(index, () => kind.remove(deps, by, ids[at] ?? '', undefined))
    }
  }
  return gone.map(({ index, before }, at) => ({
    index,
    action: 'deleted',
    id: ids[at] ?? '',
    key: keyOf(kind, before),
    before,
  }))
}

async function putOne(
  { deps, trx, by, faults }: Work,
  name: string,
  { index, key, input }: Put,
  found: ReadonlyMap<number, unknown>,
): Promise<Outcome[]> {
  const kind = kindOf(name)
  const before = found.get(index)
  const isSame = (after: unknown) => before !== undefined && kind.versionOf(before) === kind.versionOf(after)
  const body = key === undefined ? input : { ...input, key }
  const made = await faults.during(index, async () => {
    const put = () =>
      before === undefined
        ? kind.create(deps, by, body)
        : kind.replace(deps, by, kind.idOf(before), { input: body, expected: undefined })
    // What changes nothing leaves no entry in the audit log.
    const after = await attempt(trx, put, (made) => !isSame(made))
    return { after }
  })
  if (!made) return []
  const { after } = made
  const done = before === undefined ? 'created' : 'replaced'
  const action = isSame(after) ? 'unchanged' : done
  return [{ index, action, id: kind.idOf(after), key: keyOf(kind, after), before, after }]
}

function kindOf(name: string): Kind<unknown> {
  const found = KINDS[name]
  if (!found) throw new Error(`no kind is called ${name}`)
  return found.kind
}

function keyOf(kind: Kind<unknown>, thing: unknown): string | null {
  const { key } = kind.toWire(thing) as { key?: string }
  return key ?? null
}

function answerOf(changes: readonly BulkChange[], outcomes: readonly Outcome[]): BulkAnswer {
  const counts = { created: 0, replaced: 0, deleted: 0, unchanged: 0 }
  const answers = outcomes
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, action, id, key, before, after }): Changed => {
      counts[action]++
      const change = changes[index]
      const kind = change?.kind ?? ''
      const fields = action === 'unchanged' ? [] : fieldsOf(kindOf(kind), before, after)
      // Its own key says nothing new where the change names it.
      const told = change?.key === undefined ? fields : fields.filter(({ field }) => field !== 'key')
      return { action, kind, ...(key !== null && { key }), id, fields: told }
    })
  return { changes: answers, counts }
}

function fieldsOf(kind: Kind<unknown>, before: unknown, after: unknown): Difference[] {
  const stateOf = (thing: unknown) => (thing === undefined ? undefined : configurationOf(kind, thing))
  const secretsOf = (thing: unknown) => (thing === undefined ? {} : (kind.secretsOf?.(thing) ?? {}))
  const differences = differencesOf(stateOf(before), stateOf(after), {
    before: secretsOf(before),
    after: secretsOf(after),
  })
  return kind.name === 'check' && after !== undefined
    ? withoutPrivate(differences, after as ConfiguredCheck)
    : differences
}

/** From a definition that has just been made private, nothing is quoted. */
function withoutPrivate(differences: readonly Difference[], { check }: ConfiguredCheck): Difference[] {
  const isHidden = (field: string) => check.url === '' && (DEFINITION_FIELDS as readonly string[]).includes(field)
  return differences.map(({ before, ...rest }) =>
    isHidden(rest.field) || before === undefined ? rest : { ...rest, before },
  )
}

/** What somebody decided of a thing. */
function configurationOf(kind: Kind<unknown>, thing: unknown): Readonly<Record<string, unknown>> {
  const told = kind.name === 'check' ? kind.toWire(withoutFleet(thing as ConfiguredCheck)) : kind.toWire(thing)
  const derived = new Set([...kind.derived, ...(kind.derivedOf?.(thing) ?? [])])
  return Object.fromEntries(Object.entries(told).filter(([field]) => !derived.has(field)))
}

/** Which monitors run a check that is meant for all is not decided by anybody. */
function withoutFleet(configured: ConfiguredCheck): ConfiguredCheck {
  return configured.all_monitors ? { ...configured, monitors: [] } : configured
}
