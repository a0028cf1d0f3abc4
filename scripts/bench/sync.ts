// What a sync costs: one without changes and a full one, compared with a ping, with and without the address limit.
import { CHECKS_EACH, type FleetMonitor, loadFleet, MONITORS } from '../lab/fleet.ts'
import { type Lane, openLanes, request } from '../lab/lane.ts'
import { type BenchServer, onStage, type Stage } from '../lab/stage.ts'
import { cpuPerUnit, percentile, printArms, printClaims, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const IN_FLIGHT = 4
// At 10 requests a second each, enough that none is refused.
const ADDRESSES = 4000
const LIMITED = { ADDRESS_RATE_LIMIT: '10/30', TRUST_PROXY: '127.0.0.1' }

await onStage(async (stage) => {
  const monitors = await loadFleet(stage)
  const plain = await stage.serve()
  const limited = await stage.serve(LIMITED)
  const arms = [
    await pings('ping', plain, stage, monitors),
    await idleSyncs('idle', plain, stage, monitors),
    await fullSyncs('full', plain, stage, monitors),
    await pings('ping, limited', limited, stage, monitors),
    await idleSyncs('idle, limited', limited, stage, monitors),
  ]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  process.stdout.write(`\nsync: ${MONITORS} monitors with ${CHECKS_EACH} checks each, ${IN_FLIGHT} in flight\n\n`)
  const cpu = cpuPerUnit('server', 'postgres')
  printArms(measured, [
    { title: 'CPU us/request', of: cpu, digits: 0, spread: true },
    { title: 'server', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'requests/s', of: unitsPerSec, digits: 0 },
    { title: 'p50 ms', of: percentile(0.5), digits: 2 },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
  ])
  printClaims(measured, [
    { what: 'idle/ping CPU', top: 'idle', bottom: 'ping', of: cpu, target: { atMost: 1.5 } },
    { what: 'idle/ping CPU, limited', top: 'idle, limited', bottom: 'ping, limited', of: cpu },
    { what: 'full/idle CPU', top: 'full', bottom: 'idle', of: cpu },
  ])
})

interface SyncAnswer {
  checks: unknown[]
  server_time: string
}

async function pings(name: string, server: BenchServer, stage: Stage, monitors: FleetMonitor[]): Promise<Arm> {
  const ready = monitors.map(
    ({ key }) =>
      (headers: Record<string, string>) =>
        request('GET', '/ping', { key, headers }),
  )
  return requests(name, server, stage, (index, send) => send(ready[index % ready.length] as Make))
}

/** Each monitor continues from its latest cursor; nothing has changed since. */
async function idleSyncs(name: string, server: BenchServer, stage: Stage, monitors: FleetMonitor[]): Promise<Arm> {
  let since = await serverTime(server, monitors)
  return requests(name, server, stage, async (index, send) => {
    const { key } = monitors[index % monitors.length] as FleetMonitor
    const answer = read(await send((headers) => request('GET', `/checks?since=${since}`, { key, headers })))
    if (answer.checks.length > 0) throw new Error('an idle sync told of checks')
    since = answer.server_time
  })
}

async function fullSyncs(name: string, server: BenchServer, stage: Stage, monitors: FleetMonitor[]): Promise<Arm> {
  let seen = 0
  return requests(name, server, stage, async (index, send) => {
    const { key } = monitors[index % monitors.length] as FleetMonitor
    const body = await send((headers) => request('GET', '/checks', { key, headers }))
    // Reading the answer is not measured.
    if (seen++ % 100 > 0) return
    const { checks } = read(body)
    if (checks.length !== CHECKS_EACH) throw new Error(`a full sync told of ${checks.length} checks`)
  })
}

type Make = (headers: Record<string, string>) => Buffer
type Send = (make: Make) => Promise<Buffer>

/** An arm of single requests, each from another address. */
async function requests(
  name: string,
  server: BenchServer,
  stage: Stage,
  step: (index: number, send: Send) => Promise<unknown>,
): Promise<Arm> {
  const lanes = await openLanes(server.port, IN_FLIGHT)
  let sent = 0
  const sendOn =
    (lane: Lane): Send =>
    (make) =>
      lane.send(make({ 'X-Forwarded-For': address(sent++) }))
  const senders = lanes.map(sendOn)
  return {
    name,
    meters: [server.meter, stage.postgres],
    unitsPerStep: 1,
    step: async (index, lane) => void (await step(index, senders[lane] as Send)),
  }
}

function address(number: number): string {
  const place = number % ADDRESSES
  return `198.18.${place >> 8}.${place & 255}`
}

async function serverTime({ port }: BenchServer, [monitor]: FleetMonitor[]): Promise<string> {
  const [lane] = await openLanes(port, 1)
  if (!lane || !monitor) throw new Error('nobody to ask')
  const { server_time } = read(await lane.send(request('GET', '/checks', { key: monitor.key })))
  lane.close()
  return server_time
}

function read(body: Buffer): SyncAnswer {
  return JSON.parse(body.toString()) as SyncAnswer
}
