// Reads the checks that are or could be members of composite checks.

import { count } from '@dogwatch/channels/wording'
import { compositeUrl, type MemberName, MOST_MEMBERS } from '@dogwatch/check-rules/composite'
import { schemeOf, startOf } from '@dogwatch/check-rules/schemes'
import { readTarget } from '@dogwatch/check-rules/target'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listNameable } from '@dogwatch/store/checks/judgements'
import { listStates } from '@dogwatch/store/checks/list-states'
import { readCheckStates } from '../checks/overview.ts'
import { stateWithoutResult, stateWithResult } from '../checks/state.ts'
import type { Deps } from '../deps.ts'
import { type MemberCheck, type NamedMembers, resolveMembers, whyNotCounted } from './composite.ts'

/**
 * Reads the checks of an organisation that these names mean, with their states. Reads newest results only of checks whose state
 * depends on them.
 */
export async function readMemberChecks(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  names: readonly MemberName[],
): Promise<MemberCheck[]> {
  const now = clock.now()
  const all = (await listStates(database, org_id, fromDate(now))).map((row) => ({ ...row, tags: row.tags ?? [] }))
  const named = new Set(resolveMembers(names, all).flatMap(({ checks }) => checks))
  const doubtful = [...named].flatMap(({ check_id, needs_result }) => (needs_result ? [check_id] : []))
  const looked = new Map((await readCheckStates(database, org_id, now, doubtful)).map((row) => [row.check_id, row]))
  return [...named].map((row): MemberCheck => {
    const its = looked.get(row.check_id)
    const found = its ? stateWithResult(its) : stateWithoutResult(row)
    const { check_id, guid, key, name, tags, url } = row
    return {
      ...{ check_id, guid, key, name, tags, state: found.state, since: found.since },
      ...{ isPrivate: url === '', isComposite: schemeOf(url) === 'composite' },
    }
  })
}

/** A member as the page of a composite shows it. */
export interface ShownMember {
  /** Absent if no check has the name. */
  check?: Pick<MemberCheck, 'guid' | 'name' | 'state' | 'since'>
  /** Name in the target of the composite. */
  name: MemberName
  /** Reason why the member does not count. Absent if it counts. */
  why?: string
}

/** Reads the members of a composite check for its page. Returns undefined for any other check. */
export async function readShownMembers(
  deps: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  check: { check_id: number; url: string },
): Promise<ShownMember[] | undefined> {
  const target = readTarget(check.url)
  if ('fault' in target || target.scheme !== 'composite') return undefined
  const checks = await readMemberChecks(deps, org_id, target.members)
  const seen = new Set([check.check_id])
  return withoutRepeats(resolveMembers(target.members, checks), seen).flatMap(({ name, checks: its }): ShownMember[] =>
    its.length === 0
      ? [{ name, why: 'not found' }]
      : its.map((one) => {
          const why = whyNotCounted(one)
          return { name, check: one, ...(why !== undefined && { why }) }
        }),
  )
}

/** A name that the form of a composite suggests, and what it means. */
export interface SuggestedMember {
  name: string
  means: string
}

/** Maximum number of checks in suggestions. */
const MOST_SUGGESTED = 1000

/** Reads the names that a composite can have as members: tags first, then checks by name. */
export async function readSuggestedMembers(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
): Promise<SuggestedMember[]> {
  const checks = await listNameable(database.people, org_id, MOST_SUGGESTED)
  const tags = Map.groupBy(
    checks.flatMap((check) => check.tags),
    (tag) => tag,
  )
  const nameOf = (by: MemberName['by'], name: string) => compositeUrl([{ by, name }]).slice(COMPOSITE_START.length)
  return [
    ...[...tags].map(([tag, uses]) => ({ name: nameOf('tag', tag), means: count(uses.length, 'check') })),
    ...checks.map(({ guid, key, name }) => ({ name: key === null ? guid : nameOf('key', key), means: name })),
  ]
}

const COMPOSITE_START = startOf('composite')

/** Keeps each check under the first of its names, and at most the maximum number of members. */
function withoutRepeats(named: readonly NamedMembers<MemberCheck>[], seen: Set<number>): NamedMembers<MemberCheck>[] {
  const last = seen.size + MOST_MEMBERS
  return named.flatMap(({ name, checks }) => {
    const own = checks.filter(({ check_id }) => !seen.has(check_id) && seen.size < last && seen.add(check_id))
    return own.length === 0 && checks.length > 0 ? [] : [{ name, checks: own }]
  })
}
