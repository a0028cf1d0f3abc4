// Proves that sealing loses nothing, whatever is killed with -9: the worker at chosen statements and at random, Postgres, and the command that
// unseals hours. At the same time agents upload current results, results of earlier days, and repeats with other content. At the end the
// pages of the account API, its export, and the history are what a model of rows says.
// npm run prove -- seal-kill [--kills N] [--seed N] [--checks N]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AccountClient } from '../../packages/account-sdk/dist/index.js'
import { MonitorClient } from '../../packages/monitor-sdk/dist/index.js'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import { PLACE } from '../lab/clients/sdk-agent.ts'
import { type Outcome, readFlags, runProof, SEED, tally, until } from '../lab/proof.ts'
import { LIFELINE, newServer, SERVER, type Server } from '../lab/server.ts'
import { numberOf, openOrg, openWorld, shops, UNLIMITED, type World } from '../lab/world.ts'
import { SERVER_FLAGS } from '../server-flags.js'
import { compare, Ledger } from './seal-kill/ledger.ts'
import { MOMENTS, SEALING, type Step, type Strike, UNSEALING } from './seal-kill/steps.ts'

const flags = readFlags({
  kills: { type: 'string', default: '50' },
  seed: SEED,
  checks: { type: 'string', default: '12' },
})
const [KILLS, SEED_OF_ALL, CHECKS] = [Number(flags.kills), Number(flags.seed), Number(flags.checks)]
const AGENTS = 3
const STRIKE = new URL('./seal-kill/strike.ts', import.meta.url).href
/** Days of this month, and as many of the month before, which Postgres drops when it is sealed. */
const DAYS = 3
const RUNS_A_DAY = 144
const DAY_MS = 86_400_000
/** Time of a worker before it is killed at random. */
const LIFE_MS = { least: 2000, most: 26_000 }
const POSTGRES_EVERY = 9
/** Number of random kills, while all is sealed, that end a round. */
const IDLE = 2
/** Minimum number of statements at which a process was killed. Some come only by chance. */
const LEAST_KINDS = Math.min(16, Math.floor(KILLS / 3))
const DONE_MS = 300_000

const UNDONE = `
  select (select count(*) from reopened_results) + (select count(*) from rollup_marks)
    + (select count(*) from pg_class where relname like 'retired!_%' escape '!' and relkind = 'r')
    + (select count(*) from seal_progress where not isfinite(settled) or sealed_until < settled) as count`

const SEALED = 'select count(*) from seal_progress where is_on and isfinite(settled) and sealed_until >= settled'

interface Stage {
  world: World
  worker: Server
  /** Environment of the worker's next process. */
  env: Record<string, string>
  /** Resolves when the worker has killed itself. */
  struck: () => Promise<true>
  faults: string[]
  kills: Map<string, number>
  done: number
  /** File for the statement at which a process kills itself. */
  tell_in: string
}

await runProof('seal-kill', 600_000 + KILLS * 90_000, async (undo) => {
  const world = await openWorld(undo)
  const { deps } = world
  const org = await openOrg(deps, 'o')
  const guids = await org.addChecks(shops('shop', CHECKS))
  const base = { SEAL_HOURS: 'on', ADDRESS_RATE_LIMIT: 'off', ...UNLIMITED }
  const { url: baseUrl } = await world.serve(base, { name: 'web', role: 'web' })
  const ledger = new Ledger()
  const ending = new AbortController()
  const agents: Agent[] = []
  for (let n = 0; n < AGENTS; n++) {
    const enrolling = new MonitorClient({ baseUrl, token: org.enrollment_token })
    const { api_key, monitor_id } = await enrolling.enroll({ ...PLACE, name: `agent ${n}` })
    const client = new MonitorClient({ baseUrl, token: api_key })
    agents.push({ client, monitor_id, d: dice(SEED_OF_ALL + 1 + n) })
  }
  for (const agent of agents) await bringHistory(ledger, agent, guids)
  const work = agents.map((agent) => report(ledger, agent, guids, ending.signal))
  const stage = await startWorker(world, base)
  await killAll(stage, dice(SEED_OF_ALL))
  ending.abort()
  await Promise.all(work)
  const isDone = await until(async () => (await numberOf(deps, UNDONE)) === 0, DONE_MS)
  const client = new AccountClient({ baseUrl, token: (await createPersonalToken(deps, org.org_id)).token })
  const found = await compare(ledger, { deps, org_id: org.org_id, guids, client })
  const kinds = [...stage.kills.keys()].filter((name) => name in SEALING || name in UNSEALING).length
  const sealed = await numberOf(deps, 'select count(*) from sealed_hours')
  const outcome: Outcome = {
    faults: [
      ...world.ends,
      ...stage.faults,
      ...ledger.faults,
      ...found.faults,
      !isDone && 'not everything was sealed and merged at the end',
      kinds < LEAST_KINDS && `killed at ${kinds} of the statements, which should be ${LEAST_KINDS}`,
      sealed === 0 && 'nothing was sealed: that is no trial',
    ],
    figures: [
      `${stage.done} kills (seed ${SEED_OF_ALL})`,
      tally(stage.kills),
      `${ledger.rows.size} results acknowledged, ${ledger.repeats} repeated with other content, ${sealed} sealed rows`,
      `${found.lost} lost, ${found.beyond} twice or changed`,
    ],
  }
  return outcome
})

interface Agent {
  client: MonitorClient
  monitor_id: string
  d: Dice
}

/** Uploads the days of an agent that was away. */
async function bringHistory(ledger: Ledger, { client, monitor_id, d }: Agent, guids: readonly string[]): Promise<void> {
  const now = new Date()
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const step = DAY_MS / RUNS_A_DAY
  for (const end of [month, now.getTime()]) {
    for (const guid of guids) {
      const rows = Array.from({ length: DAYS * RUNS_A_DAY }, (_, n) =>
        ledger.make(guid, monitor_id, Math.floor(end - (n + 1) * step) + d.below(step / 2), d),
      )
      await ledger.upload(client, rows)
    }
  }
}

/** Uploads current results, old ones, and acknowledged ones once more. */
async function report(ledger: Ledger, agent: Agent, guids: readonly string[], signal: AbortSignal): Promise<void> {
  const { client, monitor_id, d } = agent
  const used = new Set<number>()
  const fresh = (at: number): number => (used.has(at) || !used.add(at) ? fresh(at + 1) : at)
  while (!signal.aborted) {
    const now = Date.now()
    const late = now - d.below(DAYS * DAY_MS)
    const at = fresh(d.below(3) === 0 ? late : now)
    const rows = d.some(guids, CHECKS).map((guid) => ledger.make(guid, monitor_id, at, d))
    await ledger.upload(client, rows)
    if (d.below(5) === 0) await ledger.repeat(client, monitor_id, d)
    await pause(200)
  }
}

async function startWorker(world: World, base: Record<string, string>): Promise<Stage> {
  const own = { DATABASE_URL: world.url, LOG_LEVEL: 'fatal', NODE_OPTIONS: `--import ${STRIKE}`, PROOF_STRIKE: '' }
  const env: Record<string, string> = { ...base, ...own }
  const faults: string[] = []
  let tell = (_: true) => {}
  const onEnd = (fault: string): void => {
    if (env.PROOF_STRIKE !== '' && fault.endsWith('with null')) tell(true)
    else faults.push(fault)
  }
  const worker = newServer({ name: 'worker', role: 'worker', env, onEnd }, world.undo)
  await worker.start()
  const struck = () => new Promise<true>((resolve) => void (tell = resolve))
  return { world, worker, env, struck, faults, kills: new Map(), done: 0, tell_in: join(world.folder, 'struck') }
}

/** Seals and unseals hours in rounds. In a round the worker dies at each statement as often as there were rounds, or at random if none of them comes. */
async function killAll(stage: Stage, d: Dice): Promise<void> {
  const { deps, postgres } = stage.world
  for (let round = 1; stage.done < KILLS; round++) {
    for (let idle = 0; stage.done < KILLS && idle < IDLE; ) {
      if (stage.done % POSTGRES_EVERY === POSTGRES_EVERY - 1) {
        await pause(d.below(LIFE_MS.most))
        await postgres.kill()
        await postgres.start()
        count(stage, 'of Postgres')
      } else if (await killWorker(stage, d, round)) idle = 0
      else if ((await numberOf(deps, SEALED)) > 0) idle += 1
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

/** Chooses the statements at which processes were killed less often than there were rounds. */
function strikeAt({ kills, tell_in }: Stage, all: Readonly<Record<string, Step>>, d: Dice, round: number): string {
  const steps = Object.fromEntries(Object.entries(all).filter(([name]) => (kills.get(name) ?? 0) < round))
  return JSON.stringify({ steps, moment: d.one(MOMENTS), tell_in } satisfies Strike)
}

async function countStruck(stage: Stage): Promise<void> {
  const [name = '', moment = ''] = (await readFile(stage.tell_in, 'utf8')).split(', ')
  count(stage, name, `, ${moment}`)
}

/** Returns false if the worker was killed at random, because no chosen statement came. */
async function killWorker(stage: Stage, d: Dice, round: number): Promise<boolean> {
  const struck = stage.struck()
  await restart(stage, strikeAt(stage, SEALING, d, round))
  const life_ms = LIFE_MS.least + d.below(LIFE_MS.most - LIFE_MS.least)
  const isStruck = await Promise.race([struck, pause(life_ms, false, { ref: false })])
  await stage.worker.kill()
  if (isStruck) await countStruck(stage)
  else count(stage, 'at random')
  return isStruck
}

/** Kills the command that unseals until it comes to its end, and allows sealing again. The worker runs beside it. */
async function killUnsealing(stage: Stage, d: Dice, round: number): Promise<void> {
  await restart(stage, '')
  for (const act of ['unseal', 'seal'] as const) {
    for (;;) {
      const strike = act === 'unseal' && stage.done < KILLS ? strikeAt(stage, UNSEALING, d, round) : ''
      const args = [...SERVER_FLAGS, '--import', LIFELINE, '--import', STRIKE, SERVER, 'results', act]
      const env = { PATH: process.env.PATH, DATABASE_URL: stage.world.url, PROOF_STRIKE: strike, LOG_LEVEL: 'fatal' }
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      const [code] = (await once(child, 'exit')) as [number | null]
      if (code !== null || strike === '') {
        if (code !== 0) stage.faults.push(`dogwatch results ${act} ended with ${code}`)
        break
      }
      await countStruck(stage)
    }
  }
}
