// Prepares the attacks: a server with default limits, an honest tenant, and an attacker who is a tenant, too. Each client has an
// address of its own in 127.0.0.0/8.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createConfigurationToken } from '../../../packages/domain/dist/configuration/tokens.js'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { setStatusPage } from '../../../packages/domain/dist/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/domain/dist/organisations/personal-tokens.js'
import { editStatusPage } from '../../../packages/domain/dist/status-page/edit.js'
import { countBy, tally, type Undo } from '../../lab/proof.ts'
import { numberOf, type Org, openOrg, shops, type World } from '../../lab/world.ts'
import type { HonestPlan, HonestRequest } from './honest.ts'

export interface Lab {
  port: number
  url: string
  /** Duration of an attack. */
  seconds: number
  deps: Deps
  /** Organisation of the attacker, on the smallest plan. */
  attacker: Org
  ping_token: string
  /** Guids of the attacker's checks, as many as its plan has. */
  guids: readonly string[]
  undo: Undo
  /** Records a fault that the honest tenant noticed. */
  fault(what: string): void
}

const PINGED_EVERY_SEC = 2
const JOBS = 10

export async function openLab({ deps, undo }: World, port: number, seconds: number, fault: Lab['fault']): Promise<Lab> {
  const attacker = await openOrg(deps, 'greedy', 'free')
  const { token: ping_token } = await attacker.addHeartbeat('flood', 3600, 3)
  const more = () => ({ url: 'https://example.com/', interval_sec: 120, result_detail_max_chars: 1000 })
  const guids = await attacker.addChecks(shops('check', 10, more))
  return { port, url: `http://127.0.0.1:${port}`, seconds, deps, attacker, ping_token, guids, undo, fault }
}

/** Starts an honest tenant, who does what tenants usually do. */
export async function startHonest({ deps, port, undo }: Lab) {
  const { org_id, signIn, addHeartbeat } = await openOrg(deps, 'honest')
  const ping_tokens: string[] = []
  for (let n = 0; n < JOBS; n++) {
    ping_tokens.push((await addHeartbeat(`job ${n}`, PINGED_EVERY_SEC, 3)).token)
  }
  const slug = 'honest-page'
  await editStatusPage(deps, org_id, { slug, title: 'Honest', description: '', entries: [] })
  await setStatusPage(deps, org_id, true)
  const plan: HonestPlan = {
    ...{ port, slug, ping_tokens, ping_every_ms: PINGED_EVERY_SEC * 1000 },
    personal_token: (await createPersonalToken(deps, org_id)).token,
    config_token: (await createConfigurationToken(deps, org_id, { name: 'script', scopes: ['write'] })).token,
    cookie: await signIn(),
  }
  const worker = new Worker(new URL('./honest.ts', import.meta.url), { workerData: plan })
  undo(() => worker.terminate())
  return {
    /** Returns the requests of the honest tenant since the last report. */
    report: () =>
      new Promise<HonestRequest[]>((resolve) => {
        worker.once('message', resolve)
        worker.postMessage('report')
      }),
    /** Returns the number of times that a heartbeat of the honest tenant went down. */
    downs: () => numberOf(deps, "select count(*) from events where org_id = $1 and type = 'heartbeat.down'", org_id),
  }
}

export interface CrowdPlan {
  /** First three numbers of the attacker's addresses. */
  network: string
  /** Number of addresses. Default: 1. */
  addresses?: number
  connections: number
  /** Returns the bytes to send on a connection. Called at its start, and after each response. */
  say: () => string
  /** Part of the duration of the attack, from 0 to 1, that this crowd attacks. Default: 1. */
  share?: number
  /** Whether each client pauses after a refusal, so that it attacks at the rate that the server allows. */
  isPatient?: true
}

const REFUSED_MS = 100
/** Pause before a closed connection opens again, in milliseconds, because the attack is no storm of new connections. */
const BACK_MS = 1000
/**
 * Pause between the openings of two connections, in milliseconds, because the system would drop most of them if all opened at
 * once.
 */
const OPEN_EVERY_MS = 0.2

/** Sends the bytes of the plan again and again on many connections. Returns the numbers of their outcomes as text. */
export async function crowd({ port, seconds }: Lab, plan: CrowdPlan): Promise<string> {
  const { network, addresses = 1, connections, say, share = 1, isPatient } = plan
  const statuses: string[] = []
  const sockets = new Set<Socket>()
  let isOver = false
  const open = (n: number): void => {
    if (isOver) return
    const socket = connect({ port, host: '127.0.0.1', localAddress: `${network}.${(n % addresses) + 1}` })
    const speak = (): void => void (socket.writable && socket.write(say()))
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('connect', speak)
    socket.on('data', (bytes: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 12))?.[1]
      if (status === undefined) return
      statuses.push(`with ${status}`)
      if (isPatient && (status === '429' || status === '503')) setTimeout(speak, REFUSED_MS)
      else speak()
    })
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(open, BACK_MS, n)
    })
  }
  const end = pause(seconds * 1000 * share)
  for (let n = 0; n < connections; n++) {
    if (n % 100 === 99) await pause(100 * OPEN_EVERY_MS)
    open(n)
  }
  await end
  isOver = true
  for (const socket of sockets) socket.destroy()
  return `${connections} connections, ${tally(countBy(statuses, (status) => status))}`
}
