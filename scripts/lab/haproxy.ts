// Runs Debian's HAProxy in front of servers, with the settings that the product ships. Changes only addresses, the number of
// connections, and the stats socket.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { requireProgram, startMortal, versionOf } from './debian.ts'
import { freePort, need, type Undo } from './proof.ts'

/** Time until HAProxy notices that a server is not ready, from the shipped compose file. */
export const DRAIN_SEC = /(?<=DRAIN_SEC: ")\d+/.exec(shipped('compose.yaml'))?.[0] ?? ''
const UP_MS = 60_000

export interface Haproxy {
  readonly url: string
  readonly version: string
  /** Waits until HAProxy sends requests to this server. */
  untilUp(server: string): Promise<void>
  /** Returns how many requests each server has received. */
  requests(): Promise<number[]>
}

export async function startHaproxy(
  folder: string,
  servers: readonly { name: string; port: number }[],
  undo: Undo,
): Promise<Haproxy> {
  const program = requireProgram('haproxy', '/usr/sbin/haproxy')
  const [port, socket, file] = [await freePort(), join(folder, 'haproxy.sock'), join(folder, 'haproxy.cfg')]
  await writeFile(file, settingsOf(port, socket, servers))
  const rows = () => readStats(socket)
  await startMortal([program, '-db', '-q', '-f', file], () => rows().then(Boolean), undo)
  const haproxy: Haproxy = {
    url: `http://127.0.0.1:${port}`,
    version: versionOf(program, '-v'),
    untilUp: (name) => {
      const isUp = async () => /^(UP|no check)$/.test((await rows()).find((row) => row.svname === name)?.status ?? '')
      return need(isUp, UP_MS, `HAProxy does not see ${name} come up`)
    },
    requests: async () => (await rows()).map(({ stot }) => Number(stot)),
  }
  for (const { name } of servers) await haproxy.untilUp(name)
  return haproxy
}

function settingsOf(port: number, socket: string, servers: readonly { name: string; port: number }[]): string {
  const lines = servers.map((server) => `    server ${server.name} 127.0.0.1:${server.port}`)
  const changes: readonly [RegExp, string][] = [
    [/^global$/m, `global\n    stats socket ${socket} mode 600`],
    [/maxconn 8000/g, 'maxconn 2000'],
    [/bind "\$\{LISTEN.*"/, `bind 127.0.0.1:${port}`],
    [/^ {4}server web1 .*\n {4}server web2 .*$/m, lines.join('\n')],
  ]
  return changes.reduce((settings, [what, by]) => {
    const changed = settings.replace(what, () => by)
    if (changed === settings) throw new Error(`the shipped settings have nothing like ${what.source}`)
    return changed
  }, shipped('haproxy.cfg'))
}

function shipped(file: string): string {
  return readFileSync(new URL(`../../packages/server/deploy/${file}`, import.meta.url), 'utf8')
}

/** Reads the rows of `show stat` for servers. */
async function readStats(socket: string): Promise<Record<string, string>[]> {
  const connection = connect(socket)
  await once(connection, 'connect')
  connection.write('show stat\n')
  const [head = '', ...lines] = (await text(connection)).trim().split('\n')
  const names = head.replace('# ', '').split(',')
  return lines
    .map((line) => Object.fromEntries(line.split(',').map((value, n) => [names[n] ?? '', value])))
    .filter(({ pxname, svname }) => pxname === 'web' && !/^(FRONT|BACK)END$/.test(svname ?? ''))
}
