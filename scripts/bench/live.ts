// What 2,000 open pages cost while nothing happens: CPU, memory, and how soon they hear of a change.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { type BareArchive, depsOf, makeOrg } from '../lab/archive.ts'
import { peakMemory } from '../lab/cpu.ts'
import { type BenchServer, onStage, say, type Stage } from '../lab/stage.ts'
import { printFacts } from './support/report.ts'

const STREAMS = 2_000
/** Each with one person, who may have twenty pages open. */
const ORGS = 100
/** A session has so many pages open. */
const OF_SESSION = 5
const AT_MOST = 0.05
const AT_ONCE = 50

interface Open {
  org_id: number
  answer: IncomingMessage
}

await onStage(async (stage) => {
  const [seconds, deps] = [Math.max(10, stage.flags.seconds), depsOf(stage)]
  const orgs: BareArchive[] = []
  for (let n = 0; n < ORGS; n++) orgs.push(await makeOrg(stage, 1))
  const sessions: { org_id: number; session: string }[] = []
  for (let n = 0; n < STREAMS / OF_SESSION; n++) {
    const { org_id, owner_id } = orgs[n % ORGS] as BareArchive
    sessions.push({ org_id, session: await openSession(deps, owner_id, org_id) })
  }
  const server = await stage.serve()
  await sleep(3_000)
  const before = await costOf(stage, server, seconds)
  const memory_before = peakMemory(server.pid)
  say(`opening ${STREAMS} streams`)
  const open: Open[] = []
  for (let n = 0; n < STREAMS; n += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, i) => openStream(server, sessions[(n + i) % sessions.length]))
    open.push(...(await Promise.all(some)))
  }
  // What each page missed is told first.
  await sleep(5_000)
  const during = await costOf(stage, server, seconds)
  const memory = peakMemory(server.pid) - memory_before
  const heard_ms = await tellOne(stage, open)
  const [server_share, postgres_share] = [during.server - before.server, during.postgres - before.postgres]
  process.stdout.write(
    `\nlive: ${open.length} open pages of ${ORGS} organisations, ${seconds} s without any change\n\n`,
  )
  printFacts([
    { what: 'server without streams, cores', value: before.server, digits: 3 },
    { what: 'server with them, cores more', value: server_share, digits: 3, atMost: AT_MOST },
    { what: 'Postgres with them, cores more', value: postgres_share, digits: 3, atMost: AT_MOST },
    { what: 'memory at its highest with them, MB more', value: memory, digits: 0 },
    { what: 'a change is heard by the pages of its organisation, p50 ms', value: atShare(heard_ms, 0.5), digits: 0 },
    { what: 'the same by the last of them, ms', value: Math.max(...heard_ms), digits: 0, atMost: 2_000 },
  ])
  for (const { answer } of open) answer.destroy()
})

/** Shares of a core. */
async function costOf(stage: Stage, server: BenchServer, seconds: number) {
  const at = () => ({ server: server.meter.seconds(), postgres: stage.postgres.seconds(), ms: performance.now() })
  const begun = at()
  await sleep(seconds * 1000)
  const ended = at()
  const took = (ended.ms - begun.ms) / 1000
  return { server: (ended.server - begun.server) / took, postgres: (ended.postgres - begun.postgres) / took }
}

async function openStream({ port }: BenchServer, of: { org_id: number; session: string } | undefined): Promise<Open> {
  if (!of) throw new Error('there is no session')
  const headers = { cookie: `dogwatch-session=${of.session}` }
  const asked = get({ host: '127.0.0.1', port, path: '/live?v=0', headers, agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`)
  answer.on('error', () => {})
  answer.resume()
  return { org_id: of.org_id, answer }
}

/** Something changes in one organisation: after how many milliseconds each of its pages hears of it. */
async function tellOne({ database }: Stage, open: readonly Open[]): Promise<number[]> {
  const org_id = open[0]?.org_id ?? 0
  const began = performance.now()
  const heard = open
    .filter((one) => one.org_id === org_id)
    .map(
      ({ answer }) =>
        new Promise<number>((resolve) => {
          answer.on('data', (part: Buffer) => {
            if (part.includes('data:')) resolve(performance.now() - began)
          })
        }),
    )
  await database.pools.machines.query(
    `insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), 'operator', 'bench', 'bench')`,
    [org_id],
  )
  return Promise.all(heard)
}

function atShare(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0
}
