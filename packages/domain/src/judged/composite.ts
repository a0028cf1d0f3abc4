// Judges composite checks by the states of their members. Pure.

import { count } from '@dogwatch/channels/wording'
import type { MemberName } from '@dogwatch/check-rules/composite'
import type { JudgedState } from '@dogwatch/store/checks/judgements'
import type { CheckState } from '../checks/state.ts'

/** State that the server finds for a check. */
export interface JudgedVerdict {
  state: JudgedState
  /** Reason in words. Empty while the check is up. */
  reason: string
  /** Time at which the check went down. Absent if it is not down. */
  since?: string
}

/** A check that can be a member. */
export interface MemberCheck {
  check_id: number
  guid: string
  key: string | null
  name: string
  tags: readonly string[]
  state: CheckState
  since: string | null
  isPrivate: boolean
  isComposite: boolean
}

/** A name in the target of a composite, with the checks that it means. */
export interface NamedMembers<Check> {
  name: MemberName
  checks: Check[]
}

type Nameable = Pick<MemberCheck, 'guid' | 'key' | 'tags'>

/** Returns the checks that each name in a target means. Unknown names have no checks. */
export function resolveMembers<Check extends Nameable>(
  names: readonly MemberName[],
  checks: readonly Check[],
): NamedMembers<Check>[] {
  return names.map((name) => ({ name, checks: checks.filter((check) => isNamed(check, name)) }))
}

function isNamed({ guid, key, tags }: Nameable, { by, name }: MemberName): boolean {
  if (by === 'tag') return tags.includes(name)
  return name === (by === 'key' ? key : guid)
}

/** Returns why a member does not count, in words, or undefined if it counts. */
export function whyNotCounted({ state, isPrivate, isComposite }: MemberCheck): string | undefined {
  if (isComposite) return 'a composite cannot be a member'
  if (isPrivate) return 'private definition'
  if (state === 'paused') return 'paused'
  return state === 'unmonitored' || state === 'unknown' ? 'not monitored' : undefined
}

/** Maximum number of names that a reason contains. */
const NAMED = 5

/**
 * Judges a composite: down if enough members are down, degraded if some are. `down_at`: number of members, or 0 for all. If fewer
 * members count, all of them must be down.
 */
export function judgeComposite(members: readonly MemberCheck[], down_at: number): JudgedVerdict {
  const counted = members.filter((one) => whyNotCounted(one) === undefined)
  if (counted.length === 0) return { state: 'unmonitored', reason: 'no member has a state' }
  const down = counted.filter(({ state }) => state === 'down')
  if (down.length === 0) return { state: 'up', reason: '' }
  const needed = Math.min(down_at === 0 ? counted.length : down_at, counted.length)
  const are = down.length === 1 ? 'is' : 'are'
  const reason = `${down.length} of ${count(counted.length, 'member')} ${are} down: ${namesOf(down)}`
  if (down.length < needed) return { state: 'degraded', reason }
  const since = down.flatMap((one) => one.since ?? []).toSorted()[needed - 1]
  return { state: 'down', reason, ...(since !== undefined && { since }) }
}

function namesOf(down: readonly MemberCheck[]): string {
  const names = down.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, 'en'))
  return names.length <= NAMED
    ? names.join(', ')
    : `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more`
}
