// Measures how one agent handles 10,000 checks a minute: its CPU and memory, whether and how punctually each check runs, and how
// much latency the agent adds.
// npm run bench -- agent [--profile DIRECTORY]
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mint } from '../../packages/agent/test/support/certificates.ts'
import { nextSlot, slotNumberAt, turnOf } from '../../packages/monitor-sdk/dist/agent.js'
import { startAgent } from '../lab/clients/agents.ts'
import { peakMemory, processMeter } from '../lab/cpu.ts'
import { listen, need, openFolder, quantile, readFlags } from '../lab/proof.ts'
import { BENCH_FLAGS, onStage, type Stage, say } from '../lab/stage.ts'
import { numberOf, openOrg, query, shops } from '../lab/world.ts'
import { metersFrom, printFacts, spanFacts } from './support/compare.ts'

const CHECKS = 10_000
const INTERVAL_SEC = 60
const SECONDS = 70
const FIRST_MS = 120_000
/** Time until the results of runs in progress have reached the server, in milliseconds. */
const UPLOADED_MS = 10_000
/** Time that the target takes for each response, in milliseconds. */
const SLEEP_MS = 50
const NONE = { atMost: 0 }
const RESULTS = `
  select guid, (extract(epoch from ran_at) * 1000)::float8 as ran_at, latency_ms, success from results join check_guids using (org_id, check_id)
  where ran_at >= $1 and ran_at < $2`

interface StoredRun {
  guid: string
  /** Time of the run, in milliseconds since the Unix epoch. */
  ran_at: number
  latency_ms: number
  success: boolean
}

/** Runs an agent as users run it, against a real server. The target waits before each response. */
async function watchFleet(stage: Stage, dir: string, tls: { cert: string; key: string }): Promise<void> {
  const answer: RequestListener = (_req, res) => void setTimeout(() => res.end('all is well'), SLEEP_MS)
  const ports = [
    await listen(createServer(answer), stage.undo),
    await listen(createSecureServer({ ...tls, minVersion: 'TLSv1.3' }, answer), stage.undo),
  ]
  const { port } = await stage.serveAll()
  const org = await openOrg(stage, 'bench')
  const entries = shops('bench', CHECKS, (n) => ({
    ...{ url: `${n % 2 ? 'https' : 'http'}://127.0.0.1:${ports[n % 2]}/`, interval_sec: INTERVAL_SEC },
    ...{ match_string: 'all is well', max_response_time_ms: 8000 },
  }))
  const { enrollment_token } = org
  const plan = { name: 'bench', server: `http://127.0.0.1:${port}`, folder: dir, enrollment_token }
  // Turns off the test of the network, because this machine may have no access to the Internet.
  const flags = ['--connectivity', 'off', '--log-level', 'warn']
  const { child } = await startAgent({ ...plan, flags, env: { NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem') } }, stage.undo)
  await need(async () => (await numberOf(stage, 'select count(*) from monitors')) > 0, FIRST_MS, 'no agent enrolled')
  const guids = await org.addChecks(entries)
  await need(async () => (await numberOf(stage, 'select count(*) from results')) > 0, FIRST_MS, 'no check ran')
  say(`${CHECKS} checks for ${SECONDS} s`)
  // Skips the first interval, because the agent also syncs and opens connections then.
  await pause(INTERVAL_SEC * 1000)
  const used = metersFrom([processMeter('agent', child.pid ?? 0)])
  const from = Date.now()
  await pause(SECONDS * 1000)
  const until = Date.now()
  const { agent: cpu = 0 } = used()
  await pause(UPLOADED_MS)
  const found = await query<StoredRun>(stage, RESULTS, new Date(from), new Date(until + UPLOADED_MS))
  const { due, missing, doubled, delays } = compareSlots(guids, found, { from, until })
  const excess = found.map(({ latency_ms }) => latency_ms - SLEEP_MS)
  process.stdout.write(`\nagent: ${CHECKS} checks each ${INTERVAL_SEC} s, half of them https, for ${SECONDS} s\n\n`)
  printFacts([
    ['slots that were due', due, 0],
    ['slots without a result', missing, 0, NONE],
    ['slots with more than one', doubled, 0, NONE],
    ['results with a failure', found.filter(({ success }) => !success).length, 0, NONE],
    ['processors used', cpu / SECONDS],
    ['peak resident memory, MB', peakMemory(child.pid ?? 0), 0, { atMost: 200 }],
    ...spanFacts('start after its slot began', delays),
    [`measured latency of a target that sleeps ${SLEEP_MS} ms, less those, p50 ms`, quantile(excess, 0.5), 1],
    ['p99 ms', quantile(excess, 0.99), 1],
  ])
}

/** Compares results with the slots that began between these times. */
function compareSlots(guids: readonly string[], results: readonly StoredRun[], span: { from: number; until: number }) {
  const byCheck = Map.groupBy(results, ({ guid }) => guid)
  const sum = { due: 0, missing: 0, doubled: 0, delays: [] as number[] }
  for (const guid of guids) {
    const turn = turnOf({ guid, interval_sec: INTERVAL_SEC })
    // Adds 1 ms, because the times of results are whole milliseconds, and the times of slots are not.
    const bySlot = Map.groupBy(byCheck.get(guid) ?? [], ({ ran_at }) => slotNumberAt(turn, ran_at + 1))
    for (let slot = nextSlot(turn, span.from); slot.at < span.until; slot = nextSlot(turn, slot.at, slot.number)) {
      const [result, ...others] = bySlot.get(slot.number) ?? []
      sum.due++
      if (others.length > 0) sum.doubled++
      if (result) sum.delays.push(result.ran_at - slot.at)
      else sum.missing++
    }
  }
  return sum
}

await onStage(readFlags({ profile: BENCH_FLAGS.profile }), async (stage) => {
  const dir = await openFolder(stage.undo)
  const ca = mint({ name: 'Bench CA', is_ca: true })
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'], issuer: ca })
  await writeFile(join(dir, 'ca.pem'), ca.cert)
  await watchFleet(stage, dir, { cert, key })
})
