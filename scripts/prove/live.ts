// Proves that open pages receive changes in an unfriendly place: two web processes behind HAProxy with the shipped settings, and a database
// behind Debian's pgbouncer in transaction mode, without DATABASE_DIRECT_URL. No stream is cut while nothing happens for longer than any
// timeout of HAProxy; a change reaches all pages of its organisation within two seconds; and when a process ends, its pages open at the other.
// npm run prove -- live
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { DRAIN_SEC, startHaproxy } from '../lab/haproxy.ts'
import { startPgbouncer } from '../lab/pgbouncer.ts'
import { readFlags, runProof, sum, until } from '../lab/proof.ts'
import { openOrg, openWorld, query } from '../lab/world.ts'

readFlags({})
const [ORGS, OF_ORG, POOL] = [4, 15, 6]
const QUIET_SEC = 100
/** Minimum number of keepalives of a stream in `QUIET_SEC`. */
const LEAST_KEEPALIVES = 20
const HEARD_MS = 2000
const AGAIN_MS = 1000
/** Maximum time until a page has opened its stream again, in milliseconds. */
const BACK_MS = 15_000

interface Page {
  org_id: number
  isOpen: boolean
  changes: number
  keepalives: number
  cuts: number
}

/** Keeps the live stream of a page open. Opens it again whenever it ends, as a browser does. */
async function keepOpen(url: string, cookie: string, page: Page, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const stream = get(`${url}/live?v=0`, { headers: { cookie }, agent: false }, (response) => {
      page.isOpen = response.statusCode === 200
      response.on('data', (part: Buffer) => {
        page.keepalives += part.includes('event: beat') ? 1 : 0
        // A part without data is a keepalive.
        page.changes += part.includes('data: ') ? 1 : 0
      })
      response.on('error', () => {})
    })
    await once(stream, 'close').catch(() => {})
    page.cuts += page.isOpen ? 1 : 0
    page.isOpen = false
    await pause(AGAIN_MS)
  }
}

await runProof('live', 400_000, async (undo) => {
  const world = await openWorld(undo)
  const pooler = await startPgbouncer({ folder: world.folder, database_url: world.url, pool_size: POOL }, undo)
  const through = Object.assign(new URL(world.url), { host: pooler.host }).href
  const env = { DATABASE_URL: through, DATABASE_PREPARED: 'off', TRUST_PROXY: '127.0.0.1', DRAIN_SEC }
  const limits = { ADDRESS_RATE_LIMIT: 'off', ADDRESS_CONNECTIONS: 'off' }
  const start = (name: string) => world.serve({ ...env, ...limits }, { name, role: 'web' })
  const webs = [await start('web1'), await start('web2')]
  const haproxy = await startHaproxy(world.folder, webs, undo)
  const pages: Page[] = []
  let isOver = false
  undo(() => void (isOver = true))
  for (let n = 0; n < ORGS; n++) {
    const { org_id, signIn } = await openOrg(world.deps, `org ${n}`)
    const cookies = [await signIn(), await signIn()]
    for (let tab = 0; tab < OF_ORG; tab++) {
      const page = { org_id, isOpen: false, changes: 0, keepalives: 0, cuts: 0 }
      pages.push(page)
      void keepOpen(haproxy.url, cookies[tab % cookies.length] ?? '', page, () => isOver)
    }
  }
  const areOpen = () => until(() => pages.every(({ isOpen }) => isOpen), BACK_MS)
  const countCuts = () => sum(pages.map(({ cuts }) => cuts))
  /** Changes something in one organisation, and measures when the last of its pages receives the change. */
  const change = async () => {
    const org_id = pages[0]?.org_id ?? 0
    const before = pages.map((page) => ({ page, changes: page.changes }))
    const heard = () => before.filter(({ page, changes }) => page.changes > changes).map(({ page }) => page)
    const began = performance.now()
    const entry = `insert into audit_entries (org_id, created_at, actor, action, subject) values ($1, now(), 'operator', 'proof', 'proof')`
    await query(world.deps, entry, org_id)
    await until(() => heard().filter((page) => page.org_id === org_id).length === OF_ORG, 2 * HEARD_MS)
    const took_ms = Math.round(performance.now() - began)
    const own = heard().filter((page) => page.org_id === org_id).length
    const faults =
      own < OF_ORG || took_ms > HEARD_MS ? [`${OF_ORG - own} pages have no change after ${took_ms} ms`] : []
    if (heard().length > own) faults.push('pages of other organisations changed')
    return { took_ms, faults }
  }
  const isComplete = await areOpen()
  await pause(QUIET_SEC * 1000)
  const cuts = countCuts()
  const still = pages.filter(({ keepalives }) => keepalives < LEAST_KEEPALIVES).length
  const first = await change()
  void webs[0]?.stop()
  await until(() => countCuts() > cuts, BACK_MS)
  const isBack = await areOpen()
  const moved = countCuts() - cuts
  // Waits until each page has received the changes that it missed before it opened.
  await pause(HEARD_MS)
  const second = await change()
  const held = sum((await pooler.pools()).map(({ servers }) => servers))
  return {
    faults: [
      ...world.ends,
      !isComplete && 'not every page has a stream',
      cuts > 0 && `${cuts} of ${pages.length} streams were cut while nothing happened`,
      still > 0 && `${still} streams had less than ${LEAST_KEEPALIVES} keepalives in ${QUIET_SEC} s`,
      ...first.faults,
      !isBack && `pages of the process that ended have no stream after ${BACK_MS / 1000} s`,
      moved === 0 && 'the process that ended had no streams: that is no trial',
      ...second.faults,
      held > POOL && `pgbouncer holds ${held} connections`,
    ],
    figures: [
      `${pages.length} streams through HAProxy ${haproxy.version} and pgbouncer ${pooler.version} with ${held} connections`,
      `${QUIET_SEC} s without a change cut ${cuts}`,
      `a change reached all pages of its organisation after ${first.took_ms} ms`,
      `a process ended: ${moved} streams moved, and a change arrived after ${second.took_ms} ms`,
    ],
  }
})
