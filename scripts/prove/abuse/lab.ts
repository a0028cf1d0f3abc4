// Sets the stage of the stories of abuse: a server with default limits, an honest tenant in a thread of its own, and an attacker who is a
// tenant too. Each client has an address of its own in 127.0.0.0/8.
import { Worker } from 'node:worker_threads'
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { setStatusPage } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import { editStatusPage } from '../../../packages/server/dist/domain/status-page/edit.js'
import { countBy, tally, type Texts, type Undo } from '../../lab/proof.ts'
import { heartbeatOf, numberOf, type Org, openOrg, shops, type World } from '../../lab/world.ts'
import { send } from './crowd.ts'
import type { HonestPlan, HonestReport } from './honest.ts'

export interface Lab {
  port: number
  /** Duration of an attack. */
  seconds: number
  deps: Deps
  undo: Undo
  /** Organisation of the attacker, on the smallest plan. */
  attacker: Org
  ping_token: string
  /** Returns the attacker's checks, as many as its plan has. */
  makeChecks(): Promise<string[]>
}

export interface StoryOutcome {
  figures: string[]
  /** Faults other than those of the honest tenant. */
  faults?: Texts
}

export type Story = (lab: Lab) => Promise<StoryOutcome>

export interface Honest {
  /** Returns what happened since the last report. */
  report(): Promise<HonestReport>
  /** Returns the number of its heartbeats that ever went down. */
  downs(): Promise<number>
}

const PINGED_EVERY_SEC = 2
const JOBS = 10
/** Pause after a refusal, so that an attack continues at the rate that the server allows. */
const REFUSED_MS = 100

export async function openLab({ deps, undo }: World, port: number, seconds: number): Promise<Lab> {
  const attacker = await openOrg(deps, 'greedy', 'free')
  const { token: ping_token } = await createHeartbeat(deps, attacker.org_id, heartbeatOf('flood', 3600, 3))
  let guids: string[] = []
  const makeChecks = async () => {
    const more = () => ({ url: 'https://example.com/', interval_sec: 120, result_detail_max_chars: 1000 })
    if (guids.length === 0) guids = await attacker.addChecks(shops('check', 10, more))
    return guids
  }
  return { port, seconds, deps, undo, attacker, ping_token, makeChecks }
}

/** Starts a tenant that does what tenants do. */
export async function startHonest({ deps, port, undo }: Lab): Promise<Honest> {
  const { org_id, owner_id } = await openOrg(deps, 'honest')
  const ping_tokens: string[] = []
  for (let n = 0; n < JOBS; n++) {
    ping_tokens.push((await createHeartbeat(deps, org_id, heartbeatOf(`job ${n}`, PINGED_EVERY_SEC, 3))).token)
  }
  const slug = 'honest-page'
  await editStatusPage(deps, org_id, { slug, title: 'Honest', description: '', entries: [] })
  await setStatusPage(deps, org_id, true)
  const plan: HonestPlan = {
    ...{ port, slug, ping_tokens, ping_every_ms: PINGED_EVERY_SEC * 1000 },
    personal_token: (await createPersonalToken(deps, org_id)).token,
    config_token: (await createConfigurationToken(deps, org_id, { name: 'script', scopes: ['write'] })).token,
    cookie: await sessionOf(deps, { org_id, owner_id }),
  }
  const worker = new Worker(new URL('./honest.ts', import.meta.url), { workerData: plan })
  undo(() => worker.terminate())
  return {
    report: () =>
      new Promise((resolve) => {
        worker.once('message', resolve)
        worker.postMessage('report')
      }),
    downs: () => numberOf(deps, "select count(*) from events where org_id = $1 and type = 'heartbeat.down'", org_id),
  }
}

/** Returns the cookie of a new session of an owner. */
export async function sessionOf(deps: Deps, { org_id, owner_id }: Pick<Org, 'org_id' | 'owner_id'>): Promise<string> {
  return `dogwatch-session=${await openSession(deps, owner_id, org_id)}`
}

export async function databaseMb({ deps }: Lab): Promise<number> {
  return numberOf(deps, 'select pg_database_size(current_database())::float8 / 1e6')
}

/** A request to the configuration API, or to a status page. */
export interface Attack {
  method: string
  path: string
  body?: object
  headers?: Record<string, string>
}

/** A client of the configuration API that may do everything in an organisation. */
export interface Attacker {
  send(address: string, attack: Attack): ReturnType<typeof send>
  /** Sends requests from some addresses of a network until the time runs out. Returns the statuses in words. */
  flood(network: string, lanes: number, next: (n: number) => Attack): Promise<string>
}

export async function openAttacker({ deps, port, seconds }: Lab, org_id: number): Promise<Attacker> {
  const { token } = await createConfigurationToken(deps, org_id, { name: 'attack', scopes: ['read', 'write'] })
  const sendOne: Attacker['send'] = (address, { method, path, body, headers }) =>
    send({
      ...{ port, address, method, body: body && JSON.stringify(body) },
      path: path.startsWith('/status/') ? path : `/config-api/v1${path}`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    })
  return {
    send: sendOne,
    flood: async (network, lanes, next) => {
      const statuses: number[] = []
      const end = performance.now() + seconds * 1000
      let [n, slowest_ms] = [0, 0]
      const lane = async (_: unknown, index: number) => {
        while (performance.now() < end) {
          const { status, ms } = await sendOne(`${network}.${index + 1}`, next(n++))
          statuses.push(status)
          slowest_ms = Math.max(slowest_ms, ms)
          if (status === 429 || status === 503) await new Promise((resolve) => setTimeout(resolve, REFUSED_MS))
        }
      }
      await Promise.all(Array.from({ length: lanes }, lane))
      return `${tally(countBy(statuses, (status) => `with ${status}`))}, the slowest after ${slowest_ms.toFixed(0)} ms`
    },
  }
}
