// Proves that clients which others generate work with the running server: of the released account document pages, an export, a 401 and a 404;
// of the configuration document changes, pages and refusals. Downloads the generators from a registry.
// npm run prove -- clients
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../packages/server/test/packaging/sdk-projects.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { CONFIG_CHECKS, openapiZodClient, swaggerTypescriptApi } from './clients/config.ts'
import {
  install,
  load,
  openWorld,
  type Outcome,
  PAGE,
  requireEqual,
  RESULTS,
  type Steps,
  type World,
} from './clients/world.ts'

const DOCUMENT = fileURLToPath(new URL('../../openapi/released/account.yaml', import.meta.url))
const PREFIX = '/account-api/v1'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const HEY_API = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3']
const OAZAPFTS = ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0']

interface Page {
  results: unknown[]
  next?: { after: string; after_monitor: string }
}

/** The four calls, as a generated client makes them. */
interface Client {
  page(token: string, guid: string, next: Page['next']): Promise<Outcome>
  export(token: string): Promise<Outcome>
}

const CHECKS: Readonly<Record<string, (client: Client, world: World) => Promise<void>>> = {
  [`reads ${RESULTS} results in pages`]: async (client, { reader: token, guid }) => {
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
  'reads an export': async (client, { reader: token, guid }) => {
    const { status, body } = await client.export(token)
    const { org_name, results } = body as { org_name: string; results: Record<string, unknown[]> }
    requireEqual([status, org_name, results[guid]?.length], [200, 'acme', RESULTS])
  },
  'is told of a 401 in one line of text': async (client, { guid }) => {
    const refused = { status: 401, body: 'missing, malformed or unknown personal access token' }
    requireEqual(await client.page('dogwatch_pat_no', guid, undefined), refused)
    requireEqual(await client.export('dogwatch_pat_no'), refused)
  },
  'is told of a 404 in one line of text': async (client, { reader: token }) => {
    for (const guid of [UNKNOWN, 'no/such?check#1']) {
      requireEqual(await client.page(token, guid, undefined), { status: 404, body: 'no check with that guid' })
    }
  },
}

readFlags({})
const folder = await mkdtemp(join(tmpdir(), 'dogwatch-clients-'))
const steps: Steps = [() => rm(folder, { recursive: true, force: true })]
try {
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const world = await openWorld(folder, steps)
  const proved = [
    await proveClient('hey-api', world, heyApi, CHECKS),
    await proveClient('oazapfts', world, oazapfts, CHECKS),
    await proveClient('swagger-typescript-api', world, swaggerTypescriptApi, CONFIG_CHECKS),
    await proveClient('openapi-zod-client', world, openapiZodClient, CONFIG_CHECKS),
  ]
  const holds = proved.every(Boolean)
  process.stdout.write(`clients: ${holds ? 'holds' : 'FELL SHORT'}\n`)
  process.exitCode = holds ? 0 : 1
} finally {
  for (let step = steps.pop(); step; step = steps.pop()) await step()
}

/** Makes a client and uses it; prints what held. */
async function proveClient<One>(
  name: string,
  world: World,
  make: (place: string, world: World) => Promise<One>,
  checks: Readonly<Record<string, (client: One, world: World) => Promise<void>>>,
): Promise<boolean> {
  try {
    const place = join(folder, name)
    await mkdir(place)
    const client = await make(place, world)
    for (const [what, check] of Object.entries(checks)) {
      await check(client, world)
      process.stdout.write(`${name}: ${what}\n`)
    }
    return true
  } catch (error) {
    process.stdout.write(`${name}: FELL SHORT: ${(error as Error).message}\n`)
    return false
  }
}

async function heyApi(place: string, { server }: World): Promise<Client> {
  const baseUrl = `${server}${PREFIX}`
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

async function oazapfts(place: string, { server }: World): Promise<Client> {
  const baseUrl = `${server}${PREFIX}`
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
