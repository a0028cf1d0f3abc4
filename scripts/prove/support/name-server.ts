// A name server that can be silenced: then it receives every query, and answers none.
import { createSocket } from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answerTo, nameIn } from '../../../packages/agent/test/support/dns-wire.ts'
import type { World } from '../../lab/world.ts'

export interface NameServer {
  /** A file like /etc/resolv.conf that names this server, and leaves the rest as it is on any machine. */
  readonly resolv_conf: string
  /** How many questions were left without an answer. */
  readonly unanswered: number
  fallSilent(): void
  speak(): void
}

/** Knows these names and their addresses, and answers for every other one that it does not exist. */
export async function openNameServer(
  { folder, undo }: Pick<World, 'folder' | 'undo'>,
  host: string,
  names: ReadonlyMap<string, string>,
): Promise<NameServer> {
  const socket = createSocket('udp4')
  let isSilent = false
  let unanswered = 0
  socket.on('message', (question, { port, address }) => {
    if (isSilent) unanswered += 1
    else
      socket.send(answerTo(question, names.get(nameIn(question).toLowerCase()) ?? null), port, address, () => undefined)
  })
  await new Promise<void>((resolve) => socket.bind(53, host, resolve))
  undo(() => new Promise<void>((resolve) => socket.close(resolve)))
  const resolv_conf = join(folder, 'resolv.conf')
  await writeFile(resolv_conf, `nameserver ${host}\n`)
  return {
    resolv_conf,
    get unanswered() {
      return unanswered
    },
    fallSilent: () => {
      isSilent = true
    },
    speak: () => {
      isSilent = false
    },
  }
}
