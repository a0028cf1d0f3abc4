// Proves that clients which others generate from the released account document work with the running server: pages, an
// export, a 401 and a 404. Downloads the generators from a registry.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { openEmbeddedPostgres } from '../../packages/server/dist/embedded-postgres/open.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { runProgram } from '../../packages/server/test/packaging/sdk-projects.ts'

const DOCUMENT = fileURLToPath(new URL('../../openapi/released/account.yaml', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../packages/server/dist/bin/dogwatch.js', import.meta.url))
const RESULTS = 1203
const PAGE = 500
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const HEY_API = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3']
const OAZAPFTS = ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0']

interface World {
  baseUrl: string
  token: string
  guid: string
}

interface Page {
  results: unknown[]
  next?: { after: string; after_monitor: string }
}

/** The outcome of one call, whichever client made it. */
interface Outcome {
  status: number
  body: unknown
}

/** The four calls, as a generated client makes them. */
interface Client {
  page(token: string, guid: string, next: Page['next']): Promise<Outcome>
  export(token: string): Promise<Outcome>
}

type Steps = (() => Promise<unknown>)[]

const CHECKS: Readonly<Record<string, (client: Client, world: World) => Promise<void>>> = {
  [`reads ${RESULTS} results in pages`]: async (client, { token, guid }) => {
    const sizes: number[] = []
    let next: Page['next']
    do {
      const { status, body } = await client.page(token, guid, next)
      const page = body as Page
      requireEqual([status, Array.isArray(page.results)], [200, true])
      sizes.push(page.results.length)
      next = page.next
    } while (next)
    requireEqual(sizes, [PAGE, PAGE, RESULTS - 2 * PAGE, 0])
  },
  'reads an export': async (client, { token, guid }) => {
    const { status, body } = await client.export(token)
    const { org_name, results } = body as { org_name: string; results: Record<string, unknown[]> }
    requireEqual([status, org_name, results[guid]?.length], [200, 'acme', RESULTS])
  },
  'is told of a 401 in one line of text': async (client, { guid }) => {
    const refused = { status: 401, body: 'missing, malformed or unknown personal access token' }
    requireEqual(await client.page('dogwatch_pat_no', guid, undefined), refused)
    requireEqual(await client.export('dogwatch_pat_no'), refused)
  },
  'is told of a 404 in one line of text': async (client, { token }) => {
    for (const guid of [UNKNOWN, 'no/such?check#1']) {
      requireEqual(await client.page(token, guid, undefined), { status: 404, body: 'no check with that guid' })
    }
  },
}

const folder = await mkdtemp(join(tmpdir(), 'dogwatch-clients-'))
const steps: Steps = [() => rm(folder, { recursive: true, force: true })]
try {
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const world = await openWorld(steps)
  let holds = await proveClient('hey-api', world, heyApi)
  holds = (await proveClient('oazapfts', world, oazapfts)) && holds
  process.stdout.write(`clients: ${holds ? 'holds' : 'FELL SHORT'}\n`)
  process.exitCode = holds ? 0 : 1
} finally {
  for (let step = steps.pop(); step; step = steps.pop()) await step()
}

/** A server on a Postgres of its own, with an org in it that has a check and its results. */
async function openWorld(undo: Steps): Promise<World> {
  const options = { dataDir: join(folder, 'data'), random: systemRandom, throwaway: true, remove: true }
  const postgres = await openEmbeddedPostgres(options)
  undo.push(() => postgres.stop())
  await migrateToLatest(postgres.url)
  const database = openDatabase({ url: postgres.url })
  undo.push(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  const { org_id } = await createOrganisation(deps, { name: 'acme', plan: 'team', owner_email: 'a@example.com' })
  const entries = [{ name: 'shop', url: 'https://shop.example.com/', interval_sec: 60 }]
  const { guids } = await importChecks(deps, org_id, entries)
  await database.pools.machines.query(
    `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id)
     select org_id, check_id, now() - n * interval '1 second', 12, 200, true, 'abc' from checks, generate_series(1, $1) n`,
    [RESULTS],
  )
  const { token } = await createPersonalToken(deps, org_id)
  return { baseUrl: `${await startServer(postgres.url, undo)}/account-api/v1`, token, guid: guids[0] ?? '' }
}

async function startServer(url: string, undo: Steps): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, 'serve', '--role', 'web'], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  undo.push(async () => {
    child.kill()
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listening on (\S+)$/.exec(line)?.[1]
    if (found !== undefined) return found
  }
  throw new Error('the server ended before it listened')
}

/** Makes a client and uses it; prints what held. */
async function proveClient(
  name: string,
  world: World,
  make: (place: string, world: World) => Promise<Client>,
): Promise<boolean> {
  try {
    const place = join(folder, name)
    await mkdir(place)
    const client = await make(place, world)
    for (const [what, check] of Object.entries(CHECKS)) {
      await check(client, world)
      process.stdout.write(`${name}: ${what}\n`)
    }
    return true
  } catch (error) {
    process.stdout.write(`${name}: FELL SHORT: ${(error as Error).message}\n`)
    return false
  }
}

function requireEqual(got: unknown, wanted: unknown): void {
  const [seen, asked] = [JSON.stringify(got), JSON.stringify(wanted)]
  if (seen !== asked) throw new Error(`got ${seen.slice(0, 300)} instead of ${asked}`)
}

async function install(place: string, packages: readonly string[]): Promise<void> {
  await writeFile(join(place, 'package.json'), '{"private":true,"type":"module"}')
  await runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], place)
}

/** Bundles what was generated, because generators write imports in the style of bundlers. */
async function load(place: string, entry: string): Promise<Record<string, unknown>> {
  const { build } = await import('esbuild')
  const outfile = join(place, 'client.mjs')
  await build({ entryPoints: [join(place, entry)], bundle: true, format: 'esm', platform: 'node', outfile })
  return (await import(pathToFileURL(outfile).href)) as Record<string, unknown>
}

async function heyApi(place: string, { baseUrl }: World): Promise<Client> {
  await install(place, HEY_API)
  const bin = join(place, 'node_modules/@hey-api/openapi-ts/bin/run.js')
  await runProgram(process.execPath, [bin, '-i', DOCUMENT, '-o', join(place, 'generated')], place)
  type Call = (options: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  const { listResults, exportAccount } = (await load(place, 'generated/sdk.gen.ts')) as Record<string, Call>
  const call = async (operation: Call | undefined, auth: string, options: object): Promise<Outcome> => {
    if (!operation) throw new Error('an operation was not generated')
    const { data, error, response } = await operation({ baseUrl, auth, ...options })
    return { status: response.status, body: data ?? error }
  }
  return {
    page: (token, guid, next) => call(listResults, token, { path: { guid }, ...(next && { query: next }) }),
    export: (token) => call(exportAccount, token, {}),
  }
}

async function oazapfts(place: string, { baseUrl }: World): Promise<Client> {
  await install(place, OAZAPFTS)
  const bin = join(place, 'node_modules/oazapfts/dist/cli.js')
  await runProgram(process.execPath, [bin, DOCUMENT, join(place, 'generated.ts')], place)
  type Call = (...args: unknown[]) => Promise<{ status: number; data: unknown }>
  const { listResults, exportAccount } = (await load(place, 'generated.ts')) as Record<string, Call>
  const call = async (operation: Call | undefined, token: string, ...args: unknown[]): Promise<Outcome> => {
    if (!operation) throw new Error('an operation was not generated')
    const options = { baseUrl, headers: { Authorization: `Bearer ${token}` } }
    const { status, data } = await operation(...args, options)
    return { status, body: data }
  }
  return {
    // It renames what has an underscore.
    page: (token, guid, next) =>
      call(listResults, token, guid, next ? { after: next.after, afterMonitor: next.after_monitor } : {}),
    export: (token) => call(exportAccount, token),
  }
}
