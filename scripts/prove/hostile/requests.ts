// Sends malformed requests to a server as people run it. No response may be a 5xx, other requests must get responses at the same
// time, and afterwards the server must use no more memory than before.
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { brokenRequest, hostileRequest, toBytes } from '../../../packages/api/test/support/hostile-requests.ts'
import { exchange } from '../../../packages/api/test/support/raw-http.ts'
import { MonitorClient } from '../../../packages/monitor-sdk/dist/index.js'
import { send } from '../../lab/clients/requests.ts'
import { PLACE, resultOf } from '../../lab/clients/sdk-agent.ts'
import { peakMemory } from '../../lab/cpu.ts'
import { askInside, INSIDE } from '../../lab/inside.ts'
import { countBy, quantile, tally } from '../../lab/proof.ts'
import { openOrg, shops, type World } from '../../lab/world.ts'

const [AT_ONCE, WARM_UP] = [32, 200]
const PING_EVERY_MS = 200
const PING_WITHIN_MS = 3000
/** Time without a byte after which a request counts as unanswered, in milliseconds. */
const PATIENCE_MS = 1000
const REST_MS = 5000
const [MOST_GROWTH_MB, MOST_PEAK_MB] = [10, 600]

export async function proveRequests(world: World, count: number, seed: number) {
  const log: string[] = []
  const server = await world.serve(
    { LOG_LEVEL: 'error', ADDRESS_RATE_LIMIT: 'off' },
    { onLog: (line) => void log.push(line), flags: INSIDE },
  )
  const { port, url, pid, child } = server
  const { enrollment_token: token, addChecks } = await openOrg(world.deps, 'requests')
  const [guid = ''] = await addChecks(shops('c', 1))
  const enrolling = new MonitorClient({ baseUrl: url, token })
  const { api_key: key, monitor_id } = await enrolling.enroll({ ...PLACE, name: 'm' })
  const client = new MonitorClient({ baseUrl: url, token: key })
  // Sends ordinary requests first, so that everything that the server creates on first use exists before its memory is measured.
  for (let n = 0; n < WARM_UP; n += 1) {
    const result = resultOf({ guid, at: Date.now() - n * 3000, success: true }, monitor_id)
    await Promise.all([client.ping(), client.sync(), client.upload(Array(100).fill(result))])
  }
  const heldMb = async () => (await askInside(child, 'held')) / 2 ** 20
  const before_mb = await heldMb()
  const pings: { status: number; ms: number }[] = []
  const headers = { Authorization: `Bearer ${key}` }
  const pinging = setInterval(async () => {
    pings.push(await send({ port, path: '/monitor-api/v1/ping', headers }))
  }, PING_EVERY_MS)
  const requests = fc.oneof(
    { weight: 8, arbitrary: hostileRequest({ key, token, guid }) },
    { weight: 1, arbitrary: brokenRequest({ key, token, guid }) },
  )
  const left = fc.sample(requests, { seed, numRuns: count }).map(toBytes)
  const answers: { status: number; words: string }[] = []
  const lane = async () => {
    for (let bytes = left.pop(); bytes; bytes = left.pop()) {
      const isHead = bytes.toString('latin1', 0, 5) === 'HEAD '
      for (const { status, body } of (await exchange(port, [bytes], { patience_ms: PATIENCE_MS, isHead })).answers) {
        answers.push({ status, words: `${body.toString()} to ${bytes.toString('latin1', 0, 300)}` })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  await pause(REST_MS)
  clearInterval(pinging)
  const after_mb = await heldMb()
  const peak_mb = peakMemory(pid)
  await server.stop()
  const late = pings.filter(({ status, ms }) => status !== 200 || ms > PING_WITHIN_MS).length
  const slowest_ms = quantile(
    pings.map(({ ms }) => ms),
    1,
  )
  const failures = answers.filter(({ status }) => status >= 500)
  return {
    faults: [
      ...failures.slice(0, 5).map(({ status, words }) => `${status} ${words}`),
      failures.length > 0 && `${failures.length} responses were a 5xx; the log: ${log.join(' ').slice(0, 2000)}`,
      (late > 0 || pings.length === 0) && `${late} of ${pings.length} pings had no response in time`,
      after_mb - before_mb > MOST_GROWTH_MB && `memory grew by ${(after_mb - before_mb).toFixed(0)} MB`,
      peak_mb > MOST_PEAK_MB && `the server took ${peak_mb.toFixed(0)} MB`,
    ],
    figures: [
      `${count} requests: ${tally(countBy(answers, ({ status }) => `with ${status}`))}`,
      `${pings.length} pings, ${late} late, slowest ${slowest_ms.toFixed(0)} ms`,
      `the server held ${before_mb.toFixed(0)} MB before and ${after_mb.toFixed(0)} afterwards; its peak was ${peak_mb.toFixed(0)} MB`,
    ],
  }
}
