// The time from a failing result to its webhook, while successes keep arriving.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { ownMeter } from '../../lab/cpu.ts'
import type { FleetMonitor } from '../../lab/fleet.ts'
import { type Lane, openLanes, request } from '../../lab/lane.ts'
import { insertRuns } from '../../lab/recorded-rows.ts'
import { toldOf } from '../../lab/recording.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { batchMaker, toRequest } from '../support/batches.ts'
import { printFacts } from '../support/report.ts'

const SECONDS = { full: 60, short: 15 }
const EVERY_MS = 100
/** Results per upload, ten times a second. */
const RESULTS = 100
/** A check that went down comes up this many changes later. */
const DOWN_FOR = 20
const WARM_UP = 50
/**
 * Changes happen at so many monitors in turn, each with checks of another organisation. All at one would be told as one message about
 * that monitor, and would spend the budget of alerts of its channel.
 */
const CHANGING = 25
const LANES = 8
const ARRIVE_MS = 20_000
/** Of a check of the fleet. */
const THRESHOLD = 2

interface Change {
  type: 'check.down' | 'check.up'
  sent: number
  answered: number
  told: number
}

export async function measureLatency(stage: Stage, monitors: readonly FleetMonitor[]): Promise<void> {
  const changing = monitors.slice(0, CHANGING)
  const changingChecks = new Set(changing.map(({ checks: [first] }) => first?.check_id))
  // A second monitor would also have a say.
  const others = monitors.filter(({ checks: [first] }) => !changingChecks.has(first?.check_id))
  await reportAll(stage)
  const changes = new Map<string, Change>()
  await listenTo(stage, changing, (type, guid) => {
    const change = changes.get(`${type} ${guid}`)
    if (change && Number.isNaN(change.told)) change.told = performance.now()
  })
  const server = await stage.serve({ EGRESS_ALLOW: '127.0.0.1' })
  const worker = stage.work({ EGRESS_ALLOW: '127.0.0.1' })
  const lanes = new Lanes(await openLanes(server.port, LANES))
  const nextBatch = batchMaker(
    others.map((monitor) => ({ ...monitor, checks: monitor.checks.slice(0, RESULTS) })),
    () => false,
  )
  const ticks = ((stage.flags.short ? SECONDS.short : SECONDS.full) * 1000) / EVERY_MS + WARM_UP
  say(`${RESULTS * (1000 / EVERY_MS)} results a second for ${(ticks * EVERY_MS) / 1000} s`)
  const meters = [server.meter, worker.meter, stage.postgres, ownMeter]
  const before = meters.map((meter) => meter.seconds())
  const begun = performance.now()
  const underWay: Promise<unknown>[] = []
  for (let tick = 0; tick < ticks; tick++) {
    await pause(Math.max(0, begun + tick * EVERY_MS - performance.now()))
    underWay.push(lanes.send(toRequest(nextBatch())))
    // Between two uploads, and never at the same place.
    await pause((tick * 37) % (EVERY_MS - 20))
    underWay.push(change(lanes, changing, changes, tick))
  }
  const took_sec = (performance.now() - begun) / 1000
  await Promise.all(underWay)
  const end = performance.now() + ARRIVE_MS
  const waits = () => [...changes.values()].some(({ told }) => Number.isNaN(told))
  while (waits() && performance.now() < end) await pause(50)
  const untold = [...changes].filter(([, { told }]) => Number.isNaN(told)).map(([name]) => name)
  if (untold.length > 0)
    throw new Error(`${untold.length} of ${changes.size} changes were never told: ${untold.slice(0, 5).join(', ')}`)
  const shares = meters.map((meter, n) => ({
    what: `${meter.name}, percent of a processor`,
    value: ((meter.seconds() - (before[n] ?? 0)) / took_sec) * 100,
    digits: 1,
  }))
  print([...changes.values()].slice(WARM_UP), (ticks * RESULTS) / took_sec, shares)
}

function print(changes: readonly Change[], rate: number, shares: Parameters<typeof printFacts>[0]): void {
  process.stdout.write(`\nfrom the request with the result to the webhook: ${changes.length} changes of checks\n\n`)
  const spans = (type: Change['type'], of: (change: Change) => number) =>
    changes.filter((change) => change.type === type).map(of)
  const facts = (what: string, values: readonly number[]) =>
    [0.5, 0.99, 1].map((share) => ({
      what: `${what}, ms, ${nameOf(share)}`,
      value: quantile(values, share),
      digits: 1,
    }))
  printFacts([
    { what: 'results/s beside them', value: rate, digits: 0 },
    ...facts(
      'failing result to webhook',
      spans('check.down', ({ sent, told }) => told - sent),
    ),
    ...facts(
      'success to webhook',
      spans('check.up', ({ sent, told }) => told - sent),
    ),
    ...facts(
      'failing result to answer',
      spans('check.down', ({ sent, answered }) => answered - sent),
    ),
    ...shares,
  ])
}

function nameOf(share: number): string {
  return share === 1 ? 'most' : `p${share * 100}`
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** So that nobody counts as silent, and only the measured events are alerted. */
async function reportAll({ database: { pools } }: Stage): Promise<void> {
  await insertRuns(
    pools.machines,
    `select org_id, check_id, now() - interval '1 second' as ran_at, monitor_id, true as success, 0 as run from assignments`,
    [],
  )
  await pools.machines.query('vacuum (analyze)')
  await pools.machines.query('checkpoint')
}

/** A channel for each org of the monitors' checks, and the receiver of their alerts. */
async function listenTo(
  stage: Stage,
  monitors: readonly FleetMonitor[],
  onTold: (type: string, guid: string) => void,
): Promise<void> {
  const receiver = createServer((req, res) => {
    // Discarded as it arrives: reading it is not measured.
    void json(req).then((body) => {
      const { type, data } = body as { type: string; data: { check?: { guid: string } } }
      onTold(type, data.check?.guid ?? '')
      res.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  stage.undo(async () => {
    receiver.close()
    receiver.closeAllConnections()
  })
  const { port } = receiver.address() as AddressInfo
  const { database } = stage
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  const secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const channel = { kind: 'webhook', name: 'bench', webhook_url: `http://127.0.0.1:${port}/`, webhook_secret: secret }
  const checks = monitors.flatMap((monitor) => monitor.checks)
  for (const org_id of new Set(checks.map((check) => check.org_id))) await createChannel(deps, org_id, channel)
}

/** Takes a check down in one tick, and brings one that is down up in the next. */
async function change(
  lanes: Lanes,
  monitors: readonly FleetMonitor[],
  changes: Map<string, Change>,
  tick: number,
): Promise<void> {
  const isDown = tick % 2 === 0
  const place = isDown ? tick / 2 : (tick - 1) / 2 - DOWN_FOR
  const { id, key, checks } = monitors[place % monitors.length] ?? {}
  const check = checks?.[Math.floor(place / monitors.length)]
  if (!id || !key || !check) return
  const count = isDown ? THRESHOLD : 1
  const results = Array.from({ length: count }, (_, n) => ({
    ...{ check_guid: check.guid, monitor_id: id, ran_at: new Date(Date.now() - count + n).toISOString() },
    ...toldOf(check.check_id, tick + n, !isDown),
  }))
  const made: Change = {
    type: isDown ? 'check.down' : 'check.up',
    sent: performance.now(),
    answered: 0,
    told: Number.NaN,
  }
  changes.set(`${made.type} ${check.guid}`, made)
  const body = await lanes.send(request('POST', '/results', { key, body: JSON.stringify({ results }) }))
  made.answered = performance.now()
  const { accepted } = JSON.parse(body.toString()) as { accepted: number }
  if (accepted !== count) throw new Error(`${accepted} of ${count} results were accepted`)
}

/** Sends on whichever connection is free. */
class Lanes {
  readonly #free: Lane[]
  readonly #waiting: ((lane: Lane) => void)[] = []

  constructor(lanes: readonly Lane[]) {
    this.#free = [...lanes]
  }

  async send(bytes: Buffer): Promise<Buffer> {
    // In turn, because servers close idle connections.
    const lane = this.#free.shift() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)))
    const body = await lane.send(bytes)
    const next = this.#waiting.shift()
    if (next) next(lane)
    else this.#free.push(lane)
    return body
  }
}
