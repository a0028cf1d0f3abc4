// The app as a process, with choices that the real command lacks: whether requests are validated, whether tokens have
// limits, whether results are judged, and whether large batches are copied.
import type { AddressInfo } from 'node:net'
import { createApp } from '../../../packages/server/dist/app.js'
import { createHttpServer } from '../../../packages/server/dist/http/server.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { storePlainly } from '../alerting/plain.ts'

const database = openDatabase({ url: process.env.DATABASE_URL ?? '' })
if (process.env.BENCH_ALERTING === 'off') storePlainly(database)
const deps = {
  ...{ database, clock: systemClock, random: systemRandom, log: createLog('warn') },
  ...(process.env.BENCH_COPIES === 'off' && { copies_from: Number.POSITIVE_INFINITY }),
}
const app = createApp(deps, {
  trust_proxy: [],
  address_limit: undefined,
  monitor_api: { validateRequests: process.env.BENCH_VALIDATION !== 'without' },
  account_api: { unlimited: process.env.BENCH_TOKEN_LIMITS === 'off' },
})
const server = createHttpServer(app, systemRandom)
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit())
