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
import { createHttpServer } from '../../http/server.ts'
import { createMailer, type Mailer } from '../../runtime/mail.ts'
import { ALL_SETTINGS, readSettings, type Setup, setUp, withSettings } from '../setup.ts'

const DRAIN_MS = 10_000
/** A request that cannot be served by then is better told so. */
const BOUNDS = { statement_ms: 20_000, lock_ms: 2_000 }
const SWEEP_MS = 50

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
      const setup = await setUp(config, BOUNDS)
      // Before it listens: who is told so may end it at once.
      const signalled = untilSignal()
      let server: Server | undefined
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
          server = await listen(setup.deps, config, mailer)
          stopPresence = runPresence(setup.deps)
        }
        await signalled
      } finally {
        await stopPresence?.()
        await Promise.all([drain(server), stopChores?.(), stopDelivering?.()])
        mailer?.close()
        await setup.close()
      }
    })
}

function deliver({ deps, config, database_url }: Setup): () => Promise<void> {
  const channels = createChannels(config)
  return startDelivering({ ...deps, channels, public_url: config.public_url }, { listen_url: database_url })
}

async function listen(deps: Deps, config: Config, mailer: Mailer | undefined): Promise<Server> {
  const { trust_proxy, address_limit, public_url } = config
  const app = createApp(deps, { trust_proxy, address_limit, console: { public_url, mailer } })
  const server = createHttpServer(app, deps.random)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${config.port} is in use: set PORT to another`) : error)
    })
    server.listen(config.port, config.host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  process.stdout.write(`dogwatch: listening on http://${host}:${port}\n`)
  return server
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
