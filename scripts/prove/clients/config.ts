// Clients of the configuration API by generators that write the request themselves, and one that holds every answer to the schemas.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../../packages/server/test/packaging/sdk-projects.ts'
import { compile, install, load, type Outcome, PAGE, requireEqual, RESULTS, type World } from './world.ts'

const DOCUMENT = fileURLToPath(new URL('../../../openapi/bundled/config.json', import.meta.url))
const SWAGGER = ['swagger-typescript-api@13.13.0', 'typescript@5.9.3']
const ZOD = ['openapi-zod-client@1.18.3']
const PREFIX = '/config-api/v1'
/** Both parse every answer as JSON: they must ask for errors in JSON. */
const ACCEPT = 'application/json, application/problem+json'

/** Five calls, as a generated client makes them. */
export interface ConfigClient {
  create(body: object): Promise<Outcome>
  read(guid: string): Promise<Outcome>
  change(guid: string, body: object): Promise<Outcome>
  results(guid: string, after: string | undefined): Promise<Outcome>
  remove(guid: string): Promise<Outcome>
}

const SHOP = { key: 'made', name: 'Made', url: 'https://made.example.com/', interval_sec: 60 }

export const CONFIG_CHECKS: Readonly<Record<string, (client: ConfigClient, world: World) => Promise<void>>> = {
  'creates, reads, changes and deletes a check by its key': async (client) => {
    const made = await client.create(SHOP)
    const { guid } = made.body as { guid: string }
    const read = await client.read('key:made')
    requireEqual([made.status, read.status, (read.body as { guid: string }).guid], [201, 200, guid])
    const changed = await client.change('key:made', { name: 'Changed' })
    requireEqual([changed.status, (changed.body as { name: string }).name], [200, 'Changed'])
    requireEqual(await client.remove('key:made'), { status: 200, body: { guid } })
  },
  [`reads ${RESULTS} results in pages`]: async (client, { guid }) => {
    const sizes: number[] = []
    let after: string | undefined
    do {
      const { status, body } = await client.results(guid, after)
      const page = body as { results: unknown[]; next?: string }
      requireEqual([status, Array.isArray(page.results)], [200, true])
      sizes.push(page.results.length)
      after = page.next
    } while (after !== undefined)
    requireEqual(sizes, [PAGE, PAGE, RESULTS - 2 * PAGE])
  },
  'is told what is wrong with which field': async (client) => {
    const { status, body } = await client.create({ ...SHOP, interval_sec: 1 })
    const { errors } = body as { errors: { pointer: string }[] }
    requireEqual([status, errors.map(({ pointer }) => pointer)], [400, ['#/interval_sec']])
    requireEqual((await client.read('key:nowhere')).status, 404)
  },
}

/** swagger-typescript-api: a class with `fetch`. */
export async function swaggerTypescriptApi(place: string, { server, writer }: World): Promise<ConfigClient> {
  await install(place, SWAGGER)
  const bin = join(place, 'node_modules/swagger-typescript-api/dist/cli.mjs')
  await runProgram(
    process.execPath,
    [bin, 'generate', '--path', DOCUMENT, '--output', place, '--name', 'api.ts'],
    place,
  )
  await compile(place, 'api.ts')
  type Call = (...args: unknown[]) => Promise<{ status: number; data: unknown }>
  type Api = new (options: object) => { checks: Record<string, Call> }
  const { Api } = (await load(place, 'api.ts')) as { Api: Api }
  const headers = { authorization: `Bearer ${writer}`, accept: ACCEPT }
  const { checks } = new Api({ baseUrl: `${server}${PREFIX}`, baseApiParams: { headers } })
  const call = async (operation: string, ...args: unknown[]): Promise<Outcome> => {
    try {
      const answer = await checks[operation]?.(...args)
      return { status: answer?.status ?? 0, body: answer?.data }
    } catch (refused) {
      const { status, error } = refused as { status: number; error: unknown }
      return { status, body: error }
    }
  }
  return {
    create: (body) => call('createCheck', body),
    read: (guid) => call('getCheck', guid),
    change: (guid, body) => call('changeCheck', guid, body),
    results: (guid, after) => call('listResults', guid, { limit: PAGE, ...(after !== undefined && { after }) }),
    remove: (guid) => call('deleteCheck', guid),
  }
}

/** openapi-zod-client: it refuses answers that are not what the schemas say. */
export async function openapiZodClient(place: string, { server, writer }: World): Promise<ConfigClient> {
  await install(place, ZOD)
  const bin = join(place, 'node_modules/openapi-zod-client/bin.js')
  await runProgram(process.execPath, [bin, DOCUMENT, '-o', join(place, 'api.ts'), '--with-alias'], place)
  await compile(place, 'api.ts')
  type Call = (...args: unknown[]) => Promise<unknown>
  const { createApiClient } = (await load(place, 'api.ts')) as {
    createApiClient: (url: string, options: object) => Record<string, Call>
  }
  const headers = { authorization: `Bearer ${writer}`, accept: ACCEPT }
  const client = createApiClient(`${server}${PREFIX}`, { validate: true, axiosConfig: { headers } })
  const call = async (status: number, operation: string, ...args: unknown[]): Promise<Outcome> => {
    try {
      return { status, body: await client[operation]?.(...args) }
    } catch (error) {
      const { response } = error as { response?: { status: number; data: unknown } }
      if (!response) throw error
      return { status: response.status, body: response.data }
    }
  }
  return {
    create: (body) => call(201, 'createCheck', body),
    read: (guid) => call(200, 'getCheck', { params: { guid } }),
    change: (guid, body) => call(200, 'changeCheck', body, { params: { guid } }),
    results: (guid, after) => call(200, 'listResults', { params: { guid }, queries: { limit: PAGE, after } }),
    remove: (guid) => call(200, 'deleteCheck', undefined, { params: { guid } }),
  }
}
