// Debian's HAProxy in front of the servers of a proof.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../../../packages/server/dist/embedded-postgres/server.js'
import { MORTAL, requireProgram } from '../../lab/debian.ts'
import { until, type World } from '../../lab/world.ts'

export interface Haproxy {
  readonly url: string
  readonly version: string
  /** Resolves when it sends requests there again. */
  isUp(server: string): Promise<boolean>
  /** What it counted for each server: requests, and those that it gave to another one. */
  counts(): Promise<Map<string, { requests: number; redispatched: number }>>
}

export interface HaproxyPlan {
  folder: string
  /** Creates its settings for the port to listen on and the path of its stats socket. */
  settings: (port: number, socket: string) => string
  /** The section that holds the servers. */
  backend: string
}

const START_MS = 10_000

export async function startHaproxy(plan: HaproxyPlan, undo: World['undo']): Promise<Haproxy> {
  const program = requireProgram('haproxy', '/usr/sbin/haproxy')
  const [port, socket] = [await freePort(0), join(plan.folder, 'haproxy.sock')]
  const file = join(plan.folder, 'haproxy.cfg')
  await writeFile(file, plan.settings(port, socket))
  const [wrapper = '', ...args] = MORTAL
  const child = spawn(wrapper, [...args, program, '-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  undo(() => end(child))
  const rows = () => readStats(socket, plan.backend)
  const isThere = await until(() => child.exitCode !== null || rows().then(Boolean, () => false), START_MS)
  if (!isThere || child.exitCode !== null) throw new Error('HAProxy does not start')
  const [version = ''] = /\d[\w.+~-]*/.exec(execFileSync(program, ['-v'], { encoding: 'utf8' })) ?? []
  return {
    url: `http://127.0.0.1:${port}`,
    version,
    isUp: async (server) => /^(UP|no check)$/.test((await rows()).get(server)?.status ?? ''),
    counts: async () =>
      new Map(
        [...(await rows())].map(([name, { stot, wredis }]) => [
          name,
          { requests: Number(stot), redispatched: Number(wredis) },
        ]),
      ),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The rows of `show stat` for the servers of a section. */
async function readStats(socket: string, backend: string): Promise<Map<string, Record<string, string>>> {
  const connection = connect(socket)
  await once(connection, 'connect')
  connection.write('show stat\n')
  const [head = '', ...lines] = (await text(connection)).trim().split('\n')
  const names = head.replace('# ', '').split(',')
  const rows = lines.map((line) => {
    const values = line.split(',')
    return Object.fromEntries(names.map((name, place) => [name, values[place] ?? '']))
  })
  const servers = rows.filter(({ pxname, svname }) => pxname === backend && !/^(FRONT|BACK)END$/.test(svname ?? ''))
  return new Map(servers.map((row) => [row.svname ?? '', row]))
}
