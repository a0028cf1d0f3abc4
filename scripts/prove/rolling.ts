// Proves that an operator can restart any process, and that a killed process loses nothing: HAProxy with the shipped settings in front of
// three web processes, two workers, one Postgres, and agents on the SDK that upload without pause. Processes are killed with -9, some with
// requests in progress, and rolled one by one. Every acknowledged result is stored once, no call fails to an agent, every change is alerted,
// and a roll by SIGTERM needs no second attempt.
// npm run prove -- rolling [--short] [--agents N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { dice } from '../../packages/server/test/support/dice.ts'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { excuseKilled } from '../lab/alerts/judge.ts'
import { type Failure, tallyFailures, Timeline } from '../lab/clients/book.ts'
import { fetchFrom } from '../lab/clients/from-address.ts'
import { DRAIN_SEC, type Haproxy, startHaproxy } from '../lab/haproxy.ts'
import { type Outcome, readFlags, runProof, SEED, SWITCH, type Undo } from '../lab/proof.ts'
import type { Server } from '../lab/server.ts'
import { openWorld, UNLIMITED, type World } from '../lab/world.ts'

const flags = readFlags({ short: SWITCH, agents: { type: 'string', default: '50' }, seed: SEED })
const ROUNDS = flags.short ? 1 : 3
const [WEBS, WORKERS] = [3, 2]
const SETTLE_MS = 3000
const AWAY_MS = 1500
const STANDSTILL_MS = 400
/** More requests than one address may send at once. */
const BURST = 60

interface Stage {
  world: World
  webs: Server[]
  workers: Server[]
  haproxy: Haproxy
  timeline: Timeline<'calm' | 'graceful' | 'kill'>
}

await runProof('rolling', 300_000 + ROUNDS * 180_000, async (undo) => {
  const world = await openWorld(undo)
  // The limit of requests counts by the address that the proxy reports.
  const env = { TRUST_PROXY: '127.0.0.1', EGRESS_ALLOW: '127.0.0.1', DRAIN_SEC, ...UNLIMITED }
  const [webs, workers]: [Server[], Server[]] = [[], []]
  for (let n = 1; n <= WEBS; n += 1) webs.push(await world.serve(env, { name: `web${n}`, role: 'web' }))
  for (let n = 1; n <= WORKERS; n += 1) workers.push(await world.serve(env, { name: `worker${n}`, role: 'worker' }))
  const haproxy = await startHaproxy(world.folder, webs, undo)
  const stage: Stage = { world, webs, workers, haproxy, timeline: new Timeline() }
  const senders = () => workers.flatMap(({ pids }) => pids)
  const plan = { deps: world.deps, baseUrls: [haproxy.url], agents: Number(flags.agents), seed: Number(flags.seed) }
  const fleet = await openFleet({ ...plan, senders }, undo)
  const working = operate(stage)
  await Promise.race([working, fleet.running.then(() => working)])
  const limited = await burst(haproxy.url, undo)
  await fleet.finish()
  return judge(stage, fleet, limited)
})

/** Does what an operator does, and what happens to machines. */
async function operate({ webs, workers, haproxy, timeline }: Stage): Promise<void> {
  const d = dice(Number(flags.seed))
  const untilBack = async (server: Server): Promise<void> => {
    if (webs.includes(server)) await haproxy.untilUp(server.name)
    await pause(SETTLE_MS)
  }
  const kill = (what: string, victims: readonly Server[], standsStill: boolean) =>
    timeline.during('kill', what, async () => {
      if (standsStill) {
        for (const { pid } of victims) process.kill(pid, 'SIGSTOP')
        await pause(STANDSTILL_MS)
      }
      await Promise.all(victims.map((victim) => victim.kill()))
      await pause(d.below(AWAY_MS))
      await Promise.all(victims.map((victim) => victim.start()))
      await Promise.all(victims.map(untilBack))
    })
  const calm = () => timeline.during('calm', 'nothing happens', () => pause(SETTLE_MS))
  await calm()
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const server of [...webs, ...workers]) {
      await timeline.during('graceful', `${server.name} rolled`, async () => {
        await server.stop()
        await server.start()
        await untilBack(server)
      })
    }
    const [web, worker, stuck] = [d.one(webs), d.one(workers), d.one(webs)]
    const others = webs.filter((other) => other !== stuck)
    await kill(`${web.name} and ${worker.name} killed`, [web, worker], false)
    await kill(`${stuck.name} killed with requests in progress`, [stuck], true)
    await kill('the other two killed with requests in progress', others, true)
  }
  await calm()
}

/** Sends too many requests at once from one address, which all servers count together. */
async function burst(url: string, undo: Undo): Promise<{ limited: number; passed: number }> {
  const { fetch, close } = await fetchFrom('127.2.0.1')
  undo(close)
  const ping = async () => {
    const response = await fetch(`${url}/monitor-api/v1/ping`, {})
    await response.text()
    return response.status
  }
  const statuses = await Promise.all(Array.from({ length: BURST }, ping))
  const limited = statuses.filter((status) => status === 429).length
  return { limited, passed: statuses.length - limited }
}

async function judge(
  { world, workers, haproxy, timeline }: Stage,
  fleet: Fleet,
  { limited, passed }: { limited: number; passed: number },
): Promise<Outcome> {
  const { book } = fleet
  const { figures, faults } = await fleet.judge(excuseKilled(workers))
  const requests = await haproxy.requests()
  const [graceful, killed] = [timeline.of('graceful', book.failures), timeline.of('kill', book.failures)]
  const calm = book.failures.filter((failure) => !graceful.includes(failure) && !killed.includes(failure))
  const count = (kind: string) => timeline.phases.filter((phase) => phase.kind === kind).length
  const byPhase = (how: string, failures: readonly Failure[]) =>
    [...Map.groupBy(failures, (failure) => timeline.phaseOf(failure)?.what ?? 'between two of these')].map(
      ([what, own]) => `${how}: ${what}: ${tallyFailures(own)}`,
    )
  const gaps = [...book.syncs.values()].flatMap((times) => times.slice(1).map((at, n) => at - (times[n] ?? at)))
  return {
    faults: [
      ...world.ends,
      ...faults,
      ...book.failedCalls.map(({ operation, kind }) => `a call failed to the agent: ${operation}: ${kind}`),
      ...byPhase('in rolls without a kill', graceful),
      ...byPhase('without a roll or a kill', calm),
      killed.length === 0 && 'no kill came between a request and its response: that is no trial',
      requests.includes(0) && 'a server got no requests: that is no trial',
      (limited === 0 || passed === 0) && `of a burst from one address ${limited} were limited and ${passed} not`,
    ],
    figures: [
      `HAProxy ${haproxy.version}, seed ${flags.seed}`,
      ...figures,
      `${count('graceful')} rolls: second attempts ${tallyFailures(graceful)}`,
      `${count('kill')} kills: second attempts ${tallyFailures(killed)}`,
      `requests by server ${requests.join(', ')}`,
      `longest between two syncs of an agent ${(Math.max(0, ...gaps) / 1000).toFixed(1)} s`,
      `of ${limited + passed} requests at once from one address ${limited} limited`,
    ],
  }
}
