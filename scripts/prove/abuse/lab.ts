// What a story of abuse runs in: a real server with default limits, an honest tenant in a thread of its own, and an attacker who
// is a tenant as well. Each client has an address of its own in 127.0.0.0/8.
import { Worker } from 'node:worker_threads'
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { readChecks } from '../../../packages/server/dist/domain/checks/read.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import { createOrganisation, setStatusPage } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createConfigurationToken } from '../../../packages/server/dist/domain/configuration/tokens.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import { editStatusPage } from '../../../packages/server/dist/domain/status-page/edit.js'
import { depsOf } from '../../lab/archive.ts'
import type { Stage } from '../../lab/stage.ts'
import { statusOf } from '../support/memory.ts'
import type { HonestPlan, HonestReport } from './honest.ts'

export interface Lab {
  port: number
  /** How long an attack lasts. */
  seconds: number
  deps: Deps
  /** The attacker's own organisation, on the smallest plan, its owner and a ping URL of it. */
  attacker: { org_id: number; person_id: number; ping_token: string }
  /** The checks of the attacker, as many as its plan has, made when they are first asked for: their guids. */
  makeChecks(): Promise<string[]>
  undo: Stage['undo']
}

export interface Story {
  name: string
  /** Attacks for as long as the lab says, and tells what came of it: one figure each, in words. */
  run(lab: Lab): Promise<string[]>
  /** What was not as it must be in the last run, beside what the honest tenant tells. */
  faults?(): string[]
}

export interface Honest {
  /** What happened since it was asked last. */
  tell(): Promise<HonestReport>
  /** How many of its heartbeats were told as down, since ever. */
  downs(): Promise<number>
  stop(): Promise<unknown>
}

const PINGED_EVERY_SEC = 2
const JOBS = 10

export async function openLab(stage: Stage, { port, seconds }: { port: number; seconds: number }): Promise<Lab> {
  const deps = depsOf(stage)
  const wanted = { name: 'greedy', plan: 'free', owner_email: 'greedy@example.com' }
  const { org_id, owner_id: person_id } = await createOrganisation(deps, wanted)
  const { token: ping_token } = await createHeartbeat(deps, org_id, heartbeat('flood', 3600))
  const makeChecks = async () => {
    const made = await readChecks(deps, org_id)
    if (made.length > 0) return made.map(({ guid }) => guid)
    const file = Array.from({ length: 10 }, (_, n) => ({
      name: `check ${n}`,
      url: 'https://example.com/',
      interval_sec: 120,
      result_detail_max_chars: 1000,
    }))
    return (await importChecks(deps, org_id, file, 'all')).guids
  }
  const attacker = { org_id, person_id, ping_token }
  return { port, seconds, deps, attacker, makeChecks, undo: stage.undo }
}

/** A tenant that does what tenants do: it pings, reads its checks, and somebody looks whether the service is well. */
export async function startHonest({ deps, port, undo }: Lab): Promise<Honest> {
  const wanted = { name: 'honest', plan: 'team', owner_email: 'honest@example.com' }
  const { org_id, owner_id } = await createOrganisation(deps, wanted)
  const { token: personal_token } = await createPersonalToken(deps, org_id)
  const ping_tokens: string[] = []
  for (let n = 0; n < JOBS; n++) {
    const { token } = await createHeartbeat(deps, org_id, heartbeat(`job ${n}`, PINGED_EVERY_SEC))
    ping_tokens.push(token)
  }
  const { token: config_token } = await createConfigurationToken(deps, org_id, { name: 'script', scopes: ['write'] })
  const slug = 'honest-page'
  await editStatusPage(deps, org_id, { slug, title: 'Honest', description: '', entries: [] })
  await setStatusPage(deps, org_id, true)
  const plan: HonestPlan = {
    port,
    personal_token,
    config_token,
    cookie: `dogwatch-session=${await openSession(deps, owner_id, org_id)}`,
    slug,
    ping_tokens,
    ping_every_ms: PINGED_EVERY_SEC * 1000,
  }
  const worker = new Worker(new URL('./honest.ts', import.meta.url), { workerData: plan })
  undo(() => worker.terminate())
  const told = "select count(*)::integer as count from events where org_id = $1 and type = 'heartbeat.down'"
  return {
    tell: () =>
      new Promise((resolve) => {
        worker.once('message', resolve)
        worker.postMessage('tell')
      }),
    downs: async () =>
      (await deps.database.pools.machines.query<{ count: number }>(told, [org_id])).rows[0]?.count ?? 0,
    stop: () => worker.terminate(),
  }
}

/** Megabytes that a process has in memory. */
export function residentMb(pid: number): number {
  return statusOf(pid, 'VmRSS') / 1024
}

function heartbeat(name: string, interval_sec: number) {
  return { name, interval_sec, grace_sec: 3, resend_interval_sec: 0, show_on_status_page: false }
}
