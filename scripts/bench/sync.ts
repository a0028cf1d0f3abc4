// Measures what a sync costs: one without changes, and a full one, compared with a ping, with and without the limit of requests
// per address.
// npm run bench -- sync [--rounds N] [--seconds N] [--profile DIRECTORY]
import { CHECKS_EACH, loadFleet, MONITORS } from '../lab/fleet.ts'
import { request } from '../lab/lane.ts'
import { readFlags } from '../lab/proof.ts'
import { BENCH_FLAGS, onStage } from '../lab/stage.ts'
import { compare, cpuOf } from './support/compare.ts'
import { idleSyncs, requests, serveTarget } from './support/requests.ts'

// Number of addresses. At 10 requests a second from each address, the server refuses none.
const ADDRESSES = 4000
const LIMITED = { ADDRESS_RATE_LIMIT: '10/30', TRUST_PROXY: '127.0.0.1' }
const CPU = cpuOf('server', 'postgres')

await onStage(readFlags(BENCH_FLAGS), async (stage) => {
  const keys = (await loadFleet(stage, 0)).map(({ key }) => key)
  const [plain, limited] = [await serveTarget(stage), await serveTarget(stage, LIMITED)]
  const send = (path: string) => (index: number) =>
    request('GET', path, { key: keys[index % keys.length] ?? '', headers: fromAddress(index) })
  const arms = [
    requests('ping', plain, '"status"', send('/ping')),
    idleSyncs('idle', plain, keys, fromAddress),
    requests('full', plain, '"server_time"', send('/checks')),
    requests('ping, limited', limited, '"status"', send('/ping')),
    idleSyncs('idle, limited', limited, keys, fromAddress),
  ]
  await compare(stage, arms, {
    title: `sync: ${MONITORS} monitors with ${CHECKS_EACH} checks each`,
    inFlight: 4,
    claims: [
      ['idle', 'ping', CPU, { atMost: 1.5 }],
      ['idle, limited', 'ping, limited', CPU],
      ['full', 'idle', CPU],
    ],
  })
})

/** Returns headers that make each request come from another address. */
function fromAddress(index: number): Record<string, string> {
  const place = index % ADDRESSES
  return { 'X-Forwarded-For': `198.18.${place >> 8}.${place & 255}` }
}
