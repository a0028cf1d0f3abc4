// Creates the fleet that makes the traffic, in units. Each unit has 1,000 checks of 10 organisations, and two monitors that take
// turns at all of them.
import { createChannel } from '../../../packages/domain/dist/channels/edit.js'
import { createHeartbeat } from '../../../packages/domain/dist/heartbeats/edit.js'
import { addToFleet, type FleetMonitor } from '../fleet.ts'
import { insertRuns, isWellAlone } from '../recorded-rows.ts'
import { ONE_FAILS_OF } from '../recording.ts'
import { type Stage, say } from '../stage.ts'
import { heartbeatOf, query } from '../world.ts'

export interface Unit {
  monitors: Pick<FleetMonitor, 'id' | 'key'>[]
  /** Guids of the unit's checks. The monitors take turns, so that each check runs once in an interval. */
  guids: string[]
  /** Guids of the checks that repeatedly go down and recover. */
  unsteady: string[]
  /** Ping paths of the unit's heartbeats, one for each organisation. */
  ping_paths: string[]
}

export const UNIT = { checks: 1000, monitors: 2, orgs: 10 }
/** Interval between the pings of each job, in seconds. */
export const PING_SEC = 60
/**
 * One check in this many is unsteady, and goes down at its first failure. The number is a prime, so that the slots of these
 * checks differ.
 */
const UNSTEADY_EVERY = 97
/** Number of minutes of results that each statement inserts, because Postgres sorts them in memory. */
const MINUTES_AT_ONCE = 10

/** Receiver of webhooks from all organisations of the units. */
export interface Receiver {
  url: string
  secret: string
}

/** SQL for the hour with results: the last one that ended more than ten minutes ago, so that servers summarise it. */
export const HOUR = `date_trunc('hour', now() - interval '70 minutes')`

const RUNS_OF_HOUR = `
  select a.org_id, a.check_id, ${HOUR} + minute * interval '1 minute' + a.check_id % 60 * interval '1 second' as ran_at,
    a.monitor_id, ${isWellAlone('a.check_id', 'minute', ONE_FAILS_OF)} as success, minute as run
  from assignments a cross join generate_series($1::integer, $2::integer) minute
  where a.check_id > $4 and (minute % 2 = 0) = (a.monitor_id = any($3::text[]))`

const LIST_GUIDS = `
  select check_id % $1::integer as unit, array_agg(guid order by check_id) as guids,
    array_agg(guid) filter (where down_interval_sec = 1) as unsteady
  from checks where check_id > $2 group by 1 order by 1`

/**
 * Adds units. For the first `minutes` minutes of the hour with results, each check gets a result per minute, so that tables and
 * indexes are of a realistic size, and there is an hour to summarise.
 */
export async function addUnits(stage: Stage, count: number, minutes: number, receiver: Receiver): Promise<Unit[]> {
  const { machines } = stage.database.pools
  say(`adding ${(count * UNIT.checks).toLocaleString('en-US')} checks with ${minutes} results each`)
  const { monitors, org_ids, after_check_id } = await addToFleet(stage, {
    ...{ orgs: count * UNIT.orgs, checks: count * UNIT.checks, monitors: count * UNIT.monitors },
    ...{ groups: count, quickEvery: UNSTEADY_EVERY },
  })
  const channel = { kind: 'webhook', name: 'receiver', webhook_url: receiver.url, webhook_secret: receiver.secret }
  const tokens: string[] = []
  for (const org_id of org_ids) {
    await createChannel(stage, org_id, channel)
    // A heartbeat that was never pinged cannot be late, so these heartbeats are up until their jobs begin.
    tokens.push((await createHeartbeat(stage, org_id, heartbeatOf('nightly', PING_SEC, 300))).token)
  }
  const first = monitors.slice(0, count).map(({ id }) => id)
  for (let from = 0; from < minutes; from += MINUTES_AT_ONCE) {
    const last = Math.min(minutes, from + MINUTES_AT_ONCE) - 1
    await insertRuns(machines, RUNS_OF_HOUR, [from, last, first, after_check_id])
  }
  const rows = await query<Pick<Unit, 'guids' | 'unsteady'> & { unit: number }>(
    stage,
    LIST_GUIDS,
    count,
    after_check_id,
  )
  return rows.map(({ unit, ...checks }) => ({
    ...checks,
    ping_paths: tokens.filter((_, place) => place % count === unit).map((token) => `/ping/${token}`),
    monitors: monitors.filter((_, place) => place % count === unit),
  }))
}
