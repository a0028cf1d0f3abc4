// Proves that sealing loses nothing, whatever is killed with -9: the worker at chosen statements and at random, and Postgres. At the same time
// agents upload current results, results of earlier days, and repeats with other content. At the end the export is what was acknowledged, and
// the history is what the results say.
// npm run prove -- seal-kill [--kills N] [--seed N]
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AccountClient } from '../../packages/account-sdk/dist/index.js'
import { createPersonalToken } from '../../packages/domain/dist/organisations/personal-tokens.js'
import { MonitorClient, type Result } from '../../packages/monitor-sdk/dist/index.js'
import { type Dice, dice } from '../../packages/runtime/test/support/dice.ts'
import { PLACE } from '../lab/clients/sdk-agent.ts'
import { differingHistory } from '../lab/history.ts'
import { countBy, readFlags, runProof, SEED, tally, until } from '../lab/proof.ts'
import { newServer, type Server } from '../lab/server.ts'
import { keyOf, numberOf, openOrg, openWorld, shops, UNLIMITED, type World } from '../lab/world.ts'
import { MOMENTS, type Strike } from './seal-kill/strike.ts'

const flags = readFlags({ kills: { type: 'string', default: '50' }, seed: SEED })
const [KILLS, SEED_OF_ALL] = [Number(flags.kills), Number(flags.seed)]
const [AGENTS, CHECKS] = [3, 12]
const STRIKE = new URL('./seal-kill/strike.ts', import.meta.url).href
/** Number of days with results in this month, and in the previous month, whose partition Postgres drops after sealing. */
const DAYS = 3
const RUNS_A_DAY = 144
const DAY_MS = 86_400_000
/** Time after which a worker is killed at random, in milliseconds. */
const LIFE_MS = { least: 2000, most: 26_000 }
const POSTGRES_EVERY = 9
/**
 * Number of kills at each statement while hours remain to be sealed. Afterwards, {@link IDLE} random kills in a row allow one more
 * at each.
 */
const TIMES = Math.max(1, Math.floor(KILLS / 25))
const IDLE = 2
/** Minimum number of different statements at which the worker must have been killed. Some statements run only by chance. */
const LEAST_KINDS = Math.min(16, Math.floor(KILLS / 3))
const DONE_MS = 300_000
const [OF_POSTGRES, AT_RANDOM] = ['of Postgres', 'at random']
const SAMPLES = ['<!doctype html><title>Shop</title>', '{"status":"ok"}', 'ungültig ✓ "\\n"', 'x'.repeat(200)]

const UNDONE = `
  select (select count(*) from reopened_results) + (select count(*) from rollup_marks)
    + (select count(*) from pg_class where relname like 'retired!_%' escape '!' and relkind = 'r')
    + (select count(*) from seal_progress where not isfinite(settled) or sealed_until < settled) as count`

const SEALED = 'select count(*) from seal_progress where is_on and isfinite(settled) and sealed_until >= settled'

interface Stage {
  world: World
  guids: readonly string[]
  worker: Server
  /** Environment of the worker at its next start. */
  env: Record<string, string>
  /** File that names the statement when the worker has killed itself at it. */
  tell_in: string
  /** Acknowledged results by their keys. */
  rows: Map<string, Result>
  repeats: number
  kills: string[]
  faults: string[]
}

await runProof('seal-kill', 600_000 + KILLS * 90_000, async (undo) => {
  const world = await openWorld(undo)
  const { deps, url } = world
  const org = await openOrg(deps, 'o')
  const base = { ADDRESS_RATE_LIMIT: 'off', ...UNLIMITED }
  const { url: baseUrl } = await world.serve(base, { name: 'web', role: 'web' })
  const env: Record<string, string> = { ...base, DATABASE_URL: url, LOG_LEVEL: 'fatal', PROOF_STRIKE: '' }
  const faults: string[] = []
  // Ignores an end without an exit code, because the worker kills itself.
  const onEnd = (fault: string) => void (fault.endsWith('with null') || faults.push(fault))
  const worker = newServer({ name: 'worker', role: 'worker', env, flags: ['--import', STRIKE], onEnd }, undo)
  const stage: Stage = {
    ...{ world, guids: await org.addChecks(shops('shop', CHECKS)), worker, env, tell_in: join(world.folder, 'struck') },
    ...{ rows: new Map(), repeats: 0, kills: [], faults },
  }
  const agents: Agent[] = []
  for (let n = 0; n < AGENTS; n++) {
    const enrolling = new MonitorClient({ baseUrl, token: org.enrollment_token })
    const { api_key, monitor_id } = await enrolling.enroll({ ...PLACE, name: `agent ${n}` })
    const agent = { client: new MonitorClient({ baseUrl, token: api_key }), monitor_id, d: dice(SEED_OF_ALL + 1 + n) }
    await bringHistory(stage, agent)
    agents.push(agent)
  }
  const ending = new AbortController()
  const work = agents.map((agent) => report(stage, agent, ending.signal))
  await killAll(stage, dice(SEED_OF_ALL))
  ending.abort()
  await Promise.all(work)
  const isDone = await until(async () => (await numberOf(deps, UNDONE)) === 0, DONE_MS)
  const client = new AccountClient({ baseUrl, token: (await createPersonalToken(deps, org.org_id)).token })
  const { lost, beyond, ...compared } = await compareExport(stage, client)
  const kinds = new Set(stage.kills.filter((name) => name !== OF_POSTGRES && name !== AT_RANDOM)).size
  const sealed = await numberOf(deps, 'select count(*) from sealed_hours')
  return {
    faults: [
      ...world.ends,
      ...faults,
      ...compared.faults,
      ...(await differingHistory(deps, org.org_id)),
      !isDone && 'not everything was sealed and merged at the end',
      kinds < LEAST_KINDS && `killed at ${kinds} of the statements, which should be ${LEAST_KINDS}`,
      sealed === 0 && 'nothing was sealed: that is no trial',
    ],
    figures: [
      `${stage.kills.length} kills (seed ${SEED_OF_ALL})`,
      tally(countBy(stage.kills, (name) => name.slice(0, 60))),
      `${stage.rows.size} results acknowledged, ${stage.repeats} repeated with other content, ${sealed} sealed rows`,
      `${lost} lost, ${beyond} twice or changed`,
    ],
  }
})

interface Agent {
  client: MonitorClient
  monitor_id: string
  d: Dice
}

function makeResult(check_guid: string, { monitor_id, d }: Agent, at: number): Result {
  const outcome = d.below(9) > 0 ? { success: true } : { success: false, error: 'status: the status is 503' }
  const seen = { latency_ms: d.below(70_000), response_sample: d.one(SAMPLES) }
  return { check_guid, monitor_id, ran_at: new Date(at).toISOString(), http_status: 200, ...seen, ...outcome }
}

/** Uploads results again and again until the server acknowledges them. */
async function upload({ rows, faults }: Stage, { client }: Agent, results: readonly Result[]): Promise<void> {
  const sent = await until(async () => {
    const answer = await client.upload(results).catch(() => undefined)
    if (answer && answer.accepted !== results.length) faults.push(`only ${answer.accepted} results were accepted`)
    return answer !== undefined
  }, DONE_MS)
  if (!sent) throw new Error('an upload was refused all the time')
  for (const result of results) rows.set(keyOf(result), result)
}

/** Uploads the results of several days, as an agent does that was offline. */
async function bringHistory(stage: Stage, agent: Agent): Promise<void> {
  const now = new Date()
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  const step = DAY_MS / RUNS_A_DAY
  for (const end of [month, now.getTime()]) {
    for (const guid of stage.guids) {
      const times = Array.from({ length: DAYS * RUNS_A_DAY }, (_, n) => end - (n + 1) * step + agent.d.below(step / 2))
      await upload(
        stage,
        agent,
        times.map((at) => makeResult(guid, agent, at)),
      )
    }
  }
}

/**
 * Uploads current results, results of earlier days, and acknowledged results once more with other content, which the server must
 * ignore.
 */
async function report(stage: Stage, agent: Agent, signal: AbortSignal): Promise<void> {
  const { d, client, monitor_id } = agent
  const used = new Set<number>()
  const fresh = (at: number): number => (used.has(at) || !used.add(at) ? fresh(at + 1) : at)
  for (; !signal.aborted; await pause(200)) {
    const at = fresh(Date.now() - (d.below(3) === 0 ? d.below(DAYS * DAY_MS) : 0))
    const guids = d.some(stage.guids, CHECKS)
    await upload(
      stage,
      agent,
      guids.map((guid) => makeResult(guid, agent, at)),
    )
    if (d.below(5) > 0) continue
    const own = [...stage.rows.values()].filter((row) => row.monitor_id === monitor_id)
    const changed = d.some(own, 100).map((row) => makeResult(row.check_guid, agent, Date.parse(row.ran_at)))
    await client.upload(changed).catch(() => {})
    stage.repeats += changed.length
  }
}

/**
 * Kills the worker at each statement until it was killed there often enough, or at random if the worker does not reach such a
 * statement. Then lets it finish the work.
 */
async function killAll(stage: Stage, d: Dice): Promise<void> {
  const { kills, worker, world } = stage
  for (let [times, idle] = [TIMES, 0]; kills.length < KILLS; ) {
    if (kills.length % POSTGRES_EVERY === POSTGRES_EVERY - 1) {
      await pause(d.below(LIFE_MS.most))
      await world.postgres.kill()
      await world.postgres.start()
      kills.push(OF_POSTGRES)
      continue
    }
    await restart(stage, strikeAt(stage, d, times))
    const life_ms = LIFE_MS.least + d.below(LIFE_MS.most - LIFE_MS.least)
    await Promise.race([once(worker.child, 'exit'), pause(life_ms)])
    await worker.kill()
    kills.push(struckIn(stage) ?? AT_RANDOM)
    if (kills.at(-1) !== AT_RANDOM) idle = 0
    else if ((await numberOf(world.deps, SEALED)) > 0) idle += 1
    if (idle === IDLE) [times, idle] = [times + 1, 0]
  }
  await restart(stage, '')
}

async function restart({ worker, env }: Stage, strike: string): Promise<void> {
  await worker.kill()
  env.PROOF_STRIKE = strike
  await worker.start()
}

/** Tells the worker to kill itself at a statement at which it was killed fewer times than this. */
function strikeAt({ kills, tell_in }: Stage, d: Dice, times: number): string {
  rmSync(tell_in, { force: true })
  const known = [...countBy(kills, (name) => name)].flatMap(([name, count]) => (count < times ? [] : [name]))
  return JSON.stringify({ known, moment: d.one(MOMENTS), tell_in } satisfies Strike)
}

/** Returns the statement at which the worker has killed itself. */
function struckIn({ tell_in }: Stage): string | undefined {
  return existsSync(tell_in) ? readFileSync(tell_in, 'utf8') : undefined
}

/** Counts the acknowledged results that are missing in the export, and those that are in it twice or changed. */
async function compareExport({ rows, guids }: Stage, client: AccountClient) {
  const exported = (await client.export()).results as Record<string, Omit<Result, 'check_guid'>[]>
  const lineOf = ({ check_guid, monitor_id, ran_at, success, latency_ms, response_sample }: Result) =>
    `${check_guid} ${Date.parse(ran_at)} ${monitor_id} ${success} ${latency_ms} ${response_sample}`
  const left = countBy(rows.values(), lineOf)
  for (const guid of guids) {
    for (const one of exported[guid] ?? []) {
      const line = lineOf({ ...one, check_guid: guid })
      left.set(line, (left.get(line) ?? 0) - 1)
    }
  }
  const [missing, more] = [[...left].filter(([, count]) => count > 0), [...left].filter(([, count]) => count < 0)]
  return {
    ...{ lost: missing.length, beyond: more.length },
    faults: [
      ...missing.slice(0, 5).map(([line]) => `lost: ${line}`),
      ...more.slice(0, 5).map(([line]) => `too many: ${line}`),
    ],
  }
}
