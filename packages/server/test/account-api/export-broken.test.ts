// GET /export when things go wrong in the middle: the store fails, the client leaves, or it does not read.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccountClient } from '@dogwatch/account-sdk'
import { importChecks } from '@dogwatch/domain/checks/import'
import type { Deps } from '@dogwatch/domain/deps'
import { createOrganisation } from '@dogwatch/domain/organisations/organisation'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { openEmbeddedPostgres } from '@dogwatch/embedded-postgres/open'
import { silentLog } from '@dogwatch/runtime/log'
import { openDatabase } from '@dogwatch/store/database'
import { migrateToLatest } from '@dogwatch/store/migrate'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { readAnswers } from '../../../api/test/support/raw-http.ts'
import { fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { settingsFor } from '../../../store/test/support/database.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { ACCOUNT, eventually, type Org, type World, world } from '../support/world.ts'

/** Together far more than the buffers between a server and a client that does not read. */
const RESULTS = 4000
const CHARS = 10_000
const BREAKS_AT = 3000
/** A page is asked for by one of these, by manage how results are stored. */
const PAGES = new Set<string | undefined>(['results-page', 'results-page-sealed', 'results-page-on-nodes'])

let w: World
let org: Org
let token: string
/** Pages of results that the server has asked the store for. */
let pages = 0
beforeAll(async () => {
  w = await world()
  org = await w.org()
  token = await w.pat(org)
  const monitor = await w.monitor(org)
  const [guid] = await w.checks(org, [{ result_detail_max_chars: CHARS }], 'all')
  await w.rows(FILL, guid, monitor.id, RESULTS, CHARS)
  const { machines } = w.deps.database.pools
  const query = machines.query.bind(machines) as (...args: unknown[]) => unknown
  Object.assign(machines, {
    query: (...args: unknown[]) => {
      if (PAGES.has((args[0] as { name?: string }).name)) pages++
      return query(...args)
    },
  })
})
beforeEach(() => {
  pages = 0
})
afterAll(() => w.close())

// Nothing that Postgres could compress on its way to us.
const FILL = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, response_sample)
  select org_id, check_id, timestamptz '2026-11-01Z' + n * interval '1 minute', 1, 503, false, $2, repeat('x', $4::integer)
  from checks, generate_series(1, $3::integer) n where guid = $1`

/** The store fails for results from that one on: what stands for any failure of a page. */
const breakStore = (from = BREAKS_AT) => `
  create or replace function wire_time(t timestamptz) returns text language plpgsql stable as $$ begin
    if t >= timestamptz '2026-11-01Z' + ${from} * interval '1 minute' and t < timestamptz '2026-11-04Z'
      then raise 'the disk is gone'; end if;
    return to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  end $$`

/** A client that asks, and reads only as far as it is told. */
class Client {
  readonly #socket: Socket
  readonly #received: Buffer[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#received.push(chunk)).pause()
  }

  static async ask(url: string, bearer: string, encoding = 'identity'): Promise<Client> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
    await once(socket, 'connect')
    const lines = ['Host: a', 'Connection: close', `Authorization: Bearer ${bearer}`, `Accept-Encoding: ${encoding}`]
    socket.write(`GET ${ACCOUNT}/export HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    return new Client(socket)
  }

  /** Reads the first piece and no more. */
  async begin(): Promise<void> {
    await once(this.#socket.resume(), 'data')
    this.#socket.pause()
  }

  /** Reads on until the server closes; returns all that came. */
  async finish(): Promise<Buffer> {
    this.#socket.resume()
    if (!this.#socket.closed) await once(this.#socket, 'close')
    return Buffer.concat(this.#received)
  }

  leave(): void {
    this.#socket.destroy()
  }
}

/** What was sent of a chunked body, its framing left in: enough to see that it is no document. */
const bodyOf = (answer: Buffer) => answer.subarray(answer.indexOf('\r\n\r\n') + 4)

function expectBroken(answer: Buffer): void {
  expect(answer.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK')
  expect(bodyOf(answer).length).toBeGreaterThan(0)
  expect(readAnswers(answer).answers).toEqual([])
  expect(answer.subarray(-5).toString()).not.toBe('0\r\n\r\n')
}

const get = (path: string, bearer = token) =>
  fetch(`${w.direct}${ACCOUNT}${path}`, { headers: { Authorization: `Bearer ${bearer}` } })

/** Some time passes: others are answered. */
async function othersAreAnswered(): Promise<void> {
  for (let n = 0; n < 30; n++) expect((await get('/checks')).status).toBe(200)
}

/** How many pages had been asked for when no more were, however many others were answered meanwhile. */
async function pagesInTheEnd(): Promise<number> {
  let before: number
  do {
    before = pages
    await othersAreAnswered()
  } while (pages !== before)
  return before
}

describe('a store error', () => {
  afterEach(() => w.rows(breakStore(1e6)))

  test('before the first byte is a 500 in one line', async () => {
    await w.rows('alter table heartbeats rename to elsewhere')
    try {
      const answer = await get('/export')
      expect(answer.status).toBe(500)
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(answer.headers.get('content-disposition')).toBeNull()
      expect(await answer.text()).toBe('internal server error')
    } finally {
      await w.rows('alter table elsewhere rename to heartbeats')
    }
  })

  test.each(['identity', 'gzip'])('midway breaks the connection: no end of the body (%s)', async (encoding) => {
    await w.rows(breakStore())
    const client = await Client.ask(w.direct, token, encoding)
    expectBroken(await client.finish())
    expect((await get('/heartbeats')).status).toBe(200)
  })

  test('midway fails the read of a client, and what came is no JSON', async () => {
    await w.rows(breakStore())
    const answer = await get('/export')
    expect(answer.status).toBe(200)
    const received: Uint8Array[] = []
    await expect(
      (async () => {
        for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) received.push(chunk)
      })(),
    ).rejects.toThrow()
    const text = Buffer.concat(received).toString()
    expect(text).toMatch(/^\{"org_name":/)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  test('of a page that is fetched ahead, while the client does not read, does not take the server down', async () => {
    const server = await startServer({ ...settingsFor(w.databaseUrl), ADDRESS_RATE_LIMIT: 'off' })
    try {
      // The first page is more than a connection takes in, and the second fails.
      await w.rows(
        "update results set error = repeat('🐕', 10000), response_sample = repeat('🐕', 10000) where ran_at < '2026-11-01T03:00:00Z'",
      )
      await w.rows(breakStore(120))
      const client = await Client.ask(server.url, token)
      await client.begin()
      for (let n = 0; n < 50; n++) expect((await fetch(`${server.url}${ACCOUNT}/no-such-path`)).status).toBe(404)
      expectBroken(await client.finish())
    } finally {
      await server.stop()
    }
  })
})

describe('a client', () => {
  test.each(['identity', 'gzip'])('that goes away ends the work (%s)', async (encoding) => {
    const client = await Client.ask(w.direct, token, encoding)
    await client.begin()
    client.leave()
    await eventually(async () => (await connections()) === 0, 'the server has let go of the connection')
    // There are 40 pages. One that the server was reading can still be finished.
    expect(await pagesInTheEnd()).toBeLessThan(20)
  })

  test('that does not read is waited for: pages are not fetched into memory meanwhile', async () => {
    const client = await Client.ask(w.direct, token)
    await eventually(() => pages > 1, 'the export has begun')
    // Of forty.
    expect(await pagesInTheEnd()).toBeLessThan(20)
    client.leave()
  })

  test('that waits holds no transaction and no snapshot', async () => {
    const client = await Client.ask(w.direct, token)
    await eventually(() => pages > 1, 'the export has begun')
    await othersAreAnswered()
    // The page that was under way when the client stopped reading may take its time yet.
    const HOLDERS = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (xact_start is not null or backend_xmin is not null)`
    await eventually(async () => (await w.rows(HOLDERS)).length === 0, 'nothing is held')
    client.leave()
  })

  const connections = () =>
    new Promise<number>((resolve, reject) => {
      // Connections that others keep alive are theirs.
      w.server.closeIdleConnections()
      w.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
    })
})

describe('a kill of Postgres in the middle', () => {
  interface Doomed {
    server: ServerProcess
    token: string
    kill(): Promise<void>
    clear(): Promise<void>
  }

  /** A server on a Postgres of its own, with more to export than fits between a server and a client. */
  async function doomed(): Promise<Doomed> {
    const dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-test-'))
    // Root's Postgres runs as another user, who walks through here.
    await chmod(dataDir, 0o711)
    const postgres = await openEmbeddedPostgres({ dataDir, random: randomBytes, throwaway: true, remove: true })
    await migrateToLatest(postgres.url)
    const database = openDatabase({ url: postgres.url })
    const deps: Deps = { database, clock: fakeClock(), random: randomBytes, log: silentLog }
    const { org_id } = await createOrganisation(deps, { name: 'o', plan: 'team', owner_email: 'o@example.com' })
    const entry = { name: 'c', url: 'https://example.com/', interval_sec: 60, result_detail_max_chars: CHARS }
    const { guids } = await importChecks(deps, org_id, [entry])
    await database.pools.machines.query(FILL, [guids[0], 'm', RESULTS, CHARS])
    const { token } = await createPersonalToken(deps, org_id)
    await database.close()
    const server = await startServer({ DATABASE_URL: postgres.url })
    return {
      server,
      token,
      kill: () => killAll(postgres.url),
      clear: async () => {
        await server.stop()
        await postgres.stop()
      },
    }
  }

  /** The postmaster first, so that nobody brings its children back. */
  async function killAll(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(`
      select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer as pid
      union all select pid from pg_stat_activity where pid is not null`)
    const gone = new Promise<void>((resolve) => client.once('end', resolve))
    for (const { pid } of rows) killQuietly(pid)
    await gone
  }

  function killQuietly(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It went with the others.
    }
  }

  test('the read fails, what came is no JSON, and the SDK says so in one line', async () => {
    const { server, token, kill, clear } = await doomed()
    try {
      const account = new AccountClient({ baseUrl: server.url, token, retries: 0 })
      const raw = await Client.ask(server.url, token)
      await raw.begin()
      const { results } = await account.exportResults()
      await results[Symbol.asyncIterator]().next()
      await kill()
      const failure: unknown = await (async () => {
        for await (const _ of results);
      })().catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Error)
      expect((failure as Error).message).toMatch(/^the export was cut short; request it again[^\n]*$/)
      expectBroken(await raw.finish())
      // The server itself lives on, and says what it can.
      expect((await fetch(`${server.url}${ACCOUNT}/no-such-path`)).status).toBe(404)
    } finally {
      await clear()
    }
  })
})
