// A process that makes the traffic of a fleet: every request when it is due, with its time counted from then. It also
// receives the webhooks of the fleet's channels. Messages control it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { ownMeter } from '../cpu.ts'
import { request } from '../lane.ts'
import { Agent, type Identity } from './agent.ts'
import { type AcknowledgedTick, CALM, type Manner, type Order, type Window } from './orders.ts'
import { sharesOf, TICK_MS } from './rounds.ts'
import { Sender } from './sender.ts'
import { runStreams, type Stream } from './streams.ts'
import { quantilesOf, record, Tallies } from './tallies.ts'
import { UNIT } from './units.ts'

/** How often each of a crowd makes a request. */
const PING_MS = 60_000
/** They connect one after the other. */
const COME_MS = 2
const SYNC_MS = 30_000
const REPORT_MS = 60_000
/** Jobs share a few connections. */
const JOB_CLIENTS = 16

let tallies = new Tallies()
const late = createHistogram()
const fleet: Identity[] = []
const acknowledged: AcknowledgedTick[] = []
/** Senders that send or wait. */
const senders = new Set<Sender>()
let agents: Agent[] = []
let jobs: Sender[] = []
let bystanders: Sender[] = []
let stops: (() => void)[] = []
let results = 0
let messages = 0
let told = { at: performance.now(), cpu_sec: ownMeter.seconds() }

const receiver = createServer((req, res) => {
  req.resume().on('end', () => {
    messages++
    res.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1', () => {
  process.send?.({ receiver_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` })
})

process.on('message', (order: Order) => {
  process.send?.({ answer: obey(order) ?? null })
})
process.on('disconnect', () => process.exit())

function obey(order: Order): unknown {
  if (order.do === 'take on') return takeOn(order)
  if (order.do === 'drive') return drive(order)
  if (order.do === 'heartbeat') return pingHeartbeats(order)
  if (order.do === 'crowd') return crowd(order)
  if (order.do === 'rest') return rest()
  if (order.do === 'tell') return tell()
  return acknowledged
}

function takeOn({ units }: Extract<Order, { do: 'take on' }>): void {
  for (const unit of units) {
    for (const [rank, share] of sharesOf(unit).entries()) {
      const place = fleet.length
      const address = `198.18.${(place >> 8) & 255}.${place & 255}`
      fleet.push({ key: unit.monitors[rank]?.key ?? '', address, share })
    }
  }
}

function drive({ port, units, manner }: Extract<Order, { do: 'drive' }>): void {
  rest()
  dismiss(agents.map(({ sender }) => sender))
  // What was in progress before is not counted for what comes now.
  tallies = new Tallies()
  agents = fleet.slice(0, units * UNIT.monitors).map((identity, place) => {
    const [sender] = newSenders(1, port, manner)
    return new Agent(identity, sender as Sender, place)
  })
  const of = (period_ms: number, act: (agent: Agent, due: number) => void): Stream => ({
    period_ms,
    members: agents.length,
    fire: (member, _, due) => act(agents[member] as Agent, due),
  })
  start([
    { period_ms: TICK_MS / manner.haste, members: agents.length, fire: run },
    of(SYNC_MS, (agent, due) => agent.sync(due)),
    of(REPORT_MS, (agent, due) => agent.report(due)),
  ])
}

/** Runs a tick. Numbers continue when the fleet starts again, so that none has two times. */
function run(member: number, number: number, due: number): void {
  const at = Math.floor(performance.timeOrigin + due)
  const monitor_id = fleet[member]?.share.monitor_id ?? ''
  agents[member]?.run({ number, due: at }, due, (accepted, ticks) => {
    results += accepted
    for (const tick of ticks) acknowledged.push({ monitor_id, ...tick })
  })
}

function pingHeartbeats({ port, paths, every_ms }: Extract<Order, { do: 'heartbeat' }>): void {
  dismiss(jobs)
  jobs = newSenders(JOB_CLIENTS, port, { ...CALM, lanes: 4 })
  const requests = paths.map((path) =>
    Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`),
  )
  const fire = (member: number, _: number, due: number) =>
    jobs[member % JOB_CLIENTS]?.send({ kind: 'heartbeat', due, make: () => requests[member] as Buffer })
  start([{ period_ms: every_ms, members: paths.length, fire }])
}

/** Opens connections like those of many more agents. */
function crowd({ port, count }: Extract<Order, { do: 'crowd' }>): void {
  dismiss(bystanders)
  bystanders = newSenders(count, port, CALM)
  for (const [place, sender] of bystanders.entries()) setTimeout(() => void sender.connect(), place * COME_MS)
  const fire = (member: number, _: number, due: number) => {
    const { key, address } = fleet[member % fleet.length] as Identity
    const make = () => request('GET', '/ping', { key, headers: { 'X-Forwarded-For': address } })
    bystanders[member]?.send({ kind: 'ping', due, make })
  }
  start([{ period_ms: PING_MS, members: count, fire }])
}

function newSenders(count: number, port: number, manner: Manner): Sender[] {
  const made = Array.from({ length: count }, () => new Sender(port, manner, tallies))
  for (const sender of made) senders.add(sender)
  return made
}

function dismiss(some: readonly Sender[]): void {
  for (const sender of some) {
    sender.close()
    senders.delete(sender)
  }
}

function start(streams: readonly Stream[]): void {
  stops.push(runStreams(streams, (ms) => record(late, ms)))
}

function rest(): void {
  for (const stop of stops) stop()
  stops = []
  for (const sender of senders) sender.forget()
}

function tell(): Window {
  const [now, cpu_sec] = [performance.now(), ownMeter.seconds()]
  const all = [...senders]
  const window = {
    seconds: (now - told.at) / 1000,
    cpu_sec: cpu_sec - told.cpu_sec,
    late_p99: quantilesOf(late).p99,
    tallies: tallies.take(),
    results,
    waiting: all.reduce((sum, { pending }) => sum + pending, 0),
    connections: all.reduce((sum, { connections }) => sum + connections, 0),
    messages,
  }
  told = { at: now, cpu_sec }
  results = messages = 0
  late.reset()
  return window
}
