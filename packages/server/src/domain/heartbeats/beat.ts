// A job calls the URL of its heartbeat.
import type { Transaction } from 'kysely'
import { isCrossed } from '../../runtime/database-faults.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { looksLikeToken } from '../../runtime/tokens.ts'
import {
  findPlaceOfToken,
  type HeartbeatCase,
  type HeartbeatPlace,
  lockHeartbeatCase,
  updateHeartbeatStanding,
  updateHeartbeatPutOff,
} from '../../store/heartbeats/heartbeats.ts'
import { findNewestOfRun, insertPing, listPings } from '../../store/heartbeats/pings.ts'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { endsRun, receive, type Signal } from './heartbeat.ts'
import { tellDown, tellUp } from './tell.ts'

/** How many calls of a heartbeat are kept. */
const KEPT_PINGS = 100

/** The heartbeat whose URL has this token; refuses one that is not known, and one whose organisation is suspended. */
export async function findCalled(deps: Pick<Deps, 'database'>, token: string): Promise<HeartbeatPlace> {
  // Who makes them up costs no query: no limit by address stands in front.
  const place = looksLikeToken('beat', token) ? await findPlaceOfToken(deps.database.work, token) : undefined
  if (!place) throw unknown()
  // The job's owner is to learn why; nothing was used up.
  if (place.suspended) throw new DomainError('forbidden', 'the organisation of this heartbeat is suspended')
  return { org_id: place.org_id, heartbeat_id: place.heartbeat_id }
}

/**
 * A call came that cannot be taken. Its heartbeat is not to be found silent for it, so it has a whole interval and its grace from
 * now on. The others are judged as ever, wherever their calls are taken.
 */
export async function putOff(deps: Pick<Deps, 'database' | 'clock'>, place: HeartbeatPlace): Promise<void> {
  await updateHeartbeatPutOff(deps.database.work, place, fromDate(deps.clock.now()))
}

/** Takes a call that came in at `at`, and tells what it changed. Refuses only when the heartbeat was deleted meanwhile. */
export async function beat(
  deps: Pick<Deps, 'database' | 'clock' | 'random'>,
  place: HeartbeatPlace,
  signal: Signal,
  at: Date,
): Promise<void> {
  const once = () =>
    deps.database.work.transaction().execute(async (trx) => {
      const held = await lockHeartbeatCase(trx, place)
      if (!held) throw unknown()
      await take(trx, deps, held, signal, at)
    })
  // A job that calls once a day does not call again for our sake.
  await once().catch((error: unknown) => {
    if (!isCrossed(error)) throw error
    return once()
  })
}

async function take(
  trx: Transaction<Tables>,
  deps: Pick<Deps, 'clock' | 'random'>,
  held: HeartbeatCase,
  signal: Signal,
  at: Date,
): Promise<void> {
  const [newest] = await listPings(trx, held, 1)
  const ofRun = endsRun(signal.kind) ? await findNewestOfRun(trx, held, signal.rid) : undefined
  const reception = receive(held, { newest, ofRun }, signal, { at, now: deps.clock.now() })
  if (reception.kind === 'repeat') return
  const ping = { ...signal, n: (newest?.n ?? 0) + 1, created_at: fromDate(at), duration_ms: reception.duration_ms }
  await insertPing(trx, held, ping, KEPT_PINGS)
  if (reception.kind === 'overtaken') return
  const { standing, change } = reception
  if (endsRun(signal.kind)) await updateHeartbeatStanding(trx, held, standing)
  const { last_heartbeat_at } = standing
  if (change.kind === 'down') await tellDown(trx, deps, [{ ...held, last_heartbeat_at, change }])
  if (change.kind === 'up') await tellUp(trx, deps, { ...held, last_heartbeat_at, change })
}

function unknown(): DomainError {
  return new DomainError('missing', 'no heartbeat has this url')
}
