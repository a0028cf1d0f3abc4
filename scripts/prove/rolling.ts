// Proves that an operator can restart any process, and that a killed process loses nothing: HAProxy with the shipped settings in front of
// three web processes, two workers, one Postgres, and agents on the SDK that upload without pause. Processes are killed with -9, some with
// requests in progress, and rolled one by one. Every acknowledged result is stored once, no call fails to an agent, every change is alerted,
// and a roll by SIGTERM needs no second attempt. Open pages keep their streams for longer than any timeout of HAProxy, and receive changes
// in the end.
// npm run prove -- rolling [--rounds N] [--agents N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { dice } from '../../packages/runtime/test/support/dice.ts'
import { openFleet } from '../lab/alerts/fleet.ts'
import { excuseKilled } from '../lab/alerts/judge.ts'
import { type Failure, Timeline, tallyFailures } from '../lab/clients/book.ts'
import { DRAIN_SEC, type Haproxy, startHaproxy } from '../lab/haproxy.ts'
import { readFlags, runProof, SEED } from '../lab/proof.ts'
import type { Server } from '../lab/server.ts'
import { openWorld, UNLIMITED } from '../lab/world.ts'
import { openPages } from './rolling/pages.ts'

const text = { type: 'string' } as const
const flags = readFlags({ rounds: { ...text, default: '3' }, agents: { ...text, default: '50' }, seed: SEED })
const ROUNDS = Number(flags.rounds)
const SETTLE_MS = 3000
const QUIET_MS = 100_000
const AWAY_MS = 1500
const STANDSTILL_MS = 400

const timeline = new Timeline<'calm' | 'graceful' | 'kill'>()

await runProof('rolling', 400_000 + ROUNDS * 180_000, async (undo) => {
  const world = await openWorld(undo)
  // The server limits requests by the address of each agent, which the proxy reports.
  const env = { TRUST_PROXY: '127.0.0.1', EGRESS_ALLOW: '127.0.0.1', DRAIN_SEC, ...UNLIMITED }
  const start = (role: 'web' | 'worker', n: number) => world.serve(env, { name: `${role}${n}`, role })
  const webs = [await start('web', 1), await start('web', 2), await start('web', 3)]
  const workers = [await start('worker', 1), await start('worker', 2)]
  const haproxy = await startHaproxy(world.folder, webs, undo)
  const pages = await openPages(world.deps, haproxy.url, undo)
  const isComplete = await pages.areOpen()
  await pause(QUIET_MS)
  const cuts = pages.cuts()
  const plan = { deps: world.deps, baseUrls: [haproxy.url], agents: Number(flags.agents), seed: Number(flags.seed) }
  const fleet = await openFleet(plan, undo)
  const working = operate(webs, workers, haproxy)
  await Promise.race([working, fleet.running.then(() => working)])
  await fleet.finish()
  const isBack = await pages.areOpen()
  const moved = pages.cuts() - cuts
  const change = await pages.change()

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
  const internal = ['/healthz', '/readyz'].map((path) => fetch(`${haproxy.url}${path}`))
  return {
    faults: [
      ...world.ends,
      ...faults,
      ...book.failedCalls.map(({ operation, kind }) => `a call failed to the agent: ${operation}: ${kind}`),
      ...byPhase('in rolls without a kill', graceful),
      ...byPhase('without a roll or a kill', calm),
      killed.length === 0 && 'no kill came between a request and its response: that is no trial',
      requests.includes(0) && 'a server got no requests: that is no trial',
      !isComplete && 'not every page has a stream',
      cuts > 0 && `${cuts} of ${pages.count} streams were cut while nothing happened`,
      moved === 0 && 'no stream was at a process that ended: that is no trial',
      !isBack && 'not every page has a stream again',
      ...change.faults,
      ...(await Promise.all(internal)).map(({ status, url }) => status !== 404 && `HAProxy shows ${url} to the public`),
    ],
    figures: [
      `HAProxy ${haproxy.version}, seed ${flags.seed}`,
      ...figures,
      `${count('graceful')} rolls: second attempts ${tallyFailures(graceful)}`,
      `${count('kill')} kills: second attempts ${tallyFailures(killed)}`,
      `requests by server ${requests.join(', ')}`,
      `${pages.count} pages lost ${cuts} streams in ${QUIET_MS / 1000} s, and ${moved} with their processes`,
      `a change reached all pages of its organisation after ${change.took_ms} ms`,
    ],
  }
})

/** Restarts processes as an operator does, and kills processes as happens to machines. */
async function operate(webs: readonly Server[], workers: readonly Server[], haproxy: Haproxy): Promise<void> {
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
