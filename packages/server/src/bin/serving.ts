// Runs the long-running processes: starts their parts, and ends them on a signal.
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Server as Entrance } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDelivering } from '@dogwatch/alerting/pipeline'
import { exportBoundsFor } from '@dogwatch/api/account-api/export-queue'
import { Admission } from '@dogwatch/api/admission'
import { trustOf } from '@dogwatch/api/client'
import { crossOrigin } from '@dogwatch/api/cross-origin'
import { Door } from '@dogwatch/api/drain'
import { listenAt } from '@dogwatch/api/entrances'
import { healthAnswers } from '@dogwatch/api/health'
import type { ArchiveFolder } from '@dogwatch/api/install/archives'
import { lanesFor } from '@dogwatch/api/lanes'
import { noticeLost } from '@dogwatch/api/lost'
import { createMetricsServer } from '@dogwatch/api/metrics-server'
import { Holds, placesToHold } from '@dogwatch/api/monitor-api/holds'
import { createHttpServer, type Early } from '@dogwatch/api/server'
import { compileValidators } from '@dogwatch/api/validate'
import { openPost } from '@dogwatch/channels/egress'
import { RDAP_MAX_BYTES, shippedServices } from '@dogwatch/channels/rdap'
import { createChannels } from '@dogwatch/channels/registry'
import { LiveStreams } from '@dogwatch/console/live/streams'
import { tellPresence } from '@dogwatch/domain/availability'
import type { Deps } from '@dogwatch/domain/deps'
import type { Registries } from '@dogwatch/domain/judged/ask-registries'
import { CHANGES_CHANNEL, readChange } from '@dogwatch/domain/live/changes'
import { LostCalls } from '@dogwatch/domain/lost-calls'
import { Nodes } from '@dogwatch/domain/nodes'
import { createSetUpLink } from '@dogwatch/domain/people/first-person'
import type { Provider } from '@dogwatch/domain/people/provider'
import { Readiness } from '@dogwatch/domain/readiness'
import { LoopDelay } from '@dogwatch/runtime/loop-delay'
import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { Metrics } from '@dogwatch/runtime/metrics'
import { OpenIdProvider } from '@dogwatch/runtime/openid'
import { RUNS_CHANNEL } from '@dogwatch/store/checks/asked-runs'
import { type Listener, openListener } from '@dogwatch/store/postgres/listen'
import { openSparePool } from '@dogwatch/store/postgres/spare-pool'
import { createApp } from '../app.ts'
import { type MailWay, runChores, runPresence } from '../chores.ts'
import type { Config } from '../config.ts'
import { openAgentArchives } from './agent-archives.ts'
import { observeClock } from './keep-time.ts'
import { runLocalMonitor } from './local-monitor.ts'
import { observe, observeNodes } from './observe.ts'
import type { Setup } from './setup.ts'
import type { Signals } from './signals.ts'

const NO_ROOM = 'the database server has no disk space left'
/** Maximum response time of health checks and metrics in milliseconds, even if the database does not respond. */
const WATCH_MS = 2_000
/** Maximum time for requests in progress to finish at shutdown, in milliseconds. */
const DRAIN_MS = 10_000
/**
 * Maximum time for chores and deliveries to finish at shutdown, in milliseconds: as long as an attempt to send takes, with
 * recording it.
 */
const LOOPS_MS = 22_000
/** Maximum time for requests, chores and deliveries to finish after a second signal, in milliseconds. */
const HURRIED_MS = 1_000
/** Maximum time for the whole process to end, in milliseconds. No statement takes this long. */
const END_MS = 30_000
const HURRIED_END_MS = 5_000
/** Maximum time for a response of a domain registry, in milliseconds. */
const RDAP_MS = 15_000

/** Number of accept queues on the port. Systems other than Linux support only one. */
const ENTRANCES = process.platform === 'linux' ? 16 : 1

/** Matches a server on the developer's own machine. */
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?:$|[:/])/

export type Role = 'all' | 'web' | 'worker'

/** Parts that are running, with functions to end them. */
interface ServingParts {
  door?: Door
  probes?: Door
  /** Held requests of agents. At shutdown they can end at once. */
  holds?: Holds
  /** Streams of open pages. */
  streams?: LiveStreams
  /** Functions that end chores and other loops. They resolve when the work in progress is done. */
  loops: (() => Promise<void>)[]
}

function mailWayOf(mailer: Mailer | undefined, { public_url }: Config): MailWay | undefined {
  return mailer && { mailer, public_url }
}

/** Returns the access to domain registries. Its requests go through the guard of outgoing requests. */
function openRegistries(config: Config): Registries {
  return { get: openPost(config, RDAP_MS, RDAP_MAX_BYTES), services: shippedServices() }
}

export async function serve(setup: Setup, role: Role, signals: Signals): Promise<void> {
  const { deps, config } = setup
  const build = { role, version: readVersion() }
  const metrics = new Metrics()
  metrics.tellBuild(build)
  const sparePool = openSparePool(setup.database_url, WATCH_MS, { pooler: setup.pooler })
  const nodes = new Nodes(deps, sparePool, setup.database_url)
  const witness = () => ({ ...setup.clock.state(), ...(setup.disk.isFull() && { doubt: NO_ROOM }) })
  const readiness = new Readiness(deps, sparePool, witness, nodes)
  const mailer = createMailer(config)
  const parts: ServingParts = { loops: [] }
  const listener = listenFor(setup)
  if (listener) parts.loops.push(() => listener.close())
  let endMonitor: (hurry?: AbortSignal) => Promise<void> = async () => {}
  let code = 1
  try {
    const takesRequests = role !== 'worker'
    if (takesRequests) {
      const lost = new LostCalls(deps.clock)
      const archives = openAgentArchives(deps.log, config.agent_archives)
      parts.loops.push(archives.close)
      const { door, url, shown_url, port, holds, streams } = await listen(
        setup,
        metrics,
        { mailer, archives: archives.folder },
        [healthAnswers(readiness), noticeLost(lost, deps.clock), crossOrigin(config.cors_origins, deps.random)],
      )
      parts.door = door
      parts.holds = holds
      parts.streams = streams
      if (listener) ringHeld(listener, holds, streams)
      const own = { self: setup.self, port, public_url: shown_url, told_at: undefined }
      // Comes after the server accepts pings and before the chores, which must not count the time in which this process
      // did not run as downtime.
      await tellPresence(deps, { isStart: true, own })
      parts.loops.push(runPresence(deps, own, { metrics, lost }))
      if (role === 'all' && config.local_monitor) endMonitor = startLocalMonitor(setup, url, listener)
    }
    if (role !== 'web')
      parts.loops.push(
        runChores(deps, metrics, { mail: mailWayOf(mailer, config), registries: openRegistries(config) }),
        deliver(setup, metrics, listener),
      )
    if (config.metrics_port !== undefined) {
      observe(metrics, deps, sparePool)
      observeClock(metrics, setup.clock)
      observeNodes(metrics, nodes)
      const server = createMetricsServer(healthAnswers(readiness), metrics)
      const { url } = await bind(server, { name: 'METRICS_PORT', port: config.metrics_port, host: config.metrics_host })
      parts.probes = new Door(server)
      process.stdout.write(`dogwatch: metrics on ${url}\n`)
    }
    deps.log.info({ ...build, ...(await nodes.look()) }, 'started')
    await signals.first
    code = 0
    readiness.drain()
    parts.door?.announce()
    parts.holds?.end()
    parts.streams?.end()
    deps.log.info({ ...build, drain_sec: config.drain_sec }, 'draining')
    // Ends the built-in monitor before the server, which must still accept the monitor's last results.
    await endMonitor(signals.second)
    if (parts.door) await sleep(config.drain_sec * 1000, undefined, { signal: signals.second }).catch(() => {})
  } finally {
    readiness.drain()
    // Ends the process although some work is hanging.
    signals.after(END_MS, HURRIED_END_MS).addEventListener('abort', () => {
      deps.log.error(build, 'some work did not finish in time and was abandoned')
      process.exit(code)
    })
    await endMonitor(signals.second)
    await stop(parts, signals)
    mailer?.close()
    await nodes.close()
    await sparePool.end()
    await setup.close()
    deps.log.info(build, 'stopped')
  }
}

async function stop({ door, probes, loops, holds, streams }: ServingParts, signals: Signals): Promise<void> {
  holds?.end()
  streams?.end()
  const bound = signals.after(LOOPS_MS, HURRIED_MS)
  const over = new Promise<void>((resolve) => bound.addEventListener('abort', () => resolve()))
  // A chore that is not done by then loses its connections. It leaves no harm, because each chore works in
  // transactions.
  const ending = Promise.race([Promise.all(loops.map((end) => end())), over])
  await Promise.all([door?.close(signals.after(DRAIN_MS, HURRIED_MS)), ending])
  await probes?.close(AbortSignal.abort())
}

function deliver({ deps, config }: Setup, metrics: Metrics, listener: Listener | undefined): () => Promise<void> {
  const channels = createChannels(config)
  const budgets = {
    channel: config.alerts_of_channel,
    organisation: config.alerts_of_org,
    mailbox: config.alerts_to_mailbox,
    shared: config.alerts_of_org_by_ntfy,
  }
  const sending = { ...deps, channels, public_url: config.public_url, budgets }
  return startDelivering(sending, {
    listener,
    onAttempt: (kind, outcome) => metrics.deliveries.inc({ kind, outcome }),
  })
}

/** Path of the page that receives browsers from the OpenID provider. */
const CALLBACK = '/sign-in/provider/return'

function providerOf({ oidc, public_url }: Config): Provider | undefined {
  if (!oidc) return undefined
  const { issuer, client_id, client_secret, ...rules } = oidc
  const redirect_uri = `${public_url.replace(/\/$/, '')}${CALLBACK}`
  return { ...rules, openid: new OpenIdProvider({ issuer, client_id, client_secret, redirect_uri }) }
}

async function listen(
  { deps, config, self }: Setup,
  metrics: Metrics,
  { mailer, archives }: { mailer: Mailer | undefined; archives: ArchiveFolder },
  early: readonly Early[],
): Promise<{ door: Door; url: string; shown_url: string; port: number; holds: Holds; streams: LiveStreams }> {
  const streams = new LiveStreams(deps)
  const holds = new Holds(placesToHold(config.database_pool_size))
  const { trust_proxy, address_rate_limit: address_limit, public_url } = config
  const delay = new LoopDelay()
  const lanes = lanesFor(config.database_pool_size)
  const admission = new Admission(deps, { address_limit, lanes, metrics, delay_ms: () => delay.ms })
  const app = createApp(deps, {
    trust_proxy,
    address_limit,
    admission,
    metrics,
    account_api: { exports: exportBoundsFor(config.database_pool_size) },
    config_api: { sends_mail: mailer !== undefined },
    install: { folder: archives, public_url },
    console: {
      public_url,
      mailer,
      agentArchives: async () => (await archives.read())?.archives ?? [],
      sign_up: config.sign_up,
      provider: providerOf(config),
      default_plan: config.default_plan,
      shows_design: LOCAL.test(public_url),
    },
    holds,
    streams,
  })
  await compileValidators()
  metrics.observe('http_requests_under_way', 'Requests in progress', 'part', () => admission.underWay())
  const server = createHttpServer(app, deps.random, [...early, admission.before(trustOf(app))], {
    connections_of_address: config.address_connections,
  })
  server.on('drop', () => metrics.dropped.inc())
  const { url, port, entrances } = await bind(server, {
    name: 'PORT',
    port: config.port,
    host: config.host,
    count: ENTRANCES,
  })
  const door = new Door(server, entrances)
  // If no public URL is set and the port is 0, only the system knows the address of this server.
  const shown_url = new URL(public_url).port === '0' ? url : public_url
  const set_up = await setUpLine(deps, shown_url, `${self.host}:${port}`)
  process.stdout.write(`dogwatch: listening on ${url}\n${set_up}`)
  return { door, url, shown_url, port, holds, streams }
}

/** Opens a listener for notifications. Returns undefined if the only URL leads to a pooler, which forwards no notifications. */
function listenFor({ listen_url, deps: { log } }: Setup): Listener | undefined {
  if (listen_url === undefined) return undefined
  return openListener(listen_url, (err) => {
    log.warn({ err }, 'the connection that listens for database changes broke; reconnecting')
  })
}

/**
 * Passes notifications of other processes about requested runs and changes on to the held requests and open pages of this process.
 */
function ringHeld(listener: Listener, holds: Holds, streams: LiveStreams): void {
  listener.on(CHANGES_CHANNEL, (payload) => {
    const change = payload === undefined ? undefined : readChange(payload)
    if (change) streams.ring(change)
  })
  listener.on(RUNS_CHANNEL, (monitor_id) => {
    if (monitor_id !== undefined) holds.ring(monitor_id)
  })
}

function startLocalMonitor(
  { deps, config }: Setup,
  url: string,
  listener: Listener | undefined,
): (hurry?: AbortSignal) => Promise<void> {
  // Uses the local address if the server listens on every address.
  const server_url = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  return runLocalMonitor(deps, { server_url, data_dir: config.data_dir, log_level: config.log_level, listener })
}

/**
 * Returns the line with the set-up link of a fresh server, which has no owner until someone opens the link. Returns an empty text
 * if the server is set up.
 */
async function setUpLine(deps: Deps, public_url: string, printed_by: string): Promise<string> {
  const token = await createSetUpLink(deps, printed_by)
  return token === undefined ? '' : `dogwatch: set up at ${public_url}/set-up/${token}\n`
}

/** Starts listening, and returns the URL. `name` is the name of the setting with the port, for errors. */
async function bind(
  server: Server,
  { name, port, host, count = 1 }: { name: string; port: number; host: string; count?: number },
): Promise<{ url: string; port: number; entrances: Entrance[] }> {
  const entrances = await listenAt(server, { port, host, count }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new Error(`port ${port} is already in use; set ${name} to another port`) : error
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound, entrances }
}

function readVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
