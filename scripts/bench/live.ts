// Measures what 2,000 open pages cost while nothing happens: CPU and memory, compared with a server without pages, and how soon
// the pages receive a change.
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openSession } from '../../packages/domain/dist/people/sessions.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { peakMemory } from '../lab/cpu.ts'
import { quantile } from '../lab/proof.ts'
import { onStage, say } from '../lab/stage.ts'
import { query } from '../lab/world.ts'
import { metersFrom, printFacts } from './support/compare.ts'
import { cookieOf, openResponse, serveTarget } from './support/requests.ts'

const STREAMS = 2000
const ORGS = 100
/** Number of pages that each session has open. */
const OF_SESSION = 5
const AT_ONCE = 50
const CORES = { atMost: 0.05 }
const CHANGE = `
  insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), 'operator', 'bench', 'bench')`

await onStage(async (stage) => {
  const seconds = Math.max(10, stage.flags.seconds)
  const sessions: { org_id: number; cookie: { Cookie: string } }[] = []
  for (let n = 0; n < ORGS; n++) {
    const { org_id, owner_id } = await makeOrg(stage, 1)
    for (let of = 0; of < STREAMS / OF_SESSION / ORGS; of++) {
      sessions.push({ org_id, cookie: cookieOf(await openSession(depsOf(stage), owner_id, org_id)) })
    }
  }
  const { server, meters } = await serveTarget(stage)
  /** Measures which share of a core the server and Postgres use while nothing happens. */
  const rest = async () => {
    const [used, begun] = [metersFrom(meters), performance.now()]
    await pause(seconds * 1000)
    const [{ server: web = 0, postgres = 0 }, took] = [used(), (performance.now() - begun) / 1000]
    return { server: web / took, postgres: postgres / took }
  }
  await pause(3000)
  const before = await rest()
  const memory = peakMemory(server.pid)
  say(`opening ${STREAMS} streams`)
  const streams: { org_id: number; response: IncomingMessage }[] = []
  while (streams.length < STREAMS) {
    const some = sessions.slice(streams.length % sessions.length).slice(0, AT_ONCE)
    const opened = some.map(async ({ org_id, cookie }) => {
      const response = await openResponse(server, '/live?v=0', cookie)
      return { org_id, response: response.on('error', () => {}).resume() }
    })
    streams.push(...(await Promise.all(opened)))
  }
  // Waits until each page has received the changes that it missed before it opened.
  await pause(5000)
  const during = await rest()
  // Makes a change in one organisation, and measures after how many milliseconds each of its pages receives the change.
  const [org_id, began] = [streams[0]?.org_id, performance.now()]
  const receiving = streams
    .filter((one) => one.org_id === org_id)
    .map(({ response }) => {
      return new Promise<number>((resolve) => {
        response.on('data', (part: Buffer) => {
          // A part without data is a keepalive.
          if (part.includes('data: ')) resolve(performance.now() - began)
        })
      })
    })
  await query(stage, CHANGE, org_id)
  const heard_ms = await Promise.all(receiving)
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
