// Runs `npm start`: the server and, unless `--no-demo` is given, a demo beside it. At the end, stops what it started, in the
// right order.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '../packages/server/dist/config.js'
import { type Demo, prepareDemo, type Stage } from './demo/demo.ts'
import { Progress } from './progress.js'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from './server-flags.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const DOGWATCH = join(root, 'packages', 'server', 'dist', 'bin', 'dogwatch.js')
// Interval of the requests, in milliseconds. It stays below the limit of five requests a second for each token.
const LOOK_MS = 400
/** Address of the demo's inbox. The server must be permitted to send webhooks to this machine. */
const INBOX_HOST = '127.0.0.1'
/** Number and description of each stage of the start. Stage 1, installing and building, was over before this script began. */
const STAGES: Readonly<Record<Stage | 'database', readonly [number, string]>> = {
  database: [2, 'starting the database'],
  history: [3, 'writing 90 days of demo history'],
  monitors: [4, "starting the demo's monitors"],
}

const args = process.argv.slice(2)
const isServing = !args.includes('--help') && !args.includes('-h')
const wantsDemo = isServing && !args.includes('--no-demo')
const flags = args.filter((arg) => arg !== '--no-demo')
const progress = new Progress(wantsDemo ? 4 : 2)

/** Line of the server about its setup. It is withheld until there is no demo, because the demo's owner sets the server up. */
let setUpLine: string | undefined
const stopping = new AbortController()
const aborted = once(stopping.signal, 'abort')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

process.exitCode = await main()

async function main(): Promise<number> {
  if (isServing) show('database')
  const demo = wantsDemo ? await prepare() : undefined
  progress.settle()
  if (isStopping()) {
    await demo?.stop()
    await demo?.release()
    return 0
  }
  const server = spawn(process.execPath, [...SERVER_FLAGS, DOGWATCH, 'serve', ...flags, ...demoFlags(demo)], {
    env: { ...process.env, ...SERVER_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit').then(([code]) => (code as number | null) ?? 1)
  const url = await Promise.race([listeningAt(server), ended])
  await demo?.release()
  if (typeof url === 'number') {
    await demo?.stop()
    return url
  }
  try {
    if (demo) await Promise.race([showDemo(demo, url), ended, aborted])
    else if (setUpLine !== undefined) console.log(setUpLine)
    if (!isStopping() && server.exitCode === null) say('ready')
    await Promise.race([ended, aborted])
  } catch (error) {
    if (!isStopping()) {
      console.error(`dogwatch: the demo did not start: ${(error as Error).message}`)
      process.exitCode = 1
    }
  }
  // Stops the monitors before the server, so that they can upload their last results.
  await demo?.stop()
  if (server.exitCode === null) server.kill('SIGTERM')
  const code = await ended
  return process.exitCode === 1 ? 1 : code
}

/**
 * Prepares the demo. Returns undefined if the settings are wrong or the port is in use, because the server then reports this
 * better.
 */
async function prepare(): Promise<Demo | undefined> {
  try {
    const given = readGiven()
    if (!(await isPortFree(given))) return undefined
    return await prepareDemo(given, show)
  } catch (error) {
    progress.settle()
    console.error(`dogwatch: there is no demo: ${(error as Error).message}`)
    return undefined
  }
}

function isPortFree({ port, host }: Config): Promise<boolean> {
  const probe = createServer().listen({ port, host })
  const free = once(probe, 'listening').then(() => true)
  return free.catch(() => false).finally(() => probe.close())
}

/** Shows a stage of the start. Ends the line of the last stage, because the server also prints lines during that stage. */
function show(stage: keyof typeof STAGES): void {
  progress.show(...STAGES[stage])
  if (stage === 'monitors') progress.settle()
}

function demoFlags(demo: Demo | undefined): string[] {
  return demo ? ['--egress-allow', [...readGiven().egress_allow, INBOX_HOST].join(',')] : []
}

/** Reads the settings of the server, from the variables and from the flags. */
function readGiven(): Config {
  const given: Record<string, string> = {}
  for (const [i, flag] of flags.entries()) {
    const [name = '', inline] = flag.split(/=(.*)/s)
    const value = inline ?? flags[i + 1]
    if (!name.startsWith('--') || value === undefined) continue
    const variable = name.slice(2).replaceAll('-', '_').toUpperCase()
    given[variable === 'DATA_DIR' ? 'DOGWATCH_DATA_DIR' : variable] = value
  }
  return readConfig({ ...process.env, ...given }, join(root, '.dogwatch'))
}

/** Prints the lines of the server's output. Resolves with the server's URL once the server listens. */
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

async function showDemo(demo: Demo, server_url: string): Promise<void> {
  const since = new Date()
  say(`demo account token ${demo.token}`)
  say(`demo sign-in ${demo.owner.email} with password ${demo.owner.password}`)
  say(`demo inbox ${demo.inbox_url}`)
  say(`demo status page ${server_url}${demo.status_page}`)
  const guid = await demo.begin(server_url)
  await untilResult(`${server_url}/account-api/v1/checks/${guid}/results?after=${since.toISOString()}`, demo.token)
}

/** Waits until a result of the demo's monitors can be read through the account API. */
async function untilResult(url: string, token: string): Promise<void> {
  while (!isStopping()) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
    if (!answer.ok && answer.status !== 429) throw new Error(`its account token is answered ${answer.status}`)
    const { results = [] } = answer.ok ? ((await answer.json()) as { results?: unknown[] }) : {}
    if (results.length > 0) return
    await pause(LOOK_MS)
  }
}

/**
 * Whether the user has stopped the program. A function, because the compiler assumes that a property does not change during a
 * wait.
 */
function isStopping(): boolean {
  return stopping.signal.aborted
}

function say(what: string): void {
  console.log(`dogwatch: ${what}`)
}
