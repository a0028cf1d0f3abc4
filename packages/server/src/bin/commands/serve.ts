// dogwatch serve: the processes that run for good.
import type { Server } from 'node:http'
import { type Command, Option } from 'commander'
import { createChannels } from '../../alerting/channels/registry.ts'
import { startDelivering } from '../../alerting/pipeline.ts'
import { createApp } from '../../app.ts'
import { runChores, runPresence } from '../../chores.ts'
import type { Config } from '../../config.ts'
import { tellPresenceByTrueClock } from '../../domain/availability.ts'
import type { Deps } from '../../domain/deps.ts'
import { Readiness } from '../../domain/readiness.ts'
import { healthAnswers } from '../../http/health.ts'
import { createHttpServer, createProbeServer, type Early } from '../../http/server.ts'
import { createMailer, type Mailer } from '../../runtime/mail.ts'
import { openWatch } from '../../store/watch.ts'
import { ALL_SETTINGS, readSettings, type Setup, setUp, withSettings } from '../setup.ts'

const DRAIN_MS = 10_000
/** A request that cannot be served by then is better told so. */
const BOUNDS = { statement_ms: 20_000, lock_ms: 2_000 }
const SWEEP_MS = 50
/** What watches the process is told by then, whatever the database does. */
const WATCH_MS = 2_000

export function addServeCommand(program: Command): void {
  const command = withSettings(program.command('serve'), ALL_SETTINGS)
    .description('run the server')
    .addOption(
      new Option('--role <role>', 'web answers requests, worker does the chores')
        .choices(['all', 'web', 'worker'])
        .default('all'),
    )
    .action(async (options: { role: 'all' | 'web' | 'worker' }) => {
      const config = readSettings(command)
      const setup = await setUp(config, { isServer: true, ...BOUNDS })
      // Before it listens: who is told so may end it at once.
      const signalled = untilSignal()
      let server: Server | undefined
      let probes: Server | undefined
      const watch = openWatch(setup.database_url, WATCH_MS)
      const readiness = new Readiness(setup.deps, watch)
      const early = [healthAnswers(readiness)]
      const mailer = createMailer(config)
      let stopChores: (() => Promise<void>) | undefined
      let stopDelivering: (() => Promise<void>) | undefined
      let stopPresence: (() => Promise<void>) | undefined
      try {
        const takesRequests = options.role !== 'worker'
        // Before the chores, so that they hold our own absence against nobody.
        if (takesRequests) await tellPresenceByTrueClock(setup.deps, { isStart: true })
        if (options.role !== 'web') {
          stopChores = runChores(setup.deps)
          stopDelivering = deliver(setup)
        }
        if (takesRequests) {
          server = await listen(setup.deps, config, mailer, early)
          stopPresence = runPresence(setup.deps)
        }
        if (config.metrics_port !== undefined) {
          probes = createProbeServer(early)
          const url = await bind(probes, { name: 'METRICS_PORT', port: config.metrics_port, host: config.metrics_host })
          process.stdout.write(`dogwatch: metrics on ${url}\n`)
        }
        await signalled
      } finally {
        readiness.drain()
        await stopPresence?.()
        await Promise.all([drain(server), stopChores?.(), stopDelivering?.()])
        await drain(probes)
        mailer?.close()
        await watch.end()
        await setup.close()
      }
    })
}

function deliver({ deps, config, listen_url }: Setup): () => Promise<void> {
  const channels = createChannels(config)
  return startDelivering(
    { ...deps, channels, public_url: config.public_url },
    { ...(listen_url !== undefined && { listen_url }) },
  )
}

async function listen(
  deps: Deps,
  config: Config,
  mailer: Mailer | undefined,
  early: readonly Early[],
): Promise<Server> {
  const { trust_proxy, address_limit, public_url } = config
  const app = createApp(deps, { trust_proxy, address_limit, console: { public_url, mailer } })
  const server = createHttpServer(app, deps.random, early)
  const url = await bind(server, { name: 'PORT', port: config.port, host: config.host })
  process.stdout.write(`dogwatch: listening on ${url}\n`)
  return server
}

/** Listens, and returns the url. `name`: the setting that the port comes from. */
async function bind(
  server: Server,
  { name, port, host }: { name: string; port: number; host: string },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is in use: set ${name} to another`) : error)
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    // For good, since Ctrl-C may reach us twice: from the terminal, and from who started us.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}

/** Takes no new connection, finishes what is under way, and ends what does not come to an end. */
async function drain(server: Server | undefined): Promise<void> {
  if (!server) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Again and again: a connection that is kept alive is idle only once its request is done.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(timer)
}
