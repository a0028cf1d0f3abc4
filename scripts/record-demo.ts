// Records what real agents upload: runs the demo with frequent checks, and writes its results to scripts/lab/recording.gen.json,
// from which benches make theirs.
// node scripts/record-demo.ts [--minutes N], after a build
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mint } from '../packages/agent/test/support/certificates.ts'
import { phaseOf } from '../packages/monitor-sdk/dist/agent.js'
import { setUp } from '../packages/server/dist/bin/setup.js'
import { readConfig } from '../packages/server/dist/config.js'
import { importChecks } from '../packages/server/dist/domain/checks/import.js'
import { listAllOrganisations } from '../packages/server/dist/domain/organisations/organisation.js'
import { prepareDemo } from './demo/demo.ts'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from './server-flags.js'

const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } })
const COMMAND = fileURLToPath(new URL('../packages/server/dist/bin/dogwatch.js', import.meta.url))
const RECORDING = fileURLToPath(new URL('lab/recording.gen.json', import.meta.url))
/** Shorter than a plan allows, so that a few minutes have as many runs as an hour of a usual check. */
const INTERVAL_SEC = 4
const CERTIFICATE_MS = 80 * 86_400_000
const PHASES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms'] as const

type Row = Record<(typeof PHASES)[number], number | null> & {
  guid: string
  name: string
  monitor_id: string
  ran_at: Date
  success: boolean
  http_status: number
  latency_ms: number
  error: string | null
  response_sample: string | null
  has_certificate: boolean
}

const RESULTS = `
  select c.guid, c.name, r.monitor_id, r.ran_at, r.success, r.http_status, r.latency_ms, r.error, r.response_sample,
    r.cert_expires_at is not null as has_certificate, ${PHASES.map((name) => `r.${name}`).join(', ')}
  from results r join checks c using (org_id, check_id) where r.ran_at >= $1 order by c.check_id, r.ran_at`

const folder = await mkdtemp(join(tmpdir(), 'dogwatch-recording-'))
const config = readConfig({ ...SERVER_ENVIRONMENT, DOGWATCH_DATA_DIR: folder, PORT: '0' }, folder)
const { demo, release } = await prepareDemo(config, console.error)
const secure = serveSecurely(new URL(demo.inbox_url).origin)
await once(secure.listen(0, '127.0.0.1'), 'listening')
await query(async (setup) => {
  const [org] = await listAllOrganisations(setup.deps)
  await importChecks(setup.deps, org?.org_id ?? 0, secureChecks((secure.address() as AddressInfo).port), 'all')
  await setup.deps.database.pools.machines.query('update checks set interval_sec = $1', [INTERVAL_SEC])
})
const server = spawn(process.execPath, [...SERVER_FLAGS, COMMAND, 'serve', '--port', '0', '--data-dir', folder], {
  env: { ...process.env, ...SERVER_ENVIRONMENT, LOCAL_MONITOR: 'off', EGRESS_ALLOW: '127.0.0.0/8' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await listeningAt()
  await release()
  const began = new Date()
  await demo.begin(url)
  console.error(`recording for ${flags.minutes} minutes`)
  await pause(Number(flags.minutes) * 60_000)
  await query(async ({ deps }) => {
    const { rows } = await deps.database.pools.machines.query<Row>(RESULTS, [began])
    await writeFile(RECORDING, `${JSON.stringify(toRecording(rows))}\n`)
    console.error(`${rows.length} runs`)
  })
} finally {
  await demo.stop()
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'exit')
  await rm(folder, { recursive: true, force: true })
}
process.exit()

async function query(work: (setup: Awaited<ReturnType<typeof setUp>>) => Promise<void>): Promise<void> {
  const setup = await setUp(config)
  await work(setup).finally(() => setup.close())
}

async function listeningAt(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /^dogwatch: listening on (\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    server.stdout.resume()
    return url
  }
  throw new Error('the server ended before it listened')
}

/** Serves the pages of the demo's site over https. */
function serveSecurely(site: string) {
  const { cert, key } = mint({ name: 'demo.example', not_after: new Date(Date.now() + CERTIFICATE_MS) })
  return createServer({ cert, key }, ({ method, headers, url = '/' }, res) => {
    request(new URL(url, site), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
      .on('error', () => res.destroy())
      .end()
  })
}

function secureChecks(port: number): Record<string, unknown>[] {
  const pages = { shop: '/', health: '/health', checkout: '/checkout', search: '/slow' }
  const urls = Object.entries(pages).map(([name, path]) => [`https ${name}`, `https://127.0.0.1:${port}${path}`])
  return [...urls, ['tls', `tls://127.0.0.1:${port}`]].map(([name, url]) => {
    return { name, url, interval_sec: 30, insecure_skip_verify: true }
  })
}

/** Returns the recording, as `lab/recording.ts` reads it: each text once, and each run as a row of numbers. */
function toRecording(rows: readonly Row[]) {
  const texts = ['']
  const numberOf = (text: string | null): number => {
    if (!texts.includes(text ?? '')) texts.push(text ?? '')
    return texts.indexOf(text ?? '')
  }
  const monitors = [...new Set(rows.map(({ monitor_id }) => monitor_id))]
  const checks = [...Map.groupBy(rows, ({ guid }) => guid).values()].map((own) => ({
    name: own[0]?.name,
    has_certificate: own.some(({ has_certificate }) => has_certificate),
    runs: own.map(
      ({ guid, monitor_id, ran_at, success, http_status, latency_ms, error, response_sample, ...phases }) => [
        ...[monitors.indexOf(monitor_id), latenessOf(guid, ran_at), success ? 1 : 0, http_status, latency_ms],
        ...[numberOf(error), numberOf(response_sample), ...PHASES.map((name) => phases[name] ?? -1)],
      ],
    ),
  }))
  return { monitors: monitors.length, texts, checks }
}

/** Returns how long after its slot a run began, in milliseconds. The monitor API's document defines slots. */
function latenessOf(guid: string, ran_at: Date): number {
  const interval = INTERVAL_SEC * 1000
  const since = (((ran_at.getTime() - phaseOf(guid) * interval) % interval) + interval) % interval
  // A slot begins within a millisecond, and times of runs are whole milliseconds.
  return since > interval - 1 ? 0 : Math.floor(since)
}
