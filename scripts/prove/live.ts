// Proves that open pages hear of changes in the least friendly place: two web processes behind HAProxy with our own file, their database
// behind Debian's pgbouncer in transaction mode, without DATABASE_DIRECT_URL. Nothing happens for longer than any of HAProxy's
// timeouts, and no stream is cut; a change is heard within two seconds by all pages of its organisation; one of the processes ends, and its pages are
// open at the other one.
// npm run prove -- live
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { startPgbouncer } from '../lab/pgbouncer.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { setStageFor, type Stage } from '../lab/stage.ts'
import { type Outcome, runProof, until, type World } from '../lab/world.ts'
import { BACKEND, DRAIN_SEC, haproxySettings } from './rolling/haproxy.ts'
import { startHaproxy } from './support/haproxy.ts'

readFlags({})
const LIMIT_MS = 400_000
const ORGS = 4
const OF_ORG = 15
/** Longer than HAProxy waits for a client or a server that says nothing. */
const QUIET_SEC = 100
/** In that time a stream is sent something so often at least. */
const LEAST_BEATS = 3
const HEARD_MS = 2_000
const UP_MS = 20_000
/** A page opens its stream again within some seconds. */
const BACK_MS = 15_000
const POOL = 6

await runProof('live', LIMIT_MS, prove)

interface Open {
  org_id: number
  cookie: string
  beats: number
  heard: number
  isOpen: boolean
  cuts: number
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-live-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  const stage = await setStageFor(undo)
  const pooler = await startPgbouncer({ folder, database_url: stage.url, pool_size: POOL }, undo)
  const through = new URL(stage.url)
  through.host = pooler.host
  const env = { DATABASE_URL: through.href, DATABASE_PREPARED: 'off', TRUST_PROXY: '127.0.0.1', DRAIN_SEC }
  const webs = [await stage.serve(env), await stage.serve(env)]
  const servers = webs.map(({ port }, n) => ({ name: `web${n + 1}`, port }))
  const settings = (port: number, socket: string) => haproxySettings({ port, socket, servers })
  const haproxy = await startHaproxy({ folder, settings, backend: BACKEND }, undo)
  for (const { name } of servers) {
    if (!(await until(() => haproxy.isUp(name), UP_MS))) throw new Error(`HAProxy does not see ${name} come up`)
  }
  const faults: string[] = []
  const pages = await openPages(stage, haproxy.url)
  let isOver = false
  undo(async () => void (isOver = true))
  for (const page of pages) void keepOpen(haproxy.url, page, () => isOver)
  if (!(await until(() => pages.every(({ isOpen }) => isOpen), BACK_MS))) faults.push('not every page has a stream')
  await sleep(QUIET_SEC * 1000)
  const cuts = pages.reduce((sum, page) => sum + page.cuts, 0)
  if (cuts > 0) faults.push(`${cuts} of ${pages.length} streams were cut while nothing happened`)
  const still = pages.filter(({ beats }) => beats < LEAST_BEATS).length
  if (still > 0) faults.push(`${still} streams were sent less than ${LEAST_BEATS} beats in ${QUIET_SEC} s`)
  const first = await tell(stage, pages, faults)
  const [gone] = webs
  if (gone) process.kill(gone.pid, 'SIGTERM')
  await until(() => pages.some(({ isOpen }) => !isOpen), BACK_MS)
  const began = performance.now()
  const isBack = await until(() => pages.every(({ isOpen }) => isOpen), BACK_MS)
  const back_sec = (performance.now() - began) / 1000
  if (!isBack) faults.push(`pages of the process that ended have no stream after ${BACK_MS / 1000} s`)
  const moved = pages.reduce((sum, page) => sum + page.cuts, 0) - cuts
  if (moved === 0) faults.push('the process that ended had no streams: nothing was shown')
  const second = await tell(stage, pages, faults)
  const pools = await pooler.pools()
  const held = pools.reduce((sum, pool) => sum + pool.servers, 0)
  if (held > POOL) faults.push(`pgbouncer holds ${held} connections`)
  const figures = [
    `${pages.length} streams through HAProxy ${haproxy.version}, 2 web processes, pgbouncer ${pooler.version} in transaction mode with ${held} connections`,
    `${QUIET_SEC} s of silence cut ${cuts}`,
    `a change was heard by all pages of its organisation after ${first} ms`,
    `a process ended: ${moved} streams were open elsewhere after ${back_sec.toFixed(1)} s, and a change was heard after ${second} ms`,
  ]
  return { figures: figures.join('; '), faults }
}

async function openPages(stage: Stage, url: string): Promise<Open[]> {
  const pages: Open[] = []
  for (let n = 0; n < ORGS; n++) {
    const { org_id, owner_id } = await makeOrg(stage, 1)
    const sessions = [
      await openSession(depsOf(stage), owner_id, org_id),
      await openSession(depsOf(stage), owner_id, org_id),
    ]
    for (let tab = 0; tab < OF_ORG; tab++) {
      const cookie = `dogwatch-session=${sessions[tab % 2]}`
      pages.push({
        org_id,
        cookie: url.startsWith('https:') ? `__Host-${cookie}` : cookie,
        beats: 0,
        heard: 0,
        isOpen: false,
        cuts: 0,
      })
    }
  }
  return pages
}

/** As a browser does: a stream that ends is opened again. */
async function keepOpen(url: string, page: Open, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await stream(url, page)
    } catch {
      // The balancer had no process for it at that moment.
    }
    if (page.isOpen) page.cuts++
    page.isOpen = false
    await sleep(1_000)
  }
}

async function stream(url: string, page: Open): Promise<void> {
  const version = await textOf(`${url}/live/version`, page.cookie)
  const asked = get(`${url}/live?v=${version}`, { headers: { cookie: page.cookie }, agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) {
    answer.destroy()
    throw new Error(`a stream was answered ${answer.statusCode}`)
  }
  page.isOpen = true
  answer.on('data', (part: Buffer) => {
    if (part.includes('data:')) page.heard++
    else page.beats++
  })
  answer.on('error', () => {})
  await once(answer, 'close')
}

async function textOf(url: string, cookie: string): Promise<string> {
  const response = await fetch(url, { headers: { cookie } })
  return response.text()
}

/** Something changes in one organisation. After how many milliseconds the last of its pages has heard of it. */
async function tell({ database }: Stage, pages: readonly Open[], faults: string[]): Promise<number> {
  const org_id = pages[0]?.org_id ?? 0
  const own = pages.filter((page) => page.org_id === org_id)
  const others = pages.filter((page) => page.org_id !== org_id)
  const before = new Map(pages.map((page) => [page, page.heard]))
  const hasHeard = (page: Open) => page.heard > (before.get(page) ?? 0)
  const began = performance.now()
  await database.pools.machines.query(
    `insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), 'operator', 'proof', 'proof')`,
    [org_id],
  )
  await until(() => own.every(hasHeard), 2 * HEARD_MS)
  const took = Math.round(performance.now() - began)
  const deaf = own.filter((page) => !hasHeard(page)).length
  if (deaf > 0) faults.push(`${deaf} of ${own.length} pages have not heard of a change after ${took} ms`)
  else if (took > HEARD_MS) faults.push(`a change was heard after ${took} ms`)
  if (others.some(hasHeard)) faults.push('pages of other organisations heard of it')
  return took
}
