// A server on a Postgres of its own, and what generated clients are made and held with.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { systemClock } from '../../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { openEmbeddedPostgres } from '../../../packages/server/dist/embedded-postgres/open.js'
import { migrateToLatest } from '../../../packages/server/dist/store/migrate.js'
import { runProgram } from '../../../packages/server/test/packaging/sdk-projects.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/server/dist/bin/dogwatch.js', import.meta.url))
const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))
export const RESULTS = 1203
export const PAGE = 500

export interface World {
  server: string
  /** A personal access token of the account API. */
  reader: string
  /** A configuration token that may write. */
  writer: string
  /** Of the check with the results. */
  guid: string
}

/** The outcome of one call, whichever client made it. */
export interface Outcome {
  status: number
  body: unknown
}

export type Steps = (() => Promise<unknown>)[]

/** An organisation with a check and its results. */
export async function openWorld(folder: string, undo: Steps): Promise<World> {
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
  const reader = await createPersonalToken(deps, org_id)
  const writer = await createConfigurationToken(deps, org_id, { name: 'generated', scopes: ['write'] })
  const server = await startServer(postgres.url, undo)
  return { server, reader: reader.token, writer: writer.token, guid: guids[0] ?? '' }
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

export async function install(place: string, packages: readonly string[]): Promise<void> {
  await writeFile(join(place, 'package.json'), '{"private":true,"type":"module"}')
  await runProgram('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], place)
}

/** Fails when what was generated does not compile in strict mode. */
export async function compile(place: string, entry: string): Promise<void> {
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable']
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext']
  await runProgram(process.execPath, [TSC, ...options, ...modules, entry], place)
}

/** Bundles what was generated, because generators write imports in the style of bundlers. */
export async function load(place: string, entry: string): Promise<Record<string, unknown>> {
  const { build } = await import('esbuild')
  const outfile = join(place, 'client.mjs')
  const entryPoints = [join(place, entry)]
  await build({ entryPoints, bundle: true, packages: 'external', format: 'esm', platform: 'node', outfile })
  return (await import(pathToFileURL(outfile).href)) as Record<string, unknown>
}

export function requireEqual(got: unknown, wanted: unknown): void {
  const [seen, asked] = [JSON.stringify(got), JSON.stringify(wanted)]
  if (seen !== asked) throw new Error(`got ${seen.slice(0, 300)} instead of ${asked}`)
}
