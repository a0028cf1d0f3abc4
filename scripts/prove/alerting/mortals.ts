// Processes that are killed with -9 and restarted: Postgres on its data directory, and the server in each of its roles.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { hasEnded } from '../../../packages/server/dist/embedded-postgres/process.js'
import { runningServer } from '../../../packages/server/dist/embedded-postgres/server.js'
import { clusterOf, readRecord } from '../../../packages/server/dist/embedded-postgres/state.js'
import { openEmbeddedPostgres } from '../../../packages/server/dist/embedded-postgres/open.js'
import { LIFELINE, listeningPort, SERVER, type World } from '../../lab/world.ts'
import { SERVER_FLAGS } from '../../server-flags.js'

export interface Mortal {
  readonly name: string
  /** Resolves when nothing of it is left. */
  kill(): Promise<void>
  /** Resolves when it is available again, as seen from outside. */
  start(): Promise<void>
}

export interface MortalServer extends Mortal {
  /** As service managers do. Resolves when it has ended by itself. */
  stop(): Promise<void>
  /** From its next start on it is this program: that of another build. */
  become(program: string): void
  /** Of all its lives, the last one now. */
  readonly pids: readonly number[]
  /** When each life was ended by us. */
  readonly killedAt: ReadonlyMap<number, number>
}

// What it reported as stored must survive a kill, as in production.
const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
const GONE_MS = 20_000

export async function openPostgres(folder: string, undo: World['undo']): Promise<Mortal & { url: string }> {
  const dataDir = join(folder, 'data')
  const options = { dataDir, random: systemRandom, throwaway: true, remove: true, settings: DURABLE }
  let opened = await openEmbeddedPostgres(options)
  const { url } = opened
  undo(() => opened.stop())
  const kill = async (): Promise<void> => {
    const record = readRecord(dataDir)
    const postmaster = record && runningServer(clusterOf(dataDir, record))
    if (!postmaster) throw new Error('Postgres has ended by itself')
    // Its children see that it is gone and end, as they do anywhere.
    const all = [postmaster, ...childrenOf(postmaster)]
    process.kill(postmaster, 'SIGKILL')
    for (const pid of all) {
      if (!(await hasEnded(pid, GONE_MS))) throw new Error(`process ${pid} of Postgres outlives its postmaster`)
    }
  }
  const start = async (): Promise<void> => {
    const before = opened
    opened = await openEmbeddedPostgres(options)
    if (opened.url !== url) throw new Error('Postgres came back on another port')
    await before.stop()
  }
  return { name: 'Postgres', url, kill, start }
}

interface MortalPlan {
  undo: World['undo']
  onEnd: (fault: string) => void
  /** Is given each line of its log, which goes to our standard error when this is left out. */
  hear?: (line: string) => void
  /** The program `dogwatch` of some build; ours when left out. */
  program?: string
}

/** A server in one role. One that ends by itself is a fault, told to `onEnd`. */
export async function startMortal(
  name: string,
  role: 'web' | 'worker',
  env: Readonly<Record<string, string>>,
  { undo, onEnd, hear, program: first = SERVER }: MortalPlan,
): Promise<MortalServer & { port: number }> {
  const pids: number[] = []
  const killedAt = new Map<number, number>()
  let child: ChildProcess | undefined
  let [port, program] = [0, first]
  const stopped = new Set<number>()
  const kill = async (): Promise<void> => {
    const { pid } = child ?? {}
    if (!child || pid === undefined || child.exitCode !== null) return
    killedAt.set(pid, Date.now())
    child.kill('SIGKILL')
    await hasEnded(pid, GONE_MS)
  }
  const stop = async (): Promise<void> => {
    if (!child?.pid || child.exitCode !== null) return
    stopped.add(child.pid)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code, signal] = await ended
    if (code !== 0) onEnd(`the ${name} was told to end, and ended with ${code ?? signal}`)
  }
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, [...SERVER_FLAGS, '--import', LIFELINE, program, 'serve', '--role', role], {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'fatal', LOCAL_MONITOR: 'off', ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', hear ? 'pipe' : 'inherit', 'ipc'],
    })
    if (hear && child.stderr) createInterface({ input: child.stderr }).on('line', hear)
    const { pid = 0 } = child
    pids.push(pid)
    child.once(
      'exit',
      (code) => killedAt.has(pid) || stopped.has(pid) || onEnd(`the ${name} ended by itself, with ${code}`),
    )
    if (role === 'web') port = await listeningPort(child)
    else child.stdout?.resume()
  }
  await start()
  undo(kill)
  return {
    name,
    pids,
    killedAt,
    kill,
    stop,
    start,
    become: (next) => void (program = next),
    get port() {
      return port
    },
  }
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}
