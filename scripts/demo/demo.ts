// The demo of `npm start`: an organisation with ninety days of invented history, a local site to watch, the monitors that watch
// it, jobs that ping its heartbeats, and an inbox for its alerts.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AGENT_FLAGS } from '../../packages/agent/bin/node-flags.js'
import { setUp } from '../../packages/server/dist/bin/setup.js'
import type { Config } from '../../packages/server/dist/config.js'
import { editChannel } from '../../packages/server/dist/domain/channels/edit.js'
import { importChecks } from '../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { listAllOrganisations } from '../../packages/server/dist/domain/organisations/organisation.js'
import { checkEntries, fill, INBOX_NAME, type Made, OWNER } from './fill.ts'
import { DEMO_NAME } from './filling.ts'
import { Inbox } from './inbox.ts'
import { startJobs } from './jobs.ts'
import { openSite, type Site } from './site.ts'
import { type DemoPorts, HEARTBEATS, STATUS_PAGE } from './story.ts'

const AGENTS = fileURLToPath(new URL('agents.ts', import.meta.url))
const AGENTS_STOP_MS = 15_000
/** Demos that were made before this one was like it is are left alone. */
const VERSION = 2

interface Remembered extends Made {
  version: typeof VERSION
  ports: DemoPorts
  /** The last part of the path that takes the webhooks of the channel. */
  inbox: string
}

/** What takes time, once the database runs. */
export type Stage = 'history' | 'monitors'

export interface Demo {
  /** Reads the demo's organisation through the account API. */
  token: string
  owner: { email: string; password: string }
  inbox_url: string
  status_page: string
  /** Starts what watches and pings. Resolves with the guid of the check that was run first. */
  begin(server_url: string): Promise<string>
  stop(): Promise<void>
}

export interface Prepared {
  demo: Demo
  /** Lets go of the database: call it when the server has it. */
  release(): Promise<void>
}

/**
 * Makes the demo in an empty database, or takes up the one that was made before. The server need not run yet. Throws an error that
 * says why there can be no demo.
 */
export async function prepareDemo(config: Config, onStage: (stage: Stage) => void): Promise<Prepared> {
  const folder = join(config.data_dir, 'demo')
  const before = await recall(folder)
  if (before && (await Inbox.isOpen(before.ports.http, before.inbox)))
    throw new Error('another "npm start" is running the demo of this data')
  const setup = await setUp(config)
  try {
    const organisations = await listAllOrganisations(setup.deps)
    const known = organisations.some(({ org_id, name }) => org_id === before?.org_id && name === DEMO_NAME)
      ? before
      : undefined
    if (organisations.length > 0 && !known) throw new Error('the database has other data')
    if (!known) onStage('history')
    const demo = await makeDemo(setup.deps, folder, known)
    return { demo: toDemo(demo, folder, onStage), release: setup.close }
  } catch (error) {
    await setup.close()
    throw error
  }
}

async function recall(folder: string): Promise<Remembered | undefined> {
  try {
    const found = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as Remembered
    return (found.version as number | undefined) === VERSION ? found : undefined
  } catch {
    return undefined
  }
}

interface Standing {
  remembered: Remembered
  site: Site
}

async function makeDemo(deps: Deps, folder: string, known: Remembered | undefined): Promise<Standing> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const secret = known?.inbox ?? randomBytes(12).toString('hex')
  const inbox = await Inbox.open(join(folder, 'inbox.jsonl'), secret)
  const site = await openSite(known?.ports, inbox)
  const { ports } = site
  const inbox_url = site.url + inbox.path
  try {
    if (known) {
      const remembered = { ...known, ports }
      if (JSON.stringify(ports) !== JSON.stringify(known.ports)) {
        await moveTo(deps, remembered, inbox_url)
        await remember(folder, remembered)
      }
      return { remembered, site }
    }
    const made = await fill(deps, {
      ports,
      inbox_url,
      keep: async (what, letters) => {
        await writeIdentities(folder, what)
        await inbox.fill(letters)
        await remember(folder, { ...what, version: VERSION, ports, inbox: secret })
      },
    })
    return { remembered: { ...made, version: VERSION, ports, inbox: secret }, site }
  } catch (error) {
    await site.close()
    throw error
  }
}

/** The site has other ports this time. */
async function moveTo(deps: Deps, { org_id, guids, channel_id, ports }: Remembered, inbox_url: string): Promise<void> {
  await importChecks(deps, org_id, checkEntries(ports, guids))
  await editChannel(deps, { org_id, id: channel_id }, { name: INBOX_NAME, webhook_url: inbox_url })
}

async function remember(folder: string, what: Remembered): Promise<void> {
  await writeFile(join(folder, 'demo.json'), JSON.stringify(what), { mode: 0o600 })
}

/** Identities in the files that agents keep them in. Agents that are supervised follow their server to another address. */
async function writeIdentities(folder: string, { org_id, monitors }: Made): Promise<void> {
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

function toDemo({ remembered, site }: Standing, folder: string, onStage: (stage: Stage) => void): Demo {
  const { token, password, org_id, ping_paths } = remembered
  let agents: Agents | undefined
  let endJobs: (() => Promise<void>) | undefined
  return {
    token,
    owner: { email: OWNER, password },
    inbox_url: `${site.url}/inbox`,
    status_page: `/status/${STATUS_PAGE.slug}`,
    begin: async (server_url) => {
      onStage('monitors')
      agents = await startAgents(server_url, folder, org_id)
      const jobs = HEARTBEATS.flatMap(({ every_sec, body }, i) =>
        every_sec === undefined ? [] : [{ ping_url: new URL(ping_paths[i] ?? '', server_url).href, every_sec, body }],
      )
      endJobs = startJobs(jobs)
      return firstRun(agents, folder)
    },
    stop: async () => {
      await endJobs?.()
      if (agents) await endAgents(agents)
      await site.close()
    },
  }
}

type Agents = ChildProcess

async function startAgents(server_url: string, folder: string, org_id: number): Promise<Agents> {
  const log = await open(join(folder, 'agent.log'), 'a')
  const args = ['--disable-warning=ExperimentalWarning', ...AGENT_FLAGS, AGENTS, server_url, monitorsOf(folder, org_id)]
  const agents = spawn(process.execPath, args, {
    env: { ...process.env, UV_THREADPOOL_SIZE: '64' },
    stdio: ['pipe', 'pipe', log.fd],
  })
  // A process that has ended reads nothing more.
  agents.stdin?.on('error', () => {})
  await once(agents, 'spawn')
  await log.close()
  return agents
}

/** The guid of the first check that was run. */
function firstRun(agents: Agents, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (agents.stdout) createInterface(agents.stdout).on('line', (guid) => resolve(guid))
    agents.once('exit', () => reject(new Error(`its monitors ended: ${join(folder, 'agent.log')} says why`)))
  })
}

async function endAgents(agents: Agents): Promise<void> {
  if (agents.exitCode !== null || agents.signalCode !== null) return
  const ended = once(agents, 'exit')
  agents.stdin?.end()
  const timer = setTimeout(() => agents.kill('SIGKILL'), AGENTS_STOP_MS)
  await ended
  clearTimeout(timer)
}
