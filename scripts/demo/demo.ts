// The demo of `npm start`: an org, a site to watch, checks on it, an agent that runs them, and a job that pings its
// heartbeat. Everything goes through the operator commands and HTTP, as it would for an operator or the author of an
// agent.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { AGENT_FLAGS } from '../../packages/agent/bin/node-flags.js'
import { JOB, type Job, startJob } from './job.ts'
import { openSite, type Site } from './site.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const DOGWATCH = join(root, 'packages', 'server', 'dist', 'bin', 'dogwatch.js')
const AGENT = join(root, 'packages', 'agent', 'dist', 'main.js')
const OWNER = 'demo@example.com'
const INTERVAL_SEC = 30
const FIRST_RUN_AFTER_SEC = 4
const AGENT_STOP_MS = 15_000

interface Remembered {
  /** Password of the demo's owner. Absent in a demo that was made before there were pages. */
  password?: string | undefined
  org_id: number
  token: string
  site_port: number
  guids: string[]
  /** The path of its heartbeat's ping URL. */
  ping_path?: string
  /** False: the server's built-in monitor runs the checks. Absent in a demo that was made before there was one. */
  has_own_agent?: boolean
}

export interface Demo {
  /** Reads the demo's org through the account API. */
  token: string
  /** Opens its pages in a browser. */
  owner: { email: string; password: string } | undefined
  /** The check that the demo agent runs first. */
  first_guid: string
  stop(): Promise<void>
}

export interface DemoPlace {
  data_dir: string
  server_url: string
  /** The settings for the operator commands, as flags. */
  settings: readonly string[]
  /** Whether the server runs its built-in monitor. */
  has_local_monitor: boolean
}

/** Makes the demo in an empty database, or continues with an earlier one. Undefined when there is other data. */
export async function runDemo(place: DemoPlace): Promise<Demo | undefined> {
  const folder = join(place.data_dir, 'demo')
  const file = join(folder, 'demo.json')
  const before = await readFile(file, 'utf8').then(
    (content) => JSON.parse(content) as Remembered,
    () => undefined,
  )
  const organisations = (await operate(place, ['org', 'list'])) as { org_id: number; name: string }[]
  const goesOn = organisations.some(({ org_id, name }) => org_id === before?.org_id && name === 'Demo')
  if (organisations.length > 0 && !goesOn) return undefined
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const known = goesOn ? before : undefined
  const site = await openSite(known?.site_port ?? 0)
  try {
    const password = known ? known.password : randomBytes(12).toString('base64url')
    const org_id = known?.org_id ?? (await createOrg(place, password))
    const token = known?.token ?? (await createToken(place, org_id))
    const guids = await importChecks(place, org_id, site, known?.guids)
    const ping_path = known?.ping_path ?? (await createHeartbeat(place, org_id))
    const has_own_agent = !place.has_local_monitor || (known ? known.has_own_agent !== false : false)
    const remembered: Remembered = {
      password,
      org_id,
      token,
      site_port: Number(new URL(site.url).port),
      guids,
      ping_path,
      has_own_agent,
    }
    await writeFile(file, JSON.stringify(remembered), { mode: 0o600 })
    const agent = has_own_agent ? await startAgent(place, org_id, await openStateDir(place, org_id, guids)) : undefined
    const job = startJob(new URL(ping_path, place.server_url).href)
    const owner = password === undefined ? undefined : { email: OWNER, password }
    return { token, owner, first_guid: guids[0] ?? '', stop: () => stop(agent, job, site) }
  } catch (error) {
    await site.close()
    throw error
  }
}

/** A new database does not know an identity that was left behind. */
async function openStateDir(place: DemoPlace, org_id: number, guids: readonly string[]): Promise<string> {
  const name = createHash('sha256').update(guids.join()).digest('hex').slice(0, 8)
  const stateDir = join(place.data_dir, 'demo', `dogwatch-agent-${org_id}-${name}`)
  await followServer(stateDir, place.server_url)
  return stateDir
}

async function createOrg(place: DemoPlace, password = ''): Promise<number> {
  const args = ['org', 'create', '--name', 'Demo', '--plan', 'team', '--owner-email', OWNER, '--owner-password-stdin']
  return ((await operate(place, args, `${password}\n`)) as { org_id: number }).org_id
}

async function createToken(place: DemoPlace, org_id: number): Promise<string> {
  return ((await operate(place, ['api-token', 'create', '--org', String(org_id)])) as { token: string }).token
}

/** Only the path: the server may have another address next time. */
async function createHeartbeat(place: DemoPlace, org_id: number): Promise<string> {
  const { name, interval_sec, grace_sec } = JOB
  const rhythm = ['--interval-sec', String(interval_sec), '--grace-sec', String(grace_sec)]
  const args = ['heartbeat', 'create', '--org', String(org_id), '--name', name, ...rhythm]
  return new URL(((await operate(place, args)) as { ping_url: string }).ping_url).pathname
}

async function importChecks(place: DemoPlace, org_id: number, site: Site, known?: string[]): Promise<string[]> {
  const guids = known ?? [guidDueSoon(), randomUUID(), randomUUID(), randomUUID()]
  const pages = [
    { name: 'Demo shop', path: '/', match_string: 'All is well' },
    { name: 'Demo health', path: '/health', match_string: '"ok"' },
    { name: 'Demo slow page', path: '/slow', max_response_time_ms: 2000 },
    { name: 'Demo checkout', path: '/checkout' },
  ]
  const file = pages.map(({ path, ...rest }, i) => ({
    guid: guids[i],
    url: site.url + path,
    interval_sec: INTERVAL_SEC,
    ...rest,
  }))
  const args = ['check', 'import', '--org', String(org_id), '--file', '-', '--monitors', 'all']
  return ((await operate(place, args, JSON.stringify(file))) as { guids: string[] }).guids
}

/** A guid whose turn comes in a few seconds: the rotation derives a check's phase from its guid. */
function guidDueSoon(): string {
  for (;;) {
    const guid = randomUUID()
    const phase = (createHash('sha256').update(guid).digest().readUInt32BE(0) / 2 ** 32) * INTERVAL_SEC
    const wait = (((phase - Date.now() / 1000) % INTERVAL_SEC) + INTERVAL_SEC) % INTERVAL_SEC
    if (wait > FIRST_RUN_AFTER_SEC && wait < FIRST_RUN_AFTER_SEC + 1) return guid
  }
}

/** The agent's identity names its server. Ours is the same server, whatever its address is this time. */
async function followServer(stateDir: string, server: string): Promise<void> {
  const file = join(stateDir, 'identity.json')
  const identity = await readFile(file, 'utf8').then(
    (content) => JSON.parse(content) as object,
    () => undefined,
  )
  if (identity) await writeFile(file, JSON.stringify({ ...identity, base_url: server }))
}

async function startAgent(place: DemoPlace, org_id: number, stateDir: string): Promise<ChildProcess> {
  const args = ['enrollment-token', 'create', '--org', String(org_id), '--ttl-sec', '600']
  const { token } = (await operate(place, args)) as { token: string }
  const log = await open(join(place.data_dir, 'demo', 'agent.log'), 'a')
  const where = ['--name', 'demo agent', '--region', 'local', '--country', 'local', '--city', 'this machine']
  // The demo's site is on this machine, so it says nothing about being online.
  const flags = ['--server', place.server_url, '--state-dir', stateDir, ...where, '--connectivity', 'off']
  const agent = spawn(process.execPath, [...AGENT_FLAGS, AGENT, ...flags], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '64', DOGWATCH_ENROLLMENT_TOKEN: token },
    stdio: ['ignore', log.fd, log.fd],
  })
  await once(agent, 'spawn')
  await log.close()
  return agent
}

/** Runs one operator command on the database of the server, and reads its answer. */
async function operate({ settings }: DemoPlace, args: readonly string[], input = ''): Promise<unknown> {
  const child = spawn(process.execPath, [DOGWATCH, ...args, ...settings], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const ended = once(child, 'close') as Promise<[number | null]>
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0)
    throw new Error(`dogwatch ${args.slice(0, 2).join(' ')}: ${err.trim() || `ended with ${String(code)}`}`)
  return JSON.parse(out)
}

async function stop(agent: ChildProcess | undefined, job: Job, site: Site): Promise<void> {
  await job.stop()
  if (agent && agent.exitCode === null && agent.signalCode === null) {
    const ended = once(agent, 'exit')
    agent.kill('SIGTERM')
    const timer = setTimeout(() => agent.kill('SIGKILL'), AGENT_STOP_MS)
    await ended
    clearTimeout(timer)
  }
  await site.close()
}
