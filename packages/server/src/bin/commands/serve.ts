// dogwatch serve: the processes that run for good.
import type { Server } from 'node:http'
import { type Command, Option } from 'commander'
import { createApp } from '../../app.ts'
import { runChores } from '../../chores.ts'
import type { Config } from '../../config.ts'
import type { Deps } from '../../domain/deps.ts'
import { createHttpServer } from '../../http/server.ts'
import { ALL_SETTINGS, readSettings, setUp, withSettings } from '../setup.ts'

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
      const stopChores = options.role === 'web' ? undefined : runChores(setup.deps)
      let server: Server | undefined
      try {
        server = options.role === 'worker' ? undefined : await listen(setup.deps, config)
        await untilSignal()
      } finally {
        await drain(server)
        await stopChores?.()
        await setup.close()
      }
    })
}

async function listen(deps: Deps, config: Config): Promise<Server> {
  const app = createApp(deps, { trust_proxy: config.trust_proxy, address_limit: config.address_limit })
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
