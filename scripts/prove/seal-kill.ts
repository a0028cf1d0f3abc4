// Proves that sealing loses nothing, whoever is killed with -9: the worker at chosen statements of it and at random moments, Postgres, and
// the command that writes hours back. Meanwhile agents upload what runs now, what ran days ago, and repeats with other content. At the
// end the pages of the account API, its export, hours and days are what a model of rows says.
// npm run prove -- seal-kill [--kills N] [--seed N] [--checks N]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AccountClient } from '../../packages/account-sdk/dist/index.js'
import { MonitorClient } from '../../packages/monitor-sdk/dist/index.js'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { createEnrollmentToken } from '../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { createOrganisation } from '../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { openDatabase } from '../../packages/server/dist/store/database.js'
import { migrateToLatest } from '../../packages/server/dist/store/migrate.js'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { LIFELINE, type Outcome, runProof, SERVER, until, type World } from '../lab/world.ts'
import { SERVER_FLAGS } from '../server-flags.js'
import { type Mortal, openPostgres, startMortal } from './alerting/mortals.ts'
import { compare, Ledger } from './seal-kill/ledger.ts'
import { SEALING, type Step, UNSEALING } from './seal-kill/steps.ts'
import { MOMENTS, type Strike } from './seal-kill/strike.ts'
import { FLEET_LIMITS } from './support/fleet.ts'

const flags = readFlags({
  kills: { type: 'string', default: '50' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
  checks: { type: 'string', default: '12' },
})
const KILLS = Number(flags.kills)
const SEED = Number(flags.seed)
const CHECKS = Number(flags.checks)
const AGENTS = 3
const STRIKE = new URL('./seal-kill/strike.ts', import.meta.url).href
/** Some days of this month, and the last ones of the month before: a month is dropped when it is sealed. */
const DAYS = 3
const RUNS_A_DAY = 144
const DAY_MS = 86_400_000
/** So long a worker may run after its start before it is killed at random. */
const LEAST_MS = 2_000
const MOST_RANDOM_MS = 24_000
const POSTGRES_EVERY = 9
/** So many random kills while all is sealed end a round. */
const IDLE = 2
/** Of the statements so many must have been struck. Some come only by chance. */
const LEAST_KINDS = Math.min(16, Math.floor(KILLS / 3))
const DONE_MS = 300_000
const LIMIT_MS = 600_000 + KILLS * 90_000

interface Stage {
  deps: Deps
  url: string
  postgres: Mortal
  worker: Mortal
  /** What the worker's next life is started with. */
  env: Record<string, string>
  /** Resolves when the worker has killed itself. */
  struck: () => Promise<void>
  faults: string[]
  kills: Map<string, number>
  /** How many there were. */
  done: number
  /** Where a process that kills itself tells at what. */
  tell_in: string
}

async function prove(undo: World['undo']): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-seal-kill-proof-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const postgres = await openPostgres(folder, undo)
  await migrateToLatest(postgres.url)
  const database = openDatabase({ url: postgres.url })
  undo(() => database.close())
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('fatal') }
  const { org_id } = await createOrganisation(deps, { name: 'o', plan: 'team', owner_email: 'o@example.com' })
  const entries = Array.from({ length: CHECKS }, (_, n) => ({
    ...{ name: `shop ${n}`, url: `https://shop-${n}.example.com/`, interval_sec: 60 },
  }))
  const { guids } = await importChecks(deps, org_id, entries, 'all')
  const { token: enrollment } = await createEnrollmentToken(deps, org_id)
  const faults: string[] = []
  const base = { DATABASE_URL: postgres.url, SEAL_HOURS: 'on', ADDRESS_RATE_LIMIT: 'off', ...FLEET_LIMITS }
  const web = await startMortal('web', 'web', base, { undo, onEnd: (fault) => void faults.push(fault) })
  const baseUrl = `http://127.0.0.1:${web.port}`
  const ledger = new Ledger()
  const ending = new AbortController()
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      const place = { name: `agent ${n}`, region: 'r', country: 'c', city: 'c' }
      const { api_key, monitor_id } = await new MonitorClient({ baseUrl, token: enrollment }).enroll(place)
      return { client: new MonitorClient({ baseUrl, token: api_key }), monitor_id, d: dice(SEED + 1 + n) }
    }),
  )
  for (const agent of agents) await bringHistory(ledger, agent, guids)
  const work = agents.map((agent) => report(ledger, agent, guids, ending.signal))
  const stage = await startWorker(
    { deps, url: postgres.url, postgres, faults, tell_in: join(folder, 'struck') },
    base,
    undo,
  )
  await killAll(stage, dice(SEED))
  ending.abort()
  await Promise.all(work)
  const isDone = await untilSealed(stage)
  const token = (await createPersonalToken(deps, org_id)).token
  const client = new AccountClient({ baseUrl, token })
  const { lost, beyond, faults: differences } = await compare(ledger, { deps, org_id, guids, client })
  const kinds = [...stage.kills.keys()].filter((name) => name in SEALING || name in UNSEALING).length
  const sealed = await countOf(deps, 'select count(*) from sealed_hours')
  return {
    faults: [
      ...faults,
      ...ledger.faults,
      ...differences,
      ...(isDone ? [] : ['not everything was sealed and merged at the end']),
      ...(kinds >= LEAST_KINDS ? [] : [`killed at ${kinds} of the statements, which should be ${LEAST_KINDS}`]),
      ...(sealed > 0 ? [] : ['nothing was sealed: that is no trial']),
    ],
    figures: [
      `${stage.done} kills (seed ${SEED})`,
      [...stage.kills].map(([what, count]) => `${count} ${what}`).join(', '),
      `${ledger.rows.size} results acknowledged, ${ledger.repeats} repeated with other content, ${sealed} sealed rows`,
      `${lost} lost, ${beyond} twice or changed`,
    ].join('; '),
  }
}

interface Agent {
  client: MonitorClient
  monitor_id: string
  d: Dice
}

/** An agent that was away brings its days. */
async function bringHistory(ledger: Ledger, { client, monitor_id, d }: Agent, guids: readonly string[]): Promise<void> {
  const now = new Date()
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const step = DAY_MS / RUNS_A_DAY
  for (const end of [month, now.getTime()]) {
    for (const guid of guids) {
      const rows = Array.from({ length: DAYS * RUNS_A_DAY }, (_, n) =>
        ledger.make(guid, monitor_id, Math.floor(end - (n + 1) * step) + d.below(step / 2), d),
      )
      await ledger.upload(client, rows, new AbortController().signal)
    }
  }
}

/** What runs now, what ran long ago, and what was acknowledged once more. */
async function report(ledger: Ledger, agent: Agent, guids: readonly string[], signal: AbortSignal): Promise<void> {
  const { client, monitor_id, d } = agent
  const used = new Set<number>()
  const fresh = (at: number): number => (used.has(at) || !used.add(at) ? fresh(at + 1) : at)
  // What is not acknowledged is sent until it is, also when no more is made.
  const whole = new AbortController()
  while (!signal.aborted) {
    const now = Date.now()
    const late = now - d.below(DAYS * DAY_MS)
    const at = fresh(d.below(3) === 0 ? late : now)
    await ledger.upload(
      client,
      d.some(guids, CHECKS).map((guid) => ledger.make(guid, monitor_id, at, d)),
      whole.signal,
    )
    if (d.below(5) === 0) await ledger.repeat(client, monitor_id, d, whole.signal)
    await pause(200)
  }
}

async function startWorker(
  given: Pick<Stage, 'deps' | 'url' | 'postgres' | 'faults' | 'tell_in'>,
  base: Record<string, string>,
  undo: World['undo'],
): Promise<Stage> {
  const env: Record<string, string> = { ...base, NODE_OPTIONS: `--import ${STRIKE}`, PROOF_STRIKE: '' }
  let tell = () => {}
  const onEnd = (fault: string): void => {
    if (env.PROOF_STRIKE !== '' && fault.endsWith('with null')) tell()
    else given.faults.push(fault)
  }
  const worker = await startMortal('worker', 'worker', env, { undo, onEnd })
  const struck = () => new Promise<void>((resolve) => void (tell = resolve))
  return { ...given, worker, env, struck, kills: new Map(), done: 0 }
}

/**
 * Rounds: hours are sealed, and written back. In a round the worker is killed at each statement as often as there were rounds, or at
 * random when none of these comes; now and then Postgres is.
 */
async function killAll(stage: Stage, d: Dice): Promise<void> {
  for (let round = 1; stage.done < KILLS; round++) {
    for (let idle = 0; stage.done < KILLS && idle < IDLE; ) {
      if (stage.done % POSTGRES_EVERY === POSTGRES_EVERY - 1) count(stage, await killPostgres(stage, d))
      else if (await killWorker(stage, d, round)) idle = 0
      else if (await isSealed(stage.deps)) idle += 1
    }
    if (stage.done < KILLS) await killUnsealing(stage, d, round)
  }
  await restart(stage, '')
}

function count(stage: Stage, what: string, moment = ''): void {
  stage.done += 1
  stage.kills.set(what, (stage.kills.get(what) ?? 0) + 1)
  process.stderr.write(`seal-kill: ${stage.done} of ${KILLS}: ${what}${moment}\n`)
}

async function restart(stage: Stage, strike: string): Promise<void> {
  await stage.worker.kill()
  stage.env.PROOF_STRIKE = strike
  await stage.worker.start()
}

/** At the first that comes of those that were struck less often than there were rounds. */
function strikeAt({ kills, tell_in }: Stage, all: Readonly<Record<string, Step>>, d: Dice, round: number): string {
  const steps = Object.fromEntries(Object.entries(all).filter(([name]) => (kills.get(name) ?? 0) < round))
  return JSON.stringify({ steps, moment: d.one(MOMENTS), tell_in } satisfies Strike)
}

async function countStruck(stage: Stage): Promise<void> {
  const [name = '', moment = ''] = (await readFile(stage.tell_in, 'utf8')).split(', ')
  count(stage, name, `, ${moment}`)
}

/** False: at random, because no such statement came. */
async function killWorker(stage: Stage, d: Dice, round: number): Promise<boolean> {
  const struck = stage.struck().then(() => true)
  await restart(stage, strikeAt(stage, SEALING, d, round))
  const isStruck = await Promise.race([struck, pause(LEAST_MS + d.below(MOST_RANDOM_MS), false, { ref: false })])
  await stage.worker.kill()
  if (isStruck) await countStruck(stage)
  else count(stage, 'at random')
  return isStruck
}

async function killPostgres({ postgres }: Stage, d: Dice): Promise<string> {
  await pause(d.below(MOST_RANDOM_MS))
  await postgres.kill()
  await postgres.start()
  return 'of Postgres'
}

/** The command is killed until it comes to its end, and sealing allowed again. The worker runs beside it. */
async function killUnsealing(stage: Stage, d: Dice, round: number): Promise<void> {
  await restart(stage, '')
  for (const act of ['unseal', 'seal'] as const) {
    for (;;) {
      const strike = act === 'unseal' && stage.done < KILLS ? strikeAt(stage, UNSEALING, d, round) : ''
      const code = await command(stage.url, act, strike)
      if (code === null && strike !== '') {
        await countStruck(stage)
        continue
      }
      if (code !== 0) stage.faults.push(`dogwatch results ${act} ended with ${code}`)
      break
    }
  }
}

async function command(url: string, act: 'unseal' | 'seal', strike: string): Promise<number | null> {
  const args = [...SERVER_FLAGS, '--import', LIFELINE, '--import', STRIKE, SERVER, 'results', act]
  const env = { PATH: process.env.PATH, DATABASE_URL: url, PROOF_STRIKE: strike, LOG_LEVEL: 'fatal' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** Everything that is over is sealed, nothing waits to be merged, and what was dropped is gone. */
function untilSealed({ deps }: Stage): Promise<boolean> {
  return until(async () => (await countOf(deps, UNDONE)) === 0, DONE_MS)
}

const UNDONE = `
  select (select count(*) from reopened_results) + (select count(*) from rollup_marks)
    + (select count(*) from pg_class where relname like 'retired!_%' escape '!' and relkind = 'r')
    + (select count(*) from seal_progress where not isfinite(settled) or sealed_until < settled) as count`

/** Whether what is settled is sealed. */
async function isSealed(deps: Deps): Promise<boolean> {
  return (
    (await countOf(
      deps,
      'select count(*) from seal_progress where is_on and isfinite(settled) and sealed_until >= settled',
    )) > 0
  )
}

async function countOf({ database }: Deps, statement: string): Promise<number> {
  const { rows } = await database.pools.machines.query<{ count: string }>(statement)
  return Number(rows[0]?.count)
}

await runProof('seal-kill', LIMIT_MS, prove)
