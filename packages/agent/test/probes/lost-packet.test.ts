// One lost packet is no outage: it is sent again after a second, and that long an address is waited for.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, getDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect } from '@jest/globals'
import { firstEvent } from '../../../../scripts/testing/first-event.ts'
import { asRoot } from '../agent/support/as-root.ts'
import { withHosts } from '../agent/support/names.ts'

const FULL_QUEUE = fileURLToPath(new URL('../support/full-queue.ts', import.meta.url))
const AGENT = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** IPv6 is tried first: giving up on it too soon would leave the dead one. */
const LIVE = '::1'
const DEAD = '127.0.0.1'

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

/** A server whose queue is full until `open` is called. */
async function fullQueue() {
  const child = spawn(process.execPath, [FULL_QUEUE, LIVE], { stdio: ['pipe', 'pipe', 'inherit'] })
  ending.push(() => child.kill('SIGKILL'))
  const [line] = (await firstEvent(child, child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  for (let filled = 0; filled < 20; filled += 1) {
    const socket = connect({ host: LIVE, port }).on('error', () => undefined)
    ending.push(() => socket.destroy())
    if (!(await connects(socket, 200))) return { port, open: () => child.stdin.end('x') }
  }
  throw new Error('the queue takes any number of connections')
}

async function connects(socket: Socket, ms: number): Promise<boolean> {
  const soon = AbortSignal.timeout(ms)
  return once(socket, 'connect', { signal: soon }).then(
    () => true,
    () => false,
  )
}

asRoot('a target whose first packet was lost is up, though its other address is dead', async () => {
  const { port, open } = await fullQueue()
  const start = await withHosts([`${LIVE} both.test`, `${DEAD} both.test`])
  const child = start(process.execPath, [AGENT, 'run-once', '--json', `http://both.test:${port}/`])
  const out = textOf(child.stdout)
  // Longer than Node waits by default, shorter than until the packet is sent again.
  await pause(getDefaultAutoSelectFamilyAttemptTimeout() + 500)
  open()
  expect(JSON.parse(await out)).toMatchObject({ success: true, http_status: 200, address: LIVE })
})
