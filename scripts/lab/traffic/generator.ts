// Sends the traffic of a fleet from a separate process: every request when it is due, with latencies counted from then. Also
// receives the webhooks of the fleet's channels. Other processes control it by messages.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { sum } from '../proof.ts'
import { Agent, Client, freshTallies, type Identity, quantilesOf } from './clients.ts'
import { type AcknowledgedTick, CALM, KINDS, type Window } from './orders.ts'
import { sharesOf, TICK_MS, type Tick, unsteadyIn } from './rounds.ts'
import type { Calls } from './traffic.ts'
import { PING_SEC, UNIT } from './units.ts'

const SYNC_MS = 30_000
const REPORT_MS = 60_000
/** Number of connections that all jobs share. */
const JOB_CLIENTS = 16
const LOOK_EVERY_MS = 4

let tallies = freshTallies()
const tally = () => tallies
let late: number[] = []
/**
 * Time at which each result of an unsteady check was sent, by the check and the time of the run. The next variable has the
 * durations until the webhooks came.
 */
const sentAt = new Map<string, number>()
let alerts: number[] = []
const fleet: Identity[] = []
const ping_paths: string[] = []
const acknowledged: AcknowledgedTick[] = []
/** Clients that send requests, or whose last requests have no response yet. */
const clients = new Set<Client>()
let agents: Agent[] = []
let jobs: Client[] = []
let stops: (() => void)[] = []
let results = 0
let messages = 0
let told_at = performance.now()

const calls: Calls = {
  takeOn: (units) => {
    for (const unit of units) {
      ping_paths.push(...unit.ping_paths)
      for (const [rank, share] of sharesOf(unit).entries()) {
        const address = `198.18.${(fleet.length >> 8) & 255}.${fleet.length & 255}`
        fleet.push({ key: unit.monitors[rank]?.key ?? '', address, share })
      }
    }
  },
  drive: (port, units, manner) => {
    calls.rest()
    // Ignores the outcomes of requests that began before this call.
    tallies = freshTallies()
    const sending = fleet.slice(0, units * UNIT.monitors)
    agents = replace(agents, () => sending.map((identity, place) => new Agent(identity, place, port, manner, tally)))
    fire(TICK_MS / manner.haste, agents, run)
    fire(SYNC_MS, agents, (agent, due) => agent.sync(due))
    fire(REPORT_MS, agents, (agent, due) => agent.report(due))
    const ofJobs = { ...CALM, lanes: 4 }
    jobs = replace(jobs, () => Array.from({ length: JOB_CLIENTS }, () => new Client(port, ofJobs, tally)))
    fire(PING_SEC * 1000, ping_paths.slice(0, units * UNIT.orgs), (path, due, _, place) => {
      jobs[place % JOB_CLIENTS]?.send({ kind: 'heartbeat', method: 'POST', path, due })
    })
  },
  rest: () => {
    for (const stop of stops) stop()
    stops = []
    for (const client of clients) client.forget()
  },
  tell: () => {
    const now = performance.now()
    const window = {
      seconds: (now - told_at) / 1000,
      late_p99: quantilesOf(late).p99,
      tallies: Object.fromEntries(
        KINDS.map((kind) => {
          const { spans, ...counts } = tallies[kind]
          return [kind, { ...counts, ...quantilesOf(spans) }]
        }),
      ) as Window['tallies'],
      results,
      waiting: sum(Array.from(clients, ({ pending }) => pending)),
      messages,
      alerts: quantilesOf(alerts),
    }
    told_at = now
    results = messages = 0
    late = []
    alerts = []
    tallies = freshTallies()
    return window
  },
  account: () => acknowledged,
}

/**
 * Runs a tick of an agent. The tick contains its time, because the numbers of ticks begin again at 0 when the fleet starts again.
 */
function run(agent: Agent, due: number, number: number, place: number): void {
  const at = Math.floor(performance.timeOrigin + due)
  const { share } = fleet[place] as Identity
  const sent = (ticks: readonly Tick[]) => {
    for (const tick of ticks) {
      for (const guid of unsteadyIn(share, tick)) sentAt.set(`${guid} ${tick.due}`, performance.now())
    }
  }
  agent.run({ number, due: at }, due, sent, (accepted, ticks) => {
    results += accepted
    for (const tick of ticks) acknowledged.push({ monitor_id: share.monitor_id, ...tick })
  })
}

/** Closes clients, and replaces them with others. */
function replace<Kind extends Client>(before: readonly Kind[], open: () => Kind[]): Kind[] {
  for (const client of before) {
    client.close()
    clients.delete(client)
  }
  const opened = open()
  for (const client of opened) clients.add(client)
  return opened
}

/**
 * Calls `act` for each member once per period, until the fleet rests, even if the member's previous call has not ended. `due` is
 * on the clock of performance.now(). `round` is the number of the period.
 */
function fire<Member>(
  period_ms: number,
  members: readonly Member[],
  act: (member: Member, due: number, round: number, place: number) => void,
): void {
  const begun = performance.now()
  // Gives each member a random phase, because machines start at different times.
  const order = members
    .map((member, place) => ({ member, place, phase: Math.random() }))
    .toSorted((a, b) => a.phase - b.phase)
  let next = 0
  const look = () => {
    for (const now = performance.now(); order.length > 0; next++) {
      const round = Math.floor(next / order.length)
      const { member, place, phase } = order[next % order.length] as (typeof order)[number]
      const due = begun + (round + phase) * period_ms
      if (due > now) return
      late.push(now - due)
      act(member, due, round, place)
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  stops.push(() => clearInterval(timer))
}

const receiver = createServer((req, res) => {
  void json(req).then((body) => {
    const { check, ran_at } = (body as { data: { check?: { guid: string }; ran_at?: string } }).data
    const sent = sentAt.get(`${check?.guid} ${Date.parse(ran_at ?? '')}`)
    if (sent !== undefined) alerts.push(performance.now() - sent)
    messages++
    res.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1', () => {
  process.send?.({ receiver_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` })
})
process.on('message', ({ name, args }: { name: keyof Calls; args: never[] }) => {
  const call: (...args: never[]) => unknown = calls[name]
  process.send?.({ answer: call(...args) ?? null })
})
process.on('disconnect', () => process.exit())
