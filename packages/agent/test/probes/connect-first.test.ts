// A name with several addresses is up when one of them is, within the time that its check has.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { firstEvent } from '../../../../scripts/testing/first-event.ts'
import { observe } from '../../src/probes/attempt.ts'
import { connectFirst } from '../../src/probes/connect-first.ts'

const FULL_QUEUE = fileURLToPath(new URL('../support/full-queue.ts', import.meta.url))
/** Nobody answers there: its queue is full, and what else comes is dropped. */
const DEAD = '127.0.0.1'
const LIVE = '127.0.0.2'
/** Nobody listens there. */
const CLOSED = '127.0.0.3'

const ending: (() => unknown)[] = []
afterAll(async () => {
  await Promise.all(ending.splice(0).map((end) => end()))
})

let port = 0
let accepted = 0

beforeAll(async () => {
  const child = spawn(process.execPath, [FULL_QUEUE, DEAD], { stdio: ['pipe', 'pipe', 'inherit'] })
  ending.push(() => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    return gone
  })
  const [line] = (await firstEvent(child, child.stdout, 'data')) as [Buffer]
  port = Number(line.toString())
  // A busy machine may be late with one answer: the queue is full when it gives none three times in a row.
  for (let silent = 0; silent < 3; ) {
    const socket = connect({ host: DEAD, port }).on('error', () => undefined)
    ending.push(() => socket.destroy())
    const isOpen = await once(socket, 'connect', { signal: AbortSignal.timeout(700) }).then(
      () => true,
      () => false,
    )
    silent = isOpen ? 0 : silent + 1
  }
  const server = createServer((socket) => {
    accepted += 1
    ending.push(() => socket.destroy())
    socket.on('error', () => undefined).resume()
  })
  ending.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(port, LIVE, resolve))
})

beforeEach(() => {
  accepted = 0
})

const look = (hosts: readonly string[], timeout_ms: number) =>
  observe({ timeout_ms, mayDial: () => true }, (attempt) => {
    attempt.enter('connect')
    const addresses = hosts.map((address) => ({ address, family: 4 }))
    connectFirst(attempt, { addresses, port, onConnect: () => attempt.finish() })
  })

const four = [DEAD, DEAD, DEAD, DEAD]

test.each([
  ['four dead addresses and a good one', [...four, LIVE], 6000],
  // So little that half a second for each of the dead ones would be all of it.
  ['four dead addresses and a good one, in little time', [...four, LIVE], 2000],
  ['thirty dead addresses and a good one', [...Array<string>(30).fill(DEAD), LIVE], 12_000],
  ['closed addresses and a good one', [CLOSED, CLOSED, DEAD, CLOSED, LIVE], 20_000],
  ['a good address before dead ones', [LIVE, ...four], 20_000],
])('%s are a target that is up', async (_what, hosts, timeout_ms) => {
  const seen = await look(hosts, timeout_ms)
  expect([seen.fault, seen.address]).toEqual([undefined, LIVE])
  expect(seen.latency_ms).toBeLessThan(timeout_ms)
  expect(accepted).toBeLessThanOrEqual(1)
})

test('dead addresses alone are a timeout, closed ones a refusal', async () => {
  expect((await look(four, 600)).fault).toEqual({ kind: 'timeout', words: 'while connecting' })
  expect((await look([CLOSED, CLOSED], 20_000)).fault?.kind).toBe('refused')
  expect((await look([DEAD, CLOSED], 600)).fault?.kind).toBe('timeout')
})
