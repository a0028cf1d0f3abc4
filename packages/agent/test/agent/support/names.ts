// A machine of its own for a process, as far as names go: the files that say who has which address and whom to ask are
// laid over the real ones, in a view of the file system that only this process has. That takes root.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach } from '@jest/globals'
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts'
import { answerTo, nameIn } from '../../support/dns-wire.ts'
import { tempDir } from './temp-dir.ts'

/** On loopback, and nobody else's: each process has its own. */
const NAME_SERVER = `127.53.${(process.pid >> 8) & 255}.${process.pid & 255}`

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts a process in whose eyes this is so. */
export type Start = (program: string, args: readonly string[], env?: Record<string, string>) => Child

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

/**
 * @param hosts lines as in /etc/hosts. For all other names a server is asked that nobody has to run.
 * @param patience_sec how long that is waited for.
 */
export async function withHosts(hosts: readonly string[], patience_sec = 30): Promise<Start> {
  const dir = await tempDir()
  const [resolv_conf, hosts_file] = [join(dir, 'resolv.conf'), join(dir, 'hosts')]
  await writeFile(resolv_conf, `nameserver ${NAME_SERVER}\noptions timeout:${patience_sec} attempts:1\n`)
  await writeFile(hosts_file, `${hosts.join('\n')}\n`)
  const overlaid = 'mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"'
  return (program, args, env = {}) => {
    const shell = ['-m', 'sh', '-c', overlaid, 'sh', resolv_conf, hosts_file]
    const child = spawn('unshare', [...shell, program, ...args], {
      env: { ...CHILD_ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    ending.push(() => child.kill('SIGKILL'))
    return child
  }
}

/** Lets that server hear everything and say nothing but these addresses. Returns the names it was asked for, each once. */
export async function silentNameServer(known: Record<string, string | null> = {}): Promise<ReadonlySet<string>> {
  const socket = createSocket('udp4')
  const asked = new Set<string>()
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question)
    asked.add(name)
    if (name in known) socket.send(answerTo(question, known[name] ?? null), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(53, NAME_SERVER, resolve))
  ending.push(() => socket.close())
  return asked
}
