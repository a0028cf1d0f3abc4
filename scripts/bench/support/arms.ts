// Arms that send requests to a server, or that run prepared work.
import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import type { Meter } from '../../lab/cpu.ts'
import { CHECKS_EACH } from '../../lab/fleet.ts'
import { Lane, request } from '../../lab/lane.ts'
import type { BenchServer, Stage } from '../../lab/stage.ts'
import { type Batch, sentNow, toRequest } from './batches.ts'
import type { Arm } from './rounds.ts'

/** A server, with its meter and those of its database. */
export interface Target {
  readonly server: BenchServer
  readonly meters: readonly Meter[]
}

export async function serveTarget(stage: Stage, env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const server = await stage.serve(env)
  return { server, meters: [server.meter, stage.postgres] }
}

/** Returns an arm whose input is made before the clock of a slice runs. */
export function preparedArm<Input>(
  arm: Omit<Arm, 'prepare' | 'step'>,
  make: (index: number) => Input,
  step: (input: Input, lane: number) => Promise<unknown>,
): Arm {
  let ready: Input[] = []
  return {
    ...arm,
    prepare: (steps) => {
      ready = Array.from({ length: steps }, (_, index) => make(index))
    },
    step: async (index, lane) => void (await step(ready[index] as Input, lane)),
  }
}

/** Returns a function that sends on a connection for each lane. The server closes those that rest while other arms run. */
export function sender({ server }: Pick<Target, 'server'>): (bytes: Buffer, lane?: number) => Promise<Buffer> {
  const open: Lane[] = []
  return async (bytes, lane = 0) => {
    const found = open[lane]
    return (found?.isOpen ? found : (open[lane] = await Lane.open(server.port))).send(bytes)
  }
}

/** Only one of so many long responses is searched, because that costs time. */
const SEARCH_EVERY = 100
const SHORT_BYTES = 1000

/** Returns an arm of requests, made when they are sent. Responses must contain the mark. */
export function requests(name: string, target: Target, mark: string, make: (index: number) => Buffer): Arm {
  const send = sender(target)
  let sent = 0
  return {
    ...{ name, meters: target.meters, unitsPerStep: 1 },
    step: async (_, lane) => {
      const index = sent++
      const body = await send(make(index), lane)
      if ((index % SEARCH_EVERY === 0 || body.length < SHORT_BYTES) && !body.includes(mark)) {
        throw new Error(`a response without ${mark}: ${body.toString('utf8', 0, 300)}`)
      }
    },
  }
}

/** Returns an arm of syncs without changes. Each continues from the cursor of the latest response. */
export async function idleSyncs(name: string, target: Target, keys: readonly string[], toHeaders = noHeaders) {
  const send = sender(target)
  const read = async (path: string, index: number, lane?: number) => {
    const options = { key: keys[index % keys.length] ?? '', headers: toHeaders(index) }
    return JSON.parse((await send(request('GET', path, options), lane)).toString()) as SyncAnswer
  }
  let { server_time: since } = await read('/checks', 0)
  const step = async (index: number, lane: number): Promise<void> => {
    const { checks, server_time } = await read(`/checks?since=${since}`, index, lane)
    if (checks.length > 0) throw new Error('a sync returned checks although nothing had changed')
    since = server_time
  }
  return { name, meters: target.meters, unitsPerStep: 1, step }
}

const noHeaders = (_index: number): Record<string, string> => ({})

export interface SyncAnswer {
  checks: unknown[]
  server_time: string
}

/** Returns an arm of uploads with `count` results each, which all must be accepted. */
export function uploads(name: string, target: Target, makeBatch: () => Batch, count = CHECKS_EACH): Arm {
  const send = sender(target)
  return preparedArm(
    { name, meters: target.meters, unitsPerStep: count },
    () => toRequest(makeBatch()),
    async (upload, lane) => {
      const body = (await send(sentNow(upload), lane)).toString()
      if (body !== `{"accepted":${count}}`) throw new Error(`an upload was answered ${body}`)
    },
  )
}

/** Returns the request for a page of the console. */
export function pageRequest(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([field, value]) => `${field}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

export const cookieOf = (session: string): { Cookie: string } => ({ Cookie: `dogwatch-session=${session}` })

const END = Buffer.from('\r\n0\r\n\r\n')

/** Downloads the whole export of an organisation without keeping it, and forgets the limit of exports. Returns its bytes. */
export async function downloadExport(
  { database: { pools } }: Stage,
  { port }: BenchServer,
  key: string,
): Promise<number> {
  await pools.machines.query("delete from rate_limits where starts_with(key, 'export-org:')")
  const headers = { Connection: 'close', 'Accept-Encoding': 'identity' }
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.write(request('GET', '/export', { key, api: 'account-api', headers }))
  let [bytes, tail] = [0, Buffer.alloc(0)]
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (bytes === 0 && !chunk.toString('latin1', 0, 12).endsWith('200'))
      throw new Error(chunk.toString('latin1', 0, 400))
    bytes += chunk.length
    tail = Buffer.concat([tail.subarray(-END.length), chunk.subarray(-END.length)])
  }
  if (!tail.subarray(-END.length).equals(END)) throw new Error('an export broke off')
  return bytes
}

/** Opens connections of the driver, which end with the stage. */
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
