// Resolves what routes and maintenance windows name: channels, checks and heartbeats, by guid, id or `key:NAME`.
import { Pace } from '@dogwatch/runtime/pace'
import { listChannels } from '@dogwatch/store/alerting/channels'
import type { Db } from '@dogwatch/store/database'
import { listExisting } from '@dogwatch/store/routing/subjects'
import { FieldError } from '../errors.ts'
import type { Scope } from '../routing/route.ts'
import { keyIn, nothingHasKey, resolveMany } from './keys.ts'

/** A scope as requests and responses contain it. */
export interface WireScope {
  all?: boolean
  tags?: string[]
  checks?: string[]
  heartbeats?: string[]
}

/** References in some bodies, by kind. */
export interface ReferencesByKind {
  checks: readonly string[]
  heartbeats: readonly string[]
  channels: readonly string[]
}

/** Items that exist among the references of some bodies. */
export interface ResolvedReferences {
  /** Guids and ids by reference, for each kind. A key that no item has is missing. */
  ids: Readonly<Record<'check' | 'heartbeat' | 'channel', ReadonlyMap<string, string>>>
  /** Items that the organisation has, as `check GUID`. */
  there: ReadonlySet<string>
}

/** Looks up all references at once. */
export async function lookUp(
  db: Db,
  org_id: number,
  { checks, heartbeats, channels }: ReferencesByKind,
): Promise<ResolvedReferences> {
  const ids = {
    check: await resolveMany(db, org_id, 'check', checks),
    heartbeat: await resolveMany(db, org_id, 'heartbeat', heartbeats),
    channel: await resolveMany(db, org_id, 'channel', channels),
  }
  const guids = { checks: [...ids.check.values()], heartbeats: [...ids.heartbeat.values()] }
  const isAny = guids.checks.length + guids.heartbeats.length > 0
  const subjects = isAny ? await listExisting(db, org_id, guids) : []
  const held = channels.length === 0 ? [] : await listChannels(db, org_id)
  const there = [...subjects.map(({ kind, guid }) => `${kind} ${guid}`), ...held.map(({ id }) => `channel ${id}`)]
  return { ids, there: new Set(there) }
}

/** Collects the references of some bodies, each once, and lets other requests run in between. */
export async function allNamed(bodies: readonly ReferencesByKind[]): Promise<ReferencesByKind> {
  const pace = new Pace()
  const all = async (list: keyof ReferencesByKind) => {
    const names = new Set<string>()
    for (const body of bodies) {
      for (const name of body[list]) names.add(name)
      await pace.spend(body[list].length)
    }
    return [...names]
  }
  return { checks: await all('checks'), heartbeats: await all('heartbeats'), channels: await all('channels') }
}

/** Returns channel ids by reference. Refuses a channel that the organisation does not have, and names its field. */
export function channelsIn(
  { ids, there }: ResolvedReferences,
  named: readonly { field: string; reference: string }[],
): Map<string, number> {
  return new Map(
    named.map(({ field, reference }) => {
      const id = ids.channel.get(reference)
      if (id === undefined && keyIn(reference) !== undefined) throw nothingHasKey('channel', field)
      if (!there.has(`channel ${id}`)) throw new FieldError('invalid', field, 'must name an existing channel')
      return [reference, Number(id)]
    }),
  )
}

/** Returns the references in a scope. */
export function namedInScope(wanted: unknown): Pick<ReferencesByKind, 'checks' | 'heartbeats'> {
  const { checks = [], heartbeats = [] } = (wanted ?? {}) as WireScope
  return { checks, heartbeats }
}

/**
 * Returns the scope of a body. Checks and heartbeats of `before`, the previous scope, can stay although deleted, so that a caller
 * can send back what it read.
 */
export function scopeIn({ ids, there }: ResolvedReferences, wanted: unknown, before?: Scope): Scope {
  const { all, tags, checks, heartbeats } = (wanted ?? {}) as WireScope
  const isNamed = checks !== undefined || heartbeats !== undefined
  if (Number(all === true) + Number(tags !== undefined) + Number(isNamed) !== 1) {
    throw new FieldError(
      'invalid',
      'scope',
      'must have either "all" or "tags", or at least one of "checks" and "heartbeats"',
    )
  }
  if (all === true) return { all }
  if (tags !== undefined) return { tags }
  const had = before && 'checks' in before ? before : { checks: [], heartbeats: [] }
  const guidsOf = (kind: 'check' | 'heartbeat', references: readonly string[]) =>
    references.map((reference, index) => {
      const guid = ids[kind].get(reference)
      if (guid === undefined && keyIn(reference) !== undefined) throw nothingHasKey(kind, `scope.${kind}s[${index}]`)
      return guid ?? reference
    })
  const scope = { checks: guidsOf('check', checks ?? []), heartbeats: guidsOf('heartbeat', heartbeats ?? []) }
  for (const kind of ['check', 'heartbeat'] as const) {
    const list = `${kind}s` as const
    const at = scope[list].findIndex((guid) => !there.has(`${kind} ${guid}`) && !had[list].includes(guid))
    if (at < 0) continue
    throw new FieldError('invalid', `scope.${list}[${at}]`, `must name an existing ${kind}`)
  }
  return scope
}

export function scopeToWire(scope: Scope): WireScope {
  if ('all' in scope) return { all: true }
  if ('tags' in scope) return { tags: [...scope.tags] }
  const { checks, heartbeats } = scope
  return {
    ...(checks.length > 0 && { checks: [...checks] }),
    ...(heartbeats.length > 0 && { heartbeats: [...heartbeats] }),
  }
}
