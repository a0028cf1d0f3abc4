// Defines the demo of `npm start`: an organisation with ninety days of invented history, a local site to watch, the monitors that
// watch it, jobs that ping its heartbeats, and an inbox for its alerts.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AGENT_FLAGS } from '../../packages/agent/bin/node-flags.js'
import { editChannel } from '../../packages/domain/dist/channels/edit.js'
import { importChecks } from '../../packages/domain/dist/checks/import.js'
import type { Deps } from '../../packages/domain/dist/deps.js'
import { listAllOrganisations } from '../../packages/domain/dist/organisations/organisation.js'
import { setUp } from '../../packages/server/dist/bin/setup.js'
import type { Config } from '../../packages/server/dist/config.js'
import { checkEntries, type DemoRecord, fill, INBOX_NAME, OWNER } from './fill.ts'
import { Inbox } from './inbox.ts'
import { openSite, type Site } from './site.ts'
import { type DemoHeartbeat, type DemoPorts, HEARTBEATS, STATUS_PAGE } from './story.ts'
import { DEMO_NAME } from './write-history.ts'

const AGENTS = fileURLToPath(new URL('agents.ts', import.meta.url))
const AGENTS_STOP_MS = 15_000
const JOB_MS = 800
const PING_LIMIT_MS = 5000
/** Version of the format of saved demos. A saved demo of another version is not opened. */
const VERSION = 2

interface SavedDemo extends DemoRecord {
  version: typeof VERSION
  ports: DemoPorts
  /** Secret last part of the path at which the demo's inbox accepts webhooks. */
  inbox: string
}

/** A step of the start that takes time. The start of the database comes before these steps. */
export type Stage = 'history' | 'monitors'

export interface Demo {
  /** Token of the account API for the demo's organisation. */
  token: string
  owner: { email: string; password: string }
  inbox_url: string
  status_page: string
  /** Closes the demo's connection to the database. The caller must wait until the server has opened a connection. */
  release(): Promise<void>
  /** Starts the monitors and jobs. Resolves with the guid of the check that ran first. */
  begin(server_url: string): Promise<string>
  stop(): Promise<void>
}

/**
 * Makes the demo in an empty database, or opens the demo that an earlier start made. Throws an error with the reason if there can
 * be no demo.
 */
export async function prepareDemo(config: Config, onStage: (stage: Stage) => void): Promise<Demo> {
  const folder = join(config.data_dir, 'demo')
  const found = await readSaved(folder)
  if (found && (await Inbox.isOpen(found.ports.http, found.inbox))) {
    throw new Error('another "npm start" is running the demo of this data')
  }
  const setup = await setUp(config)
  try {
    const organisations = await listAllOrganisations(setup.deps)
    const isOurs = organisations.some(({ org_id, name }) => org_id === found?.org_id && name === DEMO_NAME)
    if (organisations.length > 0 && !isOurs) throw new Error('the database has other data')
    if (!isOurs) onStage('history')
    const [site, saved] = await openDemo(setup.deps, folder, isOurs ? found : undefined)
    return { ...toDemo(saved, site, folder, onStage), release: setup.close }
  } catch (error) {
    await setup.close()
    throw error
  }
}

async function readSaved(folder: string): Promise<SavedDemo | undefined> {
  try {
    const found = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as SavedDemo
    return (found.version as number | undefined) === VERSION ? found : undefined
  } catch {
    return undefined
  }
}

/** Opens the site and the demo. Makes the demo if there is none, or changes its targets if the ports of the site have changed. */
async function openDemo(deps: Deps, folder: string, found: SavedDemo | undefined): Promise<[Site, SavedDemo]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const secret = found?.inbox ?? randomBytes(12).toString('hex')
  const inbox = await Inbox.open(join(folder, 'inbox.jsonl'), secret)
  const site = await openSite(found?.ports, inbox)
  const { ports } = site
  const inbox_url = site.url + inbox.path
  const save = async (record: DemoRecord): Promise<SavedDemo> => {
    const saved = { ...record, version: VERSION, ports, inbox: secret } as const
    await writeFile(join(folder, 'demo.json'), JSON.stringify(saved), { mode: 0o600 })
    return saved
  }
  try {
    if (!found) {
      const record = await fill(deps, {
        ports,
        inbox_url,
        keep: async (made, letters) => {
          await writeIdentities(folder, made)
          await inbox.fill(letters)
          await save(made)
        },
      })
      return [site, { ...record, version: VERSION, ports, inbox: secret }]
    }
    if (JSON.stringify(ports) === JSON.stringify(found.ports)) return [site, found]
    await importChecks(deps, found.org_id, checkEntries(ports, found.guids))
    const channel = { org_id: found.org_id, id: found.channel_id }
    await editChannel(deps, channel, { name: INBOX_NAME, webhook_url: inbox_url })
    return [site, await save(found)]
  } catch (error) {
    await site.close()
    throw error
  }
}

/** Writes the identity files of the agents. The agents run under supervision, so they follow their server to another address. */
async function writeIdentities(folder: string, { org_id, monitors }: DemoRecord): Promise<void> {
  for (const { key, monitor_id, api_key } of monitors) {
    const dir = join(monitorsOf(folder, org_id), key)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const identity = { base_url: 'http://127.0.0.1', monitor_id, api_key }
    await writeFile(join(dir, 'identity.json'), JSON.stringify(identity), { mode: 0o600 })
  }
}

function monitorsOf(folder: string, org_id: number): string {
  return join(folder, `monitors-${org_id}`)
}

function toDemo(saved: SavedDemo, site: Site, folder: string, onStage: (stage: Stage) => void): Omit<Demo, 'release'> {
  const { token, password, org_id, ping_paths } = saved
  const stopping = new AbortController()
  let jobs: Promise<unknown> | undefined
  let agents: ChildProcess | undefined
  return {
    token,
    owner: { email: OWNER, password },
    inbox_url: `${site.url}/inbox`,
    status_page: `/status/${STATUS_PAGE.slug}`,
    begin: async (server_url) => {
      onStage('monitors')
      agents = await startAgents(server_url, folder, org_id)
      const urls = ping_paths.map((path) => new URL(path, server_url).href)
      jobs = Promise.all(HEARTBEATS.map((heartbeat, n) => runJob(heartbeat, urls[n] ?? '', stopping.signal)))
      // Each line that the agents print is the guid of a check that ran.
      const lines = createInterface(agents.stdout as Readable)
      const [guid] = await Promise.race([once(lines, 'line'), once(agents, 'exit').then(() => [])])
      if (guid === undefined) throw new Error(`its monitors ended: ${join(folder, 'agent.log')} says why`)
      return guid as string
    },
    stop: async () => {
      stopping.abort()
      await jobs
      if (agents) await endAgents(agents)
      await site.close()
    },
  }
}

/** Runs the job of a heartbeat again and again: it pings when it starts and when it has succeeded. */
async function runJob({ every_sec, body }: DemoHeartbeat, url: string, signal: AbortSignal): Promise<void> {
  const ping = async (to: string, text: string): Promise<void> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PING_LIMIT_MS)])
    await (await fetch(to, { method: 'POST', body: text, signal: limit })).text()
  }
  while (every_sec !== undefined && !signal.aborted) {
    try {
      await ping(`${url}/start`, '')
      await sleep(JOB_MS, undefined, { signal })
      await ping(url, body)
    } catch {
      // A job continues even if its pings fail.
    }
    await sleep(every_sec * 1000, undefined, { signal }).catch(() => {})
  }
}

async function startAgents(server_url: string, folder: string, org_id: number): Promise<ChildProcess> {
  const log = await open(join(folder, 'agent.log'), 'a')
  const args = ['--disable-warning=ExperimentalWarning', ...AGENT_FLAGS, AGENTS, server_url, monitorsOf(folder, org_id)]
  const env = { ...process.env, UV_THREADPOOL_SIZE: '64' }
  const agents = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', log.fd] })
  // Ignores the error of writing to agents that have already ended.
  agents.stdin?.on('error', () => {})
  await once(agents, 'spawn')
  await log.close()
  return agents
}

async function endAgents(agents: ChildProcess): Promise<void> {
  if (agents.exitCode !== null || agents.signalCode !== null) return
  const ended = once(agents, 'exit')
  agents.stdin?.end()
  const timer = setTimeout(() => agents.kill('SIGKILL'), AGENTS_STOP_MS)
  await ended
  clearTimeout(timer)
}
