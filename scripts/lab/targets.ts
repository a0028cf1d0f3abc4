// Starts real servers as targets of checks, and makes the agent run checks of them.
import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startMortal } from './debian.ts'
import { freePort, type Undo } from './proof.ts'

export interface TargetPlan {
  /** Program of the server. In the script, it is `$0`. */
  program: string
  /** Number of ports that the server listens on. In the script, they are `$1`, `$2` and so on. */
  ports: number
  /** Whether the server listens for datagrams. Absent if it accepts connections. */
  isDatagram?: true
  /** Shell script that starts in an empty folder. At its end, it must replace itself with the server. */
  script: string
}

const AGENT = fileURLToPath(new URL('../../packages/agent/bin/dogwatch-agent.js', import.meta.url))

/** Starts a server in a new folder. Returns its ports once it listens on all of them. */
export async function startTarget(
  { program, ports: count, isDatagram, script }: TargetPlan,
  folder: string,
  undo: Undo,
  env: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  await mkdir(folder, { mode: 0o755 })
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const isReady = isDatagram ? awaitsDatagrams : listens
  const areReady = async () => (await Promise.all(ports.map(isReady))).every(Boolean)
  const command = ['/bin/sh', '-ec', script, program, ...ports.map(String)]
  await startMortal(command, areReady, undo, { cwd: folder, env: { ...process.env, ...env } })
  return ports
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => resolve(false))
    socket.on('connect', () => resolve(true) ?? socket.destroy())
  })
}

async function awaitsDatagrams(port: number): Promise<boolean> {
  const sockets = await readFile('/proc/net/udp', 'utf8')
  return sockets.includes(`:${port.toString(16).toUpperCase().padStart(4, '0')} `)
}

export interface CheckPlan {
  /** Fields of the check, without its target. */
  fields?: object
  /** Command that gets the command line of the agent as its arguments, and runs the agent. Absent if the agent runs directly. */
  within?: readonly string[]
  /** Certificate file of an authority that the agent must trust. */
  ca?: string | undefined
}

/** Runs a check once. Returns its error, or `ok`. */
export async function runOnce(url: string, { fields = {}, within = [], ca }: CheckPlan = {}): Promise<string> {
  const words = [...within, process.execPath, AGENT, 'run-once', '--json', '--fields', '-', url]
  const env = { PATH: process.env.PATH, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: ca }) }
  const running = promisify(execFile)(words[0] ?? '', words.slice(1), { env })
  running.child.stdin?.end(JSON.stringify(fields))
  const { stdout, stderr } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout === '' ? stderr.trim() : (JSON.parse(stdout) as { error: string }).error || 'ok'
}
