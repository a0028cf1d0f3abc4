// What routes and maintenance windows name: channels, checks and heartbeats, by guid or id or `key:NAME`.
import { listChannels } from '../../store/alerting/channels.ts'
import type { Db } from '../../store/database.ts'
import { listExisting } from '../../store/routing/subjects.ts'
import { DomainError } from '../errors.ts'
import type { Scope } from '../routing/route.ts'
import { isStorable } from '../text.ts'
import { resolveReferences } from './keys.ts'

/** A scope as it is sent and answered. */
export interface WireScope {
  all?: boolean
  tags?: string[]
  checks?: string[]
  heartbeats?: string[]
}

/** The channels that some references name, each after the field that it stands in. Refuses those that the organisation does not have. */
export async function resolveChannels(
  db: Db,
  org_id: number,
  named: readonly { field: string; reference: string }[],
): Promise<Map<string, number>> {
  const references = named.map(({ reference }) => reference)
  const ids = await resolveReferences(db, org_id, 'channel', references, (index) => named[index]?.field ?? '')
  const known = new Set((await listChannels(db, org_id)).map(({ id }) => String(id)))
  return new Map(
    named.map(({ field, reference }, index) => {
      const id = ids[index] ?? ''
      if (!known.has(id)) throw new DomainError('invalid', `${field} must name a channel that exists`)
      return [reference, Number(id)]
    }),
  )
}

/**
 * The scope that a body gives. `before`: what it was. A check or heartbeat that was deleted since may stay in it, so that what was read can be
 * sent back.
 */
export async function readScope(db: Db, org_id: number, wanted: unknown, before?: Scope): Promise<Scope> {
  const { all, tags, checks, heartbeats } = (wanted ?? {}) as WireScope
  const isNamed = checks !== undefined || heartbeats !== undefined
  if (Number(all === true) + Number(tags !== undefined) + Number(isNamed) !== 1) {
    throw new DomainError('invalid', 'scope must have one of all, tags, and checks with heartbeats')
  }
  if (all === true) return { all }
  if (tags !== undefined) return { tags }
  const scope = {
    checks: await resolveReferences(db, org_id, 'check', checks ?? [], (index) => `scope.checks[${index}]`),
    heartbeats: await resolveReferences(
      db,
      org_id,
      'heartbeat',
      heartbeats ?? [],
      (index) => `scope.heartbeats[${index}]`,
    ),
  }
  const storable = { checks: scope.checks.filter(isStorable), heartbeats: scope.heartbeats.filter(isStorable) }
  const known = new Set((await listExisting(db, org_id, storable)).map(({ kind, guid }) => `${kind}s ${guid}`))
  const had = before && 'checks' in before ? before : { checks: [], heartbeats: [] }
  for (const list of ['checks', 'heartbeats'] as const) {
    const at = scope[list].findIndex((guid) => !known.has(`${list} ${guid}`) && !had[list].includes(guid))
    if (at < 0) continue
    throw new DomainError('invalid', `scope.${list}[${at}] must name a ${list.slice(0, -1)} that exists`)
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
