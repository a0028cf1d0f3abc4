// Measures what 2,000 open pages cost while nothing happens: CPU, memory, and how soon they receive a change.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { peakMemory } from '../lab/cpu.ts'
import { type BenchServer, onStage, say, type Stage } from '../lab/stage.ts'
import { cookieOf } from './support/arms.ts'
import { printFacts, quantile } from './support/report.ts'

const STREAMS = 2000
const ORGS = 100
/** Number of pages that a session has open. */
const OF_SESSION = 5
const AT_ONCE = 50
const CORES = { atMost: 0.05 }

interface Session {
  org_id: number
  cookie: string
}

interface Stream {
  org_id: number
  response: IncomingMessage
}

await onStage(async (stage) => {
  const seconds = Math.max(10, stage.flags.seconds)
  const sessions: Session[] = []
  for (let n = 0; n < ORGS; n++) {
    const { org_id, owner_id } = await makeOrg(stage, 1)
    for (let of = 0; of < STREAMS / OF_SESSION / ORGS; of++) {
      sessions.push({ org_id, cookie: cookieOf(await openSession(depsOf(stage), owner_id, org_id)).Cookie })
    }
  }
  const server = await stage.serve()
  await pause(3000)
  const before = await costOf(stage, server, seconds)
  const memory = peakMemory(server.pid)
  say(`opening ${STREAMS} streams`)
  const streams: Stream[] = []
  while (streams.length < STREAMS) {
    const some = sessions.slice(streams.length % sessions.length).slice(0, AT_ONCE)
    streams.push(...(await Promise.all(some.map((session) => openStream(server, session)))))
  }
  // Each page first receives what it missed.
  await pause(5000)
  const during = await costOf(stage, server, seconds)
  const heard_ms = await changeOne(stage, streams)
  process.stdout.write(
    `\nlive: ${streams.length} open pages of ${ORGS} organisations, ${seconds} s without changes\n\n`,
  )
  printFacts([
    ['server without streams, cores', before.server, 3],
    ['server with streams, additional cores', during.server - before.server, 3, CORES],
    ['Postgres with streams, additional cores', during.postgres - before.postgres, 3, CORES],
    ['highest additional memory with streams, MB', peakMemory(server.pid) - memory, 0],
    ['time until a change reaches a page of its organisation, p50 ms', quantile(heard_ms, 0.5), 0],
    ['time until it has reached all of them, ms', Math.max(...heard_ms), 0, { atMost: 2000 }],
  ])
  for (const { response } of streams) response.destroy()
})

/** Measures the shares of a core in a span of time. */
async function costOf(stage: Stage, server: BenchServer, seconds: number) {
  const [ofServer, postgres, begun] = [server.meter.seconds(), stage.postgres.seconds(), performance.now()]
  await pause(seconds * 1000)
  const took = (performance.now() - begun) / 1000
  return {
    server: (server.meter.seconds() - ofServer) / took,
    postgres: (stage.postgres.seconds() - postgres) / took,
  }
}

async function openStream({ port }: BenchServer, { org_id, cookie }: Session): Promise<Stream> {
  const sent = get({ host: '127.0.0.1', port, path: '/live?v=0', headers: { cookie }, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`)
  response.on('error', () => {}).resume()
  return { org_id, response }
}

/** Changes something in one organisation. Returns the milliseconds after which each of its pages receives that. */
async function changeOne({ database }: Stage, streams: readonly Stream[]): Promise<number[]> {
  const org_id = streams[0]?.org_id ?? 0
  const began = performance.now()
  const heard = streams
    .filter((one) => one.org_id === org_id)
    .map(
      ({ response }) =>
        new Promise<number>((resolve) => {
          response.on('data', (part: Buffer) => {
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
