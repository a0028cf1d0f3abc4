// Two databases of one Postgres with equal rows, each served by a build of its own: an earlier one, and ours.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { foldHistory } from '../../../packages/server/dist/domain/results/history.js'
import { openDatabase } from '../../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../../packages/server/dist/store/migrate.js'
import { type BareArchive, depsOf, settleTables } from '../../lab/archive.ts'
import type { FleetMonitor } from '../../lab/fleet.ts'
import { buildIn, makeBuildOf, migrateWith, type OtherBuild } from '../../lab/other-build.ts'
import type { BareStage, BenchServer, Stage } from '../../lab/stage.ts'
import type { Makers } from '../support/console-org.ts'
import type { Side } from '../support/sides.ts'

/** The earlier build. */
export interface Past extends OtherBuild {
  commit: string
}

/** What fills its database. Organisations, tokens, a fleet, and what is folded are made by functions of its own. */
export interface Loading {
  stage: Stage
  deps: ReturnType<typeof depsOf>
  archive: { makeOrg(checks: number): Promise<BareArchive> }
  fleet(): Promise<FleetMonitor[]>
  makers: Makers
}

export interface Pair<Loaded> {
  stage: Stage
  past: Past
  loaded: Loaded
  /** Starts a server of each, and ends those before. The earlier one comes first. */
  serve(): Promise<readonly [before: Side, ours: Side]>
}

interface Wishes<Loaded> {
  load(loading: Loading): Promise<Loaded>
  /** Whether the account API's tokens have no limits. */
  unlimited?: boolean
}

const APP = 'scripts/bench/support/app.ts'
const OUR_APP = fileURLToPath(new URL('../support/app.ts', import.meta.url))

/** The build that `--from` names. */
export async function openBuild({ flags: { from, build }, undo }: BareStage): Promise<Past> {
  if (from === undefined) throw new Error('no commit to compare with was given: --from COMMIT')
  if (build !== undefined) return { ...buildIn(build), commit: from }
  const folder = await mkdtemp(join(tmpdir(), 'bench-dogwatch-build-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711)
  return { ...makeBuildOf(from, folder), commit: from }
}

/** Fills a database by the earlier build, copies it, and migrates the copy by ours. */
export async function pairOf<Loaded>(stage: Stage, past: Past, wishes: Wishes<Loaded>): Promise<Pair<Loaded>> {
  const { machines } = stage.database.pools
  await machines.query('create database before')
  const [before, ours] = [urlOf(stage, 'before'), urlOf(stage, 'ours')]
  await migrateWith(past.program, before)
  const { loaded, close } = await fill(stage, past, before, wishes)
  await close()
  await machines.query('create database ours template before')
  await migrateToLatest(ours)
  const [earlier, now] = [sideOf(stage, 'before', before), sideOf(stage, 'ours', ours)]
  await foldAnew(now.stage)
  for (const side of [earlier, now]) await settleTables(side.stage)
  const unlimited = wishes.unlimited === true
  const programs = unlimited ? [join(past.dist, '../../..', APP), OUR_APP] : [past.program, undefined]
  const env = unlimited ? { BENCH_TOKEN_LIMITS: 'off' } : {}
  const running: BenchServer[] = []
  const serve = async (): Promise<readonly [Side, Side]> => {
    for (const { pid } of running.splice(0)) process.kill(pid, 'SIGTERM')
    const server = await stage.serve({ ...env, DATABASE_URL: before }, programs[0])
    const ourServer = await stage.serve({ ...env, DATABASE_URL: ours }, programs[1])
    running.push(server, ourServer)
    return [
      { ...earlier, server },
      { ...now, server: ourServer },
    ]
  }
  return { stage, past, loaded, serve }
}

/** With everything that ours keeps of an hour: the earlier build may have kept less. */
async function foldAnew(stage: Stage): Promise<void> {
  await stage.database.pools.machines.query('truncate rollups, rollups_daily, rollup_progress')
  await foldHistory(depsOf(stage))
}

async function fill<Loaded>(stage: Stage, past: Past, url: string, { load }: Wishes<Loaded>) {
  const server = <Module>(path: string) => past.load<Module>(`packages/server/dist/${path}`)
  const opened = await server<typeof import('../../../packages/server/dist/store/database.js')>('store/database.js')
  const archive = await past.load<typeof import('../../lab/archive.ts')>('scripts/lab/archive.ts')
  const { loadFleet } = await past.load<typeof import('../../lab/fleet.ts')>('scripts/lab/fleet.ts')
  const history =
    await server<typeof import('../../../packages/server/dist/domain/results/history.js')>('domain/results/history.js')
  const makers = {
    ...(await server<Pick<Makers, 'createPersonalToken'>>('domain/organisations/personal-tokens.js')),
    ...(await server<Pick<Makers, 'editStatusPage'>>('domain/status-page/edit.js')),
    ...(await server<Pick<Makers, 'openSession'>>('domain/people/sessions.js')),
  }
  const database = opened.openDatabase({ url })
  const loading = { ...stage, database, url }
  const deps = archive.depsOf(loading)
  await archive.makeYear(loading)
  const makeOrg = (checks: number) => archive.makeOrg(loading, checks, 'all')
  const loaded = await load({ stage: loading, deps, archive: { makeOrg }, fleet: () => loadFleet(loading), makers })
  await history.foldHistory(deps)
  return { loaded, close: () => database.close() }
}

function urlOf({ url }: Stage, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** Only one side is at work at a time, so all that Postgres does is for it. */
function sideOf(given: Stage, name: string, url: string): Omit<Side, 'server'> {
  const database = openDatabase({ url })
  given.undo(() => database.close())
  return { name, stage: { ...given, database, url }, meters: [given.postgres] }
}
