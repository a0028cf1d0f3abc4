// Sends five times what a server handles, for a minute, from clients that ignore refusals. Requires that memory stays bounded, health
// checks respond, what is too much is refused in time with 503 and Retry-After, what is accepted is quick and stored, heartbeats are
// heard and alerts sent, and all is well again seconds later.
import { setTimeout as pause } from 'node:timers/promises'
import { type Ground, grow, observe, SERVED } from '../../lab/capacity/steps.ts'
import { send } from '../../lab/clients/requests.ts'
import { memoryOf } from '../../lab/cpu.ts'
import { quantile } from '../../lab/proof.ts'
import { type AcknowledgedTick, CALM, type Manner } from '../../lab/traffic/orders.ts'
import { foundIn, type Share, sharesOf } from '../../lab/traffic/rounds.ts'
import { UNIT } from '../../lab/traffic/units.ts'
import { numberOf, UNLIMITED } from '../../lab/world.ts'

const [TIMES, SECONDS, AFTER_SEC] = [5, 60, 40]
/** Behaviour of clients that repeat a refused request at once, on more connections. */
const RUDE: Manner = { haste: TIMES, lanes: 6, patience_ms: 10_000, waiting: 6 }
const [HEALTH_EVERY_MS, MEMORY_EVERY_MS] = [200, 1000]
const [HEALTH_P99_MS, ACCEPTED_P99_MS] = [1000, 5000]
/** Maximum share of pings without a response at the end of the overload. */
const UNHEARD_SHARE = 0.02
/** Maximum memory of the server, and of Postgres. */
const MOST_MB = 600
const RECOVERY_SEC = 15
/** Number of good seconds in a row after which the server counts as recovered. */
const WELL_SEC = 3
/** Minimum number of results that the server stores during the overload, as a share of its capacity. */
const LEAST_GOOD = 0.3
const SETTLED_AT_ONCE = 50_000

/** SQL for the acknowledged results that are missing, or differ from what was sent. */
const MISSING = `
  select count(*)
  from jsonb_to_recordset($1::jsonb) as sent(monitor_id text, guid text, ran_at timestamptz, success boolean)
  join check_guids using (guid)
  left join results r on r.org_id = check_guids.org_id and r.check_id = check_guids.check_id
    and r.ran_at = sent.ran_at and r.monitor_id = sent.monitor_id and r.success = sent.success
  where r.org_id is null`

/** Overloads a new server. The units of the ground are half of what it handles, and are doubled. */
export async function overload(ground: Omit<Ground, 'server'>) {
  const { stage, traffic, units } = ground
  const half = units.length
  await traffic.rest()
  await grow({ ...ground, minutes: 0 }, 2 * half)
  const server = await stage.serveAll({ ...SERVED, ...UNLIMITED })
  const since = Date.now()
  await traffic.drive(server.port, half, CALM)
  await pause(WELL_SEC * 1000)
  await traffic.drive(server.port, units.length, RUDE)
  await traffic.tell()
  const health: { status: number; ms: number }[] = []
  let most_mb = 0
  const looks = [
    setInterval(async () => void health.push(await send({ port: server.port, path: '/healthz' })), HEALTH_EVERY_MS),
    setInterval(() => {
      most_mb = Math.max(most_mb, ...Object.values(memoryOf(server.pid, stage.postmaster)).map((bytes) => bytes / 1e6))
    }, MEMORY_EVERY_MS),
  ]
  await pause(SECONDS * 1000)
  for (const look of looks) clearInterval(look)
  const { tallies, results, messages } = await traffic.tell()
  // Begins without a pause, because the server must handle this load together with requests still in progress.
  await traffic.drive(server.port, half, CALM)
  const recovered_sec = await recover({ ...ground, server })
  await traffic.rest()
  const acknowledged = (await traffic.account()).filter(({ due }) => due >= since)
  const lost = await countLost(ground, acknowledged)

  const { upload, heartbeat } = tallies
  const [refused, heard] = [upload.statuses[503] ?? 0, heartbeat.statuses[200] ?? 0]
  const [stored, rate] = [results / SECONDS, (units.length * UNIT.checks) / 60]
  const times = health.flatMap(({ status, ms }) => (status === 200 ? [ms] : []))
  const [health_ms, failed] = [quantile(times, 0.99), health.length - times.length]
  const over = (what: string, value: number, limit: number) =>
    !(value <= limit) && `overload: ${what}: ${value.toFixed(0)}, and at most ${limit.toFixed(0)} is allowed`
  return {
    faults: [
      failed > 0 && `overload: /healthz failed ${failed} times`,
      over('/healthz, p99 ms', health_ms, HEALTH_P99_MS),
      over('accepted uploads, p99 ms', upload.p99, ACCEPTED_P99_MS),
      over('memory, MB', most_mb, MOST_MB),
      over('seconds until all is well again', recovered_sec, RECOVERY_SEC),
      refused === 0 && 'nothing was refused: that is no overload',
      upload.retry_after < refused && `${refused - upload.retry_after} refusals without Retry-After`,
      stored < rate * LEAST_GOOD && `only ${stored.toFixed(0)} results/s were stored in the overload`,
      messages === 0 && 'no alert was sent during the overload',
      over('heartbeat pings that were not heard', heartbeat.due - heard, heartbeat.due * UNHEARD_SHARE),
      lost > 0 && `${lost} acknowledged results are lost`,
    ],
    figures: [
      `overload: ${(upload.due / SECONDS).toFixed(0)} uploads/s for ${SECONDS} s, ${refused} refused, p99 ${upload.p99.toFixed(0)} ms`,
      `${stored.toFixed(0)} results/s of ${rate.toFixed(0)} stored, ${heard} of ${heartbeat.due} pings heard, ${messages} alerts`,
      `/healthz p99 ${health_ms.toFixed(0)} ms, at most ${most_mb.toFixed(0)} MB, well again after ${recovered_sec} s, ${lost} results lost`,
    ],
  }
}

/** Waits until the server handles the load for some seconds in a row. Returns the seconds before that. */
async function recover(ground: Ground): Promise<number> {
  const observed = await observe(ground)
  for (let [second, well] = [1, 0]; second <= AFTER_SEC; second++) {
    await pause(1000)
    well = (await observed()).faults.length === 0 ? well + 1 : 0
    if (well === WELL_SEC) return second - WELL_SEC
  }
  return Number.POSITIVE_INFINITY
}

/** Counts the results of uploads with a response of 200 that are not stored as they were sent. */
async function countLost({ stage, units }: Omit<Ground, 'server'>, acknowledged: readonly AcknowledgedTick[]) {
  const shares = new Map(units.flatMap(sharesOf).map((share) => [share.monitor_id, share]))
  const rows = acknowledged.flatMap(({ monitor_id, ...tick }) =>
    foundIn(shares.get(monitor_id) as Share, tick).map((found) => ({ monitor_id, ...found })),
  )
  let lost = 0
  for (let from = 0; from < rows.length; from += SETTLED_AT_ONCE) {
    lost += await numberOf(stage, MISSING, JSON.stringify(rows.slice(from, from + SETTLED_AT_ONCE)))
  }
  return lost
}
