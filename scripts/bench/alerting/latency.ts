// Measures the time from a failing result to its webhook, while other monitors upload successes.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { depsOf } from '../../lab/archive.ts'
import { ownMeter } from '../../lab/cpu.ts'
import type { FleetMonitor } from '../../lab/fleet.ts'
import { request } from '../../lab/lane.ts'
import { insertRuns } from '../../lab/recorded-rows.ts'
import { toldOf } from '../../lab/recording.ts'
import { type Stage, say } from '../../lab/stage.ts'
import { sender } from '../support/arms.ts'
import { batchMaker, noneFails, toRequest } from '../support/batches.ts'
import { type Fact, printFacts, quantile } from '../support/report.ts'

const SECONDS = { full: 60, short: 15 }
const EVERY_MS = 100
/** Results of each upload, ten times a second. */
const RESULTS = 100
/** Number of changes after which a check that went down comes up. */
const DOWN_FOR = 20
const WARM_UP = 50
/**
 * Number of monitors whose checks change, each of another organisation. If all changed at one, the server would send one message about
 * that monitor.
 */
const CHANGING = 25
const LANES = 8
const ARRIVE_MS = 20_000
/** Failures after which a check of the fleet is down. */
const THRESHOLD = 2

interface Change {
  type: 'check.down' | 'check.up'
  sent: number
  answered: number
  arrived: number
}

export async function measureLatency(stage: Stage, monitors: readonly FleetMonitor[]): Promise<void> {
  const changing = monitors.slice(0, CHANGING)
  const changingChecks = new Set(changing.map(({ checks: [first] }) => first?.check_id))
  // Results of a second monitor would count, too.
  const others = monitors
    .filter(({ checks: [first] }) => !changingChecks.has(first?.check_id))
    .map((monitor) => ({ ...monitor, checks: monitor.checks.slice(0, RESULTS) }))
  const { machines } = stage.database.pools
  // Without these results, monitors would count as silent.
  await insertRuns(machines, LATEST, [])
  await machines.query('vacuum (analyze)')
  await machines.query('checkpoint')
  const changes = new Map<string, Change>()
  await openReceiver(stage, changing, (name) => {
    const change = changes.get(name)
    if (change && Number.isNaN(change.arrived)) change.arrived = performance.now()
  })
  const server = await stage.serve({ EGRESS_ALLOW: '127.0.0.1' })
  const worker = stage.work({ EGRESS_ALLOW: '127.0.0.1' })
  const send = sender({ server })
  const nextBatch = batchMaker(others, noneFails)
  const ticks = ((stage.flags.short ? SECONDS.short : SECONDS.full) * 1000) / EVERY_MS + WARM_UP
  say(`${RESULTS * (1000 / EVERY_MS)} results a second for ${(ticks * EVERY_MS) / 1000} s`)
  const meters = [server.meter, worker.meter, stage.postgres, ownMeter]
  const [before, begun] = [meters.map((meter) => meter.seconds()), performance.now()]
  // A lane sends one request at a time.
  const lanes = Array.from({ length: LANES }, () => Promise.resolve<unknown>(undefined))
  const queue = (lane: number, work: () => Promise<unknown>) =>
    (lanes[lane] = (lanes[lane] ?? Promise.resolve()).then(work))
  for (let tick = 0; tick < ticks; tick++) {
    await pause(Math.max(0, begun + tick * EVERY_MS - performance.now()))
    const lane = (tick % (LANES / 2)) * 2
    void queue(lane, () => send(toRequest(nextBatch()), lane))
    // Between two uploads, and never at the same position.
    await pause((tick * 37) % (EVERY_MS - 20))
    void queue(lane + 1, () => change((bytes) => send(bytes, lane + 1), changing, changes, tick))
  }
  const took_sec = (performance.now() - begun) / 1000
  await Promise.all(lanes)
  const end = performance.now() + ARRIVE_MS
  const late = () => [...changes].flatMap(([name, { arrived }]) => (Number.isNaN(arrived) ? [name] : []))
  while (late().length > 0 && performance.now() < end) await pause(50)
  if (late().length > 0) throw new Error(`${late().length} of ${changes.size} webhooks never came: ${late()[0]}`)
  const shares = meters.map((meter, n): Fact => {
    return [`${meter.name}, percent of a processor`, ((meter.seconds() - (before[n] ?? 0)) / took_sec) * 100, 1]
  })
  print([...changes.values()].slice(WARM_UP), (ticks * RESULTS) / took_sec, shares)
}

const LATEST = `
  select org_id, check_id, now() - interval '1 second' as ran_at, monitor_id, true as success, 0 as run from assignments`

function print(changes: readonly Change[], rate: number, shares: readonly Fact[]): void {
  process.stdout.write(`\nfrom the request with the result to the webhook: ${changes.length} changes of checks\n\n`)
  const facts = (what: string, type: Change['type'], of: (change: Change) => number): Fact[] => {
    const spans = changes.filter((change) => change.type === type).map(of)
    return [0.5, 0.99, 1].map((share) => {
      return [`${what}, ms, ${share === 1 ? 'most' : `p${share * 100}`}`, quantile(spans, share), 1]
    })
  }
  printFacts([
    ['results/s at the same time', rate, 0],
    ...facts('failing result to webhook', 'check.down', ({ sent, arrived }) => arrived - sent),
    ...facts('success to webhook', 'check.up', ({ sent, arrived }) => arrived - sent),
    ...facts('failing result to response', 'check.down', ({ sent, answered }) => answered - sent),
    ...shares,
  ])
}

/** Opens the receiver of webhooks, and makes a channel for each organisation of the monitors' checks. */
async function openReceiver(
  stage: Stage,
  monitors: readonly FleetMonitor[],
  onWebhook: (name: string) => void,
): Promise<void> {
  const receiver = createServer((req, res) => {
    void json(req).then((body) => {
      const { type, data } = body as { type: string; data: { check?: { guid: string } } }
      onWebhook(`${type} ${data.check?.guid}`)
      res.writeHead(204).end()
    })
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  stage.undo(async () => void receiver.close().closeAllConnections())
  const webhook_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const webhook_secret = `whsec_${Buffer.from(systemRandom(32)).toString('base64')}`
  const org_ids = new Set(monitors.flatMap(({ checks }) => checks.map(({ org_id }) => org_id)))
  for (const org_id of org_ids) {
    await createChannel(depsOf(stage), org_id, { kind: 'webhook', name: 'bench', webhook_url, webhook_secret })
  }
}

/** Takes a check down in an even tick, and brings one that is down up in an odd one. */
async function change(
  send: (bytes: Buffer) => Promise<Buffer>,
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
  const type = isDown ? 'check.down' : 'check.up'
  const made: Change = { type, sent: performance.now(), answered: 0, arrived: Number.NaN }
  changes.set(`${type} ${check.guid}`, made)
  const body = (await send(request('POST', '/results', { key, body: JSON.stringify({ results }) }))).toString()
  made.answered = performance.now()
  if (body !== `{"accepted":${count}}`) throw new Error(`a change was answered ${body}`)
}
