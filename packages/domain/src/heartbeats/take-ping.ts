// Records the ping of a job to the URL of its heartbeat.
import { isCrossed } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import type { Trx } from '@dogwatch/store/database'
import { findPlaceOfToken, type HeartbeatPlace } from '@dogwatch/store/heartbeats/heartbeats'
import { type HeldHeartbeat, insertPing, lockToPing } from '@dogwatch/store/heartbeats/pings'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { endsRun, type Ping, receive } from './heartbeat.ts'
import { endIncident, openIncidents } from './incidents.ts'

/** Number of pings to keep for each heartbeat. */
const KEPT_PINGS = 100

/** Finds the heartbeat whose URL has this token. Refuses an unknown token, and a heartbeat of a suspended organisation. */
export async function findHeartbeatOfToken(deps: Pick<Deps, 'database'>, token: string): Promise<HeartbeatPlace> {
  // A made-up token costs no query, because no address limit protects this route.
  const place = looksLikeToken('beat', token) ? await findPlaceOfToken(deps.database.machines, token) : undefined
  if (!place) throw unknown()
  // The refusal says why, because the owner of the job should learn it.
  if (place.suspended) throw new DomainError('forbidden', 'the organisation of this heartbeat is suspended')
  return { org_id: place.org_id, heartbeat_id: place.heartbeat_id }
}

/**
 * Stores a ping that arrived at `at`, and records what it changed. Refuses it only if the heartbeat was deleted in the meantime.
 * Calls `onCrossed` before a second attempt, if another transaction blocked the first one for too long.
 */
export async function takePing(
  deps: Pick<Deps, 'database' | 'clock' | 'random'>,
  place: HeartbeatPlace,
  ping: Ping,
  at: Date,
  { onCrossed }: { onCrossed?: () => void } = {},
): Promise<void> {
  const once = () =>
    deps.database.machines.transaction().execute(async (trx) => {
      const locked = await lockToPing(trx, place, ping.rid)
      if (!locked) throw unknown()
      await takeLocked(trx, deps, locked, ping, at)
    })
  // Tries again, because a job that runs once a day does not repeat its ping.
  await once().catch((error: unknown) => {
    if (!isCrossed(error)) throw error
    onCrossed?.()
    return once()
  })
}

async function takeLocked(
  trx: Trx,
  deps: Pick<Deps, 'clock' | 'random'>,
  { held, newest, ofRun }: HeldHeartbeat,
  ping: Ping,
  at: Date,
): Promise<void> {
  const reception = receive(held, { newest, ofRun }, ping, { at, now: deps.clock.now() })
  if (reception.kind === 'repeat') return
  const row = { ...ping, n: (newest?.n ?? 0) + 1, created_at: fromDate(at), duration_ms: reception.duration_ms }
  const taken = reception.kind === 'overtaken' ? undefined : reception
  await insertPing(trx, held, row, { keep: KEPT_PINGS, after: endsRun(ping.kind) ? taken?.after : undefined })
  if (!taken) return
  const { after, change } = taken
  const { last_heartbeat_at } = after
  if (change.kind === 'down') await openIncidents(trx, deps, [{ ...held, last_heartbeat_at, change }])
  if (change.kind === 'up') await endIncident(trx, deps, { ...held, last_heartbeat_at, change })
}

function unknown(): DomainError {
  return new DomainError('missing', 'no heartbeat has this URL')
}
