// Proves that the loss of a database server loses nothing: Debian's Postgres as a primary and a standby that every commit waits for, servers
// and a worker that find it at an address, and agents on the SDK that upload without pause. The primary is killed with -9 and started again;
// killed and replaced by its standby, which is read-only at first; and replaced while it lives on, read-only, with open connections. Every
// acknowledged result is in the last primary, once; the servers recover by themselves, and refuse in between with 503 and Retry-After.
// npm run prove -- failover [--agents N] [--seed N]
import { setTimeout as pause } from 'node:timers/promises'
import { type DatabaseProxy, databaseProxy } from '../../packages/api/test/support/database-proxy.ts'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import { type Fleet, openFleet } from '../lab/alerts/fleet.ts'
import { POLITE, Timeline, tallyFailures } from '../lab/clients/book.ts'
import { type Cluster, type Debian, openDebian } from '../lab/postgres.ts'
import { need, openFolder, readFlags, runProof, SEED } from '../lab/proof.ts'
import { startServer } from '../lab/server.ts'
import { openDeps, UNLIMITED } from '../lab/world.ts'

const flags = readFlags({ agents: { type: 'string', default: '20' }, seed: SEED })
const CALM_MS = 10_000
/**
 * Time without a database, and time with a read-only one, in milliseconds. Together they are longer than the grace period of the
 * fleet's heartbeats, in seconds.
 */
const [AWAY_MS, READING_MS, STEADY_GRACE_SEC] = [8000, 4000, 7]
/** Pause after an outage, in milliseconds. It is longer than any call that began during the outage. */
const SETTLE_MS = 8000
const SYNC_MS = 60_000
/** Time that a server needs to record that a message was accepted, in milliseconds. */
const NOTE_MS = 2000
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '256MB',
  // Keeps enough log for a standby that was stopped to catch up.
  wal_keep_size: '2GB',
  wal_retrieve_retry_interval: '500ms',
}
const LEFT = "select application_name as name from pg_stat_activity where application_name like 'dogwatch%'"

const timeline = new Timeline<'calm' | 'outage'>()
const recovered: string[] = []

await runProof('failover', 600_000, async (undo) => {
  const debian = openDebian(await openFolder(undo), undo, SETTINGS)
  const first = await debian.create('first')
  const second = await follow(debian, 'second', first)
  const address = await databaseProxy(first.url)
  undo(address.close)
  const { url } = address
  await migrateToLatest(url)
  const ends: string[] = []
  const env = { DATABASE_URL: url, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'fatal', ...UNLIMITED }
  const start = (name: string, role: 'web' | 'worker') =>
    startServer({ name, role, env, onEnd: (fault) => void ends.push(fault) }, undo)
  const [web1, web2] = [await start('web1', 'web'), await start('web2', 'web')]
  await start('worker', 'worker')
  const plan = { deps: openDeps(url, undo), baseUrls: [web1.url, web2.url] }
  const size = { agents: Number(flags.agents), seed: Number(flags.seed), steady_grace_sec: STEADY_GRACE_SEC }
  const fleet = await openFleet({ ...plan, ...size }, undo)
  const working = lose(fleet, debian, address, first, second)
  await Promise.race([working, fleet.running.then(() => working)])
  await timeline.during('calm', 'the last are alerted', () => fleet.finish())

  const { book } = fleet
  const { figures, faults } = await fleet.judge(({ at }) =>
    timeline.phases.some(({ kind, from, to }) => kind === 'outage' && at + NOTE_MS >= from && at <= to),
  )
  const outage = timeline.of('outage', book.failures)
  const others = book.failures.filter((failure) => !outage.includes(failure))
  const otherCalls = book.failedCalls.filter((call) => timeline.phaseOf(call)?.kind !== 'outage')
  const rude = outage.filter(({ kind }) => kind !== POLITE)
  return {
    faults: [
      ...ends,
      ...faults,
      outage.length === 0 && 'no client noticed that the database was away: that is no trial',
      rude.length > 0 && `without a database: ${tallyFailures(rude)}`,
      others.length > 0 && `while nothing happened: ${tallyFailures(others)}`,
      otherCalls.length > 0 && `calls failed while nothing happened: ${tallyFailures(otherCalls)}`,
      ...(await second.ask<{ name: string }>(LEFT)).map(
        ({ name }) => `a connection of ${name} stays with the old primary`,
      ),
    ],
    figures: [
      `Postgres ${debian.version}, seed ${flags.seed}`,
      ...figures,
      ...recovered,
      `attempts that failed: ${tallyFailures(outage)}`,
      `calls that failed: ${tallyFailures(book.failedCalls)}`,
      `longest attempt ${(book.longest_ms / 1000).toFixed(1)} s`,
    ],
  }
})

/** Starts a standby. From then on, no commit on the primary returns before the standby has it on disk. */
async function follow(debian: Debian, name: string, leader: Cluster): Promise<Cluster> {
  const follower = await debian.follow(name, leader)
  await follower.start()
  await leader.ask(`alter system set synchronous_standby_names = '*'`)
  await leader.ask('select pg_reload_conf()')
  await untilInSync(leader)
  return follower
}

async function untilInSync(leader: Cluster): Promise<void> {
  const standbys = "select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'"
  await need(async () => (await leader.ask(standbys)).length > 0, SYNC_MS, `no standby follows ${leader.name}`)
}

/** Makes the primary read-only but keeps its connections, and waits until the standby has all data. */
async function freeze(leader: Cluster): Promise<void> {
  await leader.ask('alter system set default_transaction_read_only = on')
  await leader.ask('select pg_reload_conf()')
  const done = `select from (select bool_and(replay_lsn >= pg_current_wal_lsn()) as is_same from pg_stat_replication) r
    where is_same and not exists (select from pg_stat_activity where backend_xid is not null)`
  await need(async () => (await leader.ask(done)).length > 0, SYNC_MS, `the data of ${leader.name} does not arrive`)
}

async function promote(follower: Cluster): Promise<void> {
  const [row] = await follower.ask('select pg_promote() as is_done')
  if (row?.is_done !== true) throw new Error(`${follower.name} cannot be promoted`)
}

/** Lets one database server after the other fail. */
async function lose(fleet: Fleet, debian: Debian, address: DatabaseProxy, first: Cluster, second: Cluster) {
  const outage = (what: string, work: () => Promise<unknown>): Promise<void> =>
    timeline.during('outage', what, async () => {
      await work()
      recovered.push(`${what}: first result accepted after ${await fleet.untilAccepted(what)} ms`)
      await pause(SETTLE_MS)
    })
  const calm = (what: string, work: () => Promise<unknown> = async () => {}) =>
    timeline.during('calm', what, () => work().then(() => pause(CALM_MS)))
  await calm('nothing happens')
  await outage('the primary is killed and started again', async () => {
    await first.kill()
    await pause(AWAY_MS)
    await first.start()
  })
  await calm('the standby catches up', () => untilInSync(first))
  await outage('the primary is killed and the standby promoted', async () => {
    await first.kill()
    await pause(AWAY_MS)
    address.moveTo(second.url)
    await pause(READING_MS)
    await promote(second)
  })
  let third = second
  await calm('a new standby follows', async () => void (third = await follow(debian, 'third', second)))
  await outage('the standby is promoted while the primary lives on, read-only', async () => {
    await freeze(second)
    await pause(READING_MS)
    await promote(third)
    address.moveTo(third.url)
  })
  await calm('nothing happens')
}
