// Makes arms that send requests to a server, as agents, people and programs do. The results in them are like those that real
// agents sent when the demo was recorded.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import pg from 'pg'
import type { ResultColumns } from '../../../packages/store/dist/results/results.js'
import { type Meter, processMeter } from '../../lab/cpu.ts'
import { CHECKS_EACH, type FleetCheck, type FleetMonitor, GROUPS } from '../../lab/fleet.ts'
import { type Answer, Lane, request, textOf } from '../../lab/lane.ts'
import { certificateEndOf, ONE_FAILS_OF, PHASES, type RecordedRun, runOf, toldOf } from '../../lab/recording.ts'
import type { Server } from '../../lab/server.ts'
import type { Stage } from '../../lab/stage.ts'
import { type Arm, armOf } from './compare.ts'

/** A server, with its own meter and the meter of its database. */
export interface Target {
  readonly server: Server
  readonly meters: readonly Meter[]
}

export async function serveTarget(stage: Stage, env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const server = await stage.serve(env)
  return { server, meters: [processMeter('server', server.pid), stage.postgres] }
}

export type Send = (bytes: Buffer, lane?: number) => Promise<Answer>

/**
 * Returns a function that sends requests, over one connection for each lane. Opens a connection again if the server closed it
 * while other arms ran.
 */
export function sender({ server }: Pick<Target, 'server'>): Send {
  const open: Lane[] = []
  return async (bytes, lane = 0) => {
    const found = open[lane]
    const answer = await (found?.isOpen ? found : (open[lane] = await Lane.open(server.port))).ask(bytes)
    if (answer.status >= 300)
      throw new Error(`the server answered ${answer.status} ${answer.body.toString('utf8', 0, 300)}`)
    return answer
  }
}

/** Searches only one in this many long responses for the mark, because searching takes time. */
const SEARCH_EVERY = 100
const SHORT_BYTES = 1000

/** Returns an arm of requests. `make` makes each one just before it is sent. Responses must contain the mark. */
export function requests(name: string, target: Target, mark: string, make: (index: number) => Buffer): Arm {
  const send = sender(target)
  let sent = 0
  return {
    ...{ name, meters: target.meters },
    step: async (_, lane) => {
      const index = sent++
      const answer = await send(make(index), lane)
      if (index % SEARCH_EVERY > 0 && answer.body.length >= SHORT_BYTES) return
      const text = textOf(answer)
      if (!text.includes(mark)) throw new Error(`a response without ${mark}: ${text.slice(0, 300)}`)
    },
  }
}

const noHeaders = (_index: number): Record<string, string> => ({})

/** Returns an arm of syncs without changes. Each sync continues from the cursor of the latest response. */
export function idleSyncs(name: string, target: Target, keys: readonly string[], headersOf = noHeaders): Arm {
  const send = sender(target)
  let [since, sent] = [new Date().toISOString(), 0]
  const step = async (_: unknown, lane: number): Promise<void> => {
    const options = { key: keys[sent % keys.length] ?? '', headers: headersOf(sent++) }
    const text = textOf(await send(request('GET', `/checks?since=${since}`, options), lane))
    if (!text.includes('"checks":[]')) throw new Error(`a sync without changes was answered ${text.slice(0, 300)}`)
    since = /"server_time":"([^"]+)"/.exec(text)?.[1] ?? since
  }
  return { name, meters: target.meters, step }
}

/** Returns an arm of uploads with `count` results each. The server must accept all results. */
export function uploads(name: string, target: Target, makeBatch: MakeBatch, count = CHECKS_EACH): Arm {
  const send = sender(target)
  return armOf({
    ...{ name, meters: target.meters, units: count },
    make: () => toRequest(makeBatch()),
    step: async (upload, lane) => {
      const body = textOf(await send(sentNow(upload), lane))
      if (body !== `{"accepted":${count}}`) throw new Error(`an upload was answered ${body}`)
    },
  })
}

/** Returns the request for a page of the console. */
export function pageRequest(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([field, value]) => `${field}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

/** Opens a response of 200, whose body the caller reads. */
export async function openResponse(
  { port }: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const sent = get({ host: '127.0.0.1', port, path, headers, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}`)
  return response
}

/** Returns a function that downloads the whole export of an organisation without storing it, each time with the next token. */
export function exporter({ database: { pools } }: Stage, server: Server, tokens: readonly string[]) {
  let used = 0
  return async (): Promise<void> => {
    // Deletes the counts of exports, because the server limits them.
    await pools.machines.query("delete from rate_limits where starts_with(key, 'export-org:')")
    const headers = { Authorization: `Bearer ${tokens[used++ % tokens.length]}`, 'Accept-Encoding': 'identity' }
    const response = await openResponse(server, '/account-api/v1/export', headers)
    await finished(response.resume())
  }
}

/** Opens connections with the Postgres driver, which are closed at the end of the bench. */
export function openClients({ url, undo }: Stage, count: number): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      undo(() => client.end())
      return client
    }),
  )
}

/** A result that is not stored yet. */
export interface BatchResult extends RecordedRun {
  check: FleetCheck
  /** Number of the run, counted for each check. */
  number: number
  ran_at: string
  cert_expires_at: string | null
}

export interface Batch {
  monitor: FleetMonitor
  results: BatchResult[]
}

export type MakeBatch = () => Batch

/**
 * Age of results when they are sent, in milliseconds. An agent uploads every few seconds. Results older than 45 s count as
 * delayed, which costs the server more.
 */
const AGO_MS = 20_000

let makers = 0

/** Decides whether the result at a position in a batch is a failure. */
type Fails = (batch: number, position: number) => boolean

/** Returns a function that makes batches, for each monitor in turn. A batch has one result for each check of the monitor. */
export function batchMaker(monitors: readonly FleetMonitor[], fails: Fails = noneFails): MakeBatch {
  let made = 0
  let at = 0
  const maker = makers++
  return () => {
    const number = made++
    at = Math.max(at + 1, Date.now() - AGO_MS)
    const monitor = monitors[number % monitors.length] as FleetMonitor
    const results = monitor.checks.map((check, position) => {
      const run = number + position + maker * 37
      // Gives each maker a last digit of its own, because two makers may choose the same millisecond, and must not make the same
      // result.
      const micros = String((run % 100) * 10 + (maker % 10)).padStart(3, '0')
      const ran_at = new Date(at).toISOString().replace('Z', `${micros}Z`)
      return resultOf(check, run, ran_at, !fails(number, position))
    })
    return { monitor, results }
  }
}

const noneFails: Fails = () => false

/** Makes one result in a hundred a failure, but never two in a row of the same check, because a check that is down costs more. */
export const someFail: Fails = (batch, position) =>
  (batch * 7 + Math.floor(batch / GROUPS) * 3 + position) % ONE_FAILS_OF === 0

function resultOf(check: FleetCheck, number: number, ran_at: string, success: boolean): BatchResult {
  const run = runOf(check.check_id, number, success)
  return { ...run, check, number, ran_at, cert_expires_at: certificateEndOf(check.check_id, run) }
}

/** Returns the request of an agent that uploads a batch. */
export function toRequest({ monitor, results }: Batch): Buffer {
  const sent = results.map(({ check, number, ran_at, success }) => ({
    ...{ check_guid: check.guid, monitor_id: '', ran_at },
    ...toldOf(check.check_id, number, success),
  }))
  // Puts `sent_at` last, because `sentNow` overwrites it at the end of the body.
  const body = JSON.stringify({ results: sent, remaining: 0, sent_at: new Date().toISOString() })
  return request('POST', '/results', { key: monitor.key, body })
}

const TAIL_LENGTH = '2026-01-01T00:00:00.000Z"}'.length

/** Sets `sent_at` in a prepared upload to the present time, because the server compares it with its own clock. */
function sentNow(upload: Buffer): Buffer {
  upload.write(new Date().toISOString(), upload.length - TAIL_LENGTH, 'latin1')
  return upload
}

/** Returns results as the columns that the server passes to its statement. */
export function toColumns(results: readonly BatchResult[]): ResultColumns {
  const column = <Name extends keyof BatchResult>(name: Name) => results.map((result) => result[name])
  const phases = PHASES.map((name) => [name, results.map(({ timings }) => timings[name])] as const)
  return {
    check_guid: results.map(({ check }) => check.guid),
    ran_at: column('ran_at'),
    success: column('success'),
    http_status: column('http_status'),
    latency_ms: column('latency_ms'),
    error: column('error'),
    response_sample: column('response_sample'),
    ...(Object.fromEntries(phases) as Record<(typeof PHASES)[number], (number | null)[]>),
    retries: [],
    cert_expires_at: column('cert_expires_at'),
  }
}
