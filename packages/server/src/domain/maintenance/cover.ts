// Which checks and heartbeats maintenance covers.
import type { Scope } from '../routing/route.ts'

/** A check or heartbeat, as far as it decides whether it is covered. */
export interface Covered {
  kind: 'check' | 'heartbeat'
  guid: string
  tags: readonly string[]
}

/** Whether a scope covers a check or heartbeat. */
export function covers(scope: Scope, { kind, guid, tags }: Covered): boolean {
  if ('all' in scope) return true
  if ('tags' in scope) return tags.some((tag) => scope.tags.includes(tag))
  return (kind === 'check' ? scope.checks : scope.heartbeats).includes(guid)
}
