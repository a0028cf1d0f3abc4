// npm start: the server and, unless it is told not to, a demo beside it. Ends what it started, in the right order.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../packages/server/src/config.ts'
import { type Demo, runDemo } from './demo/demo.ts'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from './server-flags.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const DOGWATCH = join(root, 'packages', 'server', 'dist', 'bin', 'dogwatch.js')
// Under the limit of five requests a second that a token has.
const LOOK_MS = 400

const args = process.argv.slice(2)
const wantsDemo = !args.includes('--no-demo')
const flags = args.filter((arg) => arg !== '--no-demo')

/** Held back while there may be a demo: its owner sets the server up. */
let setUpLine: string | undefined
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

process.exitCode = await main()

async function main(): Promise<number> {
  const server = spawn(process.execPath, [...SERVER_FLAGS, DOGWATCH, 'serve', ...flags], {
    env: { ...process.env, ...SERVER_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit').then(([code]) => (code as number | null) ?? 1)
  const url = await Promise.race([listeningAt(server), ended])
  if (typeof url === 'number') return url
  let demo: Demo | undefined
  try {
    if (wantsDemo) demo = await startDemo(url)
    if (!demo && setUpLine !== undefined) console.log(setUpLine)
    if (!stopping.signal.aborted) say('ready')
    await Promise.race([ended, aborted()])
  } catch (error) {
    if (!stopping.signal.aborted) {
      console.error(`dogwatch: the demo did not start: ${(error as Error).message}`)
      process.exitCode = 1
    }
  }
  // The agent first, so that its last results find a server.
  await demo?.stop()
  if (server.exitCode === null) server.kill('SIGTERM')
  const code = await ended
  return process.exitCode === 1 ? 1 : code
}

/** Passes on what the server prints, and tells where it listens. */
function listeningAt(server: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (!server.stdout) return
    createInterface(server.stdout).on('line', (line) => {
      if (wantsDemo && line.startsWith('dogwatch: set up at ')) setUpLine = line
      else console.log(line)
      const [, url] = /^dogwatch: listening on (\S+)$/.exec(line) ?? []
      if (url !== undefined) resolve(url)
    })
  })
}

async function startDemo(server_url: string): Promise<Demo | undefined> {
  const { data_dir, local_monitor } = readConfig({ ...process.env, ...demoFlags().env }, join(root, '.dogwatch'))
  const demo = await runDemo({ data_dir, server_url, settings: demoFlags().database, has_local_monitor: local_monitor })
  if (!demo) return undefined
  say(`demo account token ${demo.token}`)
  if (demo.owner) say(`demo sign-in ${demo.owner.email} with password ${demo.owner.password}`)
  await untilFirstResult(server_url, demo)
  return demo
}

/** The flags that the demo needs as the variables that they stand for; those that say which database also as given. */
function demoFlags(): { database: string[]; env: Record<string, string> } {
  const names: Readonly<Record<string, string>> = {
    '--database-url': 'DATABASE_URL',
    '--data-dir': 'DOGWATCH_DATA_DIR',
    '--local-monitor': 'LOCAL_MONITOR',
  }
  const database: string[] = []
  const env: Record<string, string> = {}
  for (const [i, flag] of flags.entries()) {
    const [name = '', inline] = flag.split(/=(.*)/s)
    const variable = names[name]
    const value = inline ?? flags[i + 1]
    if (variable === undefined || value === undefined) continue
    if (variable !== 'LOCAL_MONITOR') database.push(name, value)
    env[variable] = value
  }
  return { database, env }
}

/** Waits until a result of the demo's agent can be read through the account API. */
async function untilFirstResult(server_url: string, { token, first_guid }: Demo): Promise<void> {
  const url = `${server_url}/account-api/v1/checks/${first_guid}/results`
  while (!stopping.signal.aborted) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    if (!answer.ok && answer.status !== 429) throw new Error(`its account token is answered ${answer.status}`)
    const { results = [] } = answer.ok ? ((await answer.json()) as { results?: unknown[] }) : {}
    if (results.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function aborted(): Promise<void> {
  return new Promise((resolve) => {
    if (stopping.signal.aborted) resolve()
    stopping.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function say(what: string): void {
  console.log(`dogwatch: ${what}`)
}
