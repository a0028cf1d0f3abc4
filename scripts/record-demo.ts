// Records what our own agents upload: runs the demo behind a proxy that writes down its uploads, and keeps them for benches.
// node scripts/record-demo.ts [--minutes N], after a build. Writes scripts/lab/recording.gen.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
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
/** More often than a plan allows: a few minutes are to hold as many runs as there are in an hour of a usual check. */
const INTERVAL_SEC = 4
const CERTIFICATE_MS = 80 * 86_400_000
const PHASES = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'transfer_ms']

/** A result as an agent uploads it. */
interface Upload {
  check_guid: string
  ran_at: string
  success: boolean
  http_status: number
  latency_ms: number
  error?: string
  response_sample?: string
  timings?: Record<string, number>
  cert_expires_at?: string
}

/** What one request told: its monitor is known by its key. */
interface Told {
  key: string
  results: Upload[]
}

const steps: (() => Promise<unknown>)[] = []
try {
  await record()
} finally {
  for (let step = steps.pop(); step; step = steps.pop()) await step()
}
process.exit()

async function record(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-recording-'))
  steps.push(() => rm(folder, { recursive: true, force: true }))
  const config = readConfig({ ...SERVER_ENVIRONMENT, DOGWATCH_DATA_DIR: folder, PORT: '0' }, folder)
  const { demo, release } = await prepareDemo(config, (stage) => say(stage))
  steps.push(() => demo.stop())
  const names = await addChecks(config, new URL(demo.inbox_url).origin)
  const server = await serve(folder)
  await release()
  const told: Told[] = []
  const proxy = await listen(createServer((req, res) => void pass(server, req, res, (one) => told.push(one))))
  await demo.begin(`http://127.0.0.1:${proxy}`)
  say(`recording for ${flags.minutes} minutes`)
  await pause(Number(flags.minutes) * 60_000)
  const recording = sumUp(told, names)
  await writeFile(RECORDING, `${JSON.stringify(recording)}\n`)
  say(recording.checks.map(({ name, runs }) => `${name}: ${runs.length} runs`).join('\n'))
}

/** The demo's checks and the same pages over https, all of them often; returns their names by guid. */
async function addChecks(config: Parameters<typeof setUp>[0], site: string): Promise<Map<string, string>> {
  const setup = await setUp(config)
  const [org] = await listAllOrganisations(setup.deps)
  if (!org) throw new Error('there is no organisation')
  const { cert, key } = mint({ name: 'demo.example', not_after: new Date(Date.now() + CERTIFICATE_MS) })
  const port = await listen(createSecureServer({ cert, key }, (req, res) => forward(site, req, res)))
  const secure = (name: string, path: string) => ({
    ...{ name: `https ${name}`, url: `https://127.0.0.1:${port}${path}`, interval_sec: 30 },
    insecure_skip_verify: true,
  })
  const entries = [
    ...[secure('shop', '/'), secure('health', '/health'), secure('checkout', '/checkout'), secure('search', '/slow')],
    { name: 'tls', url: `tls://127.0.0.1:${port}`, interval_sec: 30, insecure_skip_verify: true },
  ]
  await importChecks(setup.deps, org.org_id, entries, 'all')
  const { machines } = setup.deps.database.pools
  await machines.query('update checks set interval_sec = $1', [INTERVAL_SEC])
  const { rows } = await machines.query<{ guid: string; name: string }>('select guid, name from checks')
  await setup.close()
  return new Map(rows.map(({ guid, name }) => [guid, name]))
}

async function serve(folder: string): Promise<string> {
  const child = spawn(process.execPath, [...SERVER_FLAGS, COMMAND, 'serve', '--port', '0', '--data-dir', folder], {
    env: { ...process.env, ...SERVER_ENVIRONMENT, LOCAL_MONITOR: 'off', EGRESS_ALLOW: '127.0.0.0/8' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  steps.push(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^dogwatch: listening on (\S+)$/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return url
  }
  throw new Error('the server ended before it listened')
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  steps.push(async () => server.close())
  return (server.address() as AddressInfo).port
}

/** Passes a request on, and writes down what it uploads. */
async function pass(to: string, req: IncomingMessage, res: ServerResponse, note: (told: Told) => void): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  const body = Buffer.concat(parts)
  if (req.url?.endsWith('/results')) {
    const text = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
    note({ key: req.headers.authorization ?? '', results: (JSON.parse(text) as { results: Upload[] }).results })
  }
  forward(to, req, res, body)
}

function forward(to: string, req: IncomingMessage, res: ServerResponse, body?: Buffer): void {
  const { method, headers, url = '/' } = req
  const asked = request(new URL(url, to), { method, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  asked.on('error', () => res.destroy())
  asked.end(body)
}

/** Texts that come again and again are written once, and a run is a row of numbers: `lab/recording.ts` reads it. */
function sumUp(told: readonly Told[], names: ReadonlyMap<string, string>) {
  const texts = ['']
  const numberOf = (text = ''): number => {
    if (!texts.includes(text)) texts.push(text)
    return texts.indexOf(text)
  }
  const monitors = [...new Set(told.map(({ key }) => key))]
  const all = told.flatMap(({ key, results }) => results.map((result) => ({ ...result, by: monitors.indexOf(key) })))
  const checks = [...names].map(([guid, name]) => {
    const own = all.filter(({ check_guid }) => check_guid === guid)
    own.sort((a, b) => (a.ran_at < b.ran_at ? -1 : 1))
    return {
      name,
      has_certificate: own.some(({ cert_expires_at }) => cert_expires_at !== undefined),
      runs: own.map(({ by, ran_at, success, http_status, latency_ms, error, response_sample, timings }) => [
        ...[by, latenessOf(guid, ran_at), success ? 1 : 0, http_status, latency_ms, numberOf(error)],
        ...[numberOf(response_sample), ...PHASES.map((name) => timings?.[name] ?? -1)],
      ]),
    }
  })
  return { monitors: monitors.length, texts, checks: checks.filter(({ runs }) => runs.length > 0) }
}

/** How long after its turn a run began, in ms. Turns are counted as the monitor API's document says. */
function latenessOf(guid: string, ran_at: string): number {
  const interval = INTERVAL_SEC * 1000
  const since = (((Date.parse(ran_at) - phaseOf(guid) * interval) % interval) + interval) % interval
  // A turn begins within a millisecond, and runs are dated by the whole one.
  return since > interval - 1 ? 0 : Math.floor(since)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
