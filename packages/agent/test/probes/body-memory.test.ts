// However bodies come, and however many, they take a bounded part of the memory; and none is judged by a part of it.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { firstEvent } from '../../../../scripts/testing/first-event.ts'
import { AGENT_FLAGS } from '../../bin/node-flags.js'
import { observe } from '../../src/probes/attempt.ts'
import { Lease } from '../../src/probes/body-memory.ts'
import { KeptBytes } from '../../src/probes/http/kept-bytes.ts'
import { probeOf } from '../../src/probes/registry.ts'
import { readRules } from '../../src/run/verdict.ts'
import { aCheck, run, verdict } from '../support/checks.ts'
import { serveHttp } from '../support/servers.ts'

const MIB = 1024 ** 2
const TARGET = fileURLToPath(new URL('../support/large-bodies.ts', import.meta.url))
const JUDGE = fileURLToPath(new URL('../support/judge-large-bodies.ts', import.meta.url))

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

/** A target in a process of its own: what it holds is not counted here. */
async function largeBodies(): Promise<string> {
  const child = fork(TARGET, { execArgv: [] })
  ending.push(() => child.kill('SIGKILL'))
  const [port] = (await firstEvent(child, child, 'message')) as [number]
  return `http://127.0.0.1:${port}`
}

/** As many checks at once in a process of their own, run as the agent is run. */
async function judgedAtOnce(url: string, count: number): Promise<{ verdicts: string[]; highest_mib: number }> {
  const child = fork(JUDGE, [url, String(count)], { execArgv: [...AGENT_FLAGS] })
  ending.push(() => child.kill('SIGKILL'))
  const [told] = (await firstEvent(child, child, 'message')) as [{ verdicts: string[]; highest_mib: number }]
  return told
}

test('a body that comes byte by byte takes as much as it is long', async () => {
  const url = `${await largeBodies()}/bytes`
  const { verdicts, highest_mib } = await judgedAtOnce(url, 1)
  expect(verdicts).toEqual(['match 200'])
  expect(highest_mib).toBeLessThan(200)
})

test('300 checks at once, each with a body of a mebibyte, stay within the memory that the service may take', async () => {
  const url = `${await largeBodies()}/slow`
  const { verdicts, highest_mib } = await judgedAtOnce(url, 300)
  expect(verdicts).toEqual(['ok 200'])
  expect(highest_mib).toBeLessThan(512)
})

/** All of the shared memory is taken until this is called. */
function takeAll(): () => void {
  const lease = new Lease()
  expect(lease.take(32 * MIB, () => undefined)).toBe(true)
  return () => lease.release()
}

test.each(['identity', 'gzip'])(
  'a long body in %s waits until there is room, and is then judged whole',
  async (encoding) => {
    const body = `${'x'.repeat(MIB - 7)}the end`
    const bytes = encoding === 'gzip' ? gzipSync(body) : body
    const url = await serveHttp((_req, res) => res.writeHead(200, { 'content-encoding': encoding }).end(bytes))
    const giveBack = takeAll()
    setTimeout(giveBack, 400)
    expect(await verdict(url, { match_string: 'the end', timeout_sec: 20 })).toBe('ok 200')
  },
)

test('a check that had to wait for room until its time was up has no result; short bodies need not wait', async () => {
  const giveBack = takeAll()
  try {
    const url = await serveHttp((req, res) => res.end('x'.repeat(req.url === '/long' ? MIB : 30_000)))
    const asks = { match_string: 'x', timeout_sec: 20 }
    // Long enough that it waits for room for most of the time, however late the body comes on a busy machine.
    await expect(run(`${url}/long`, { ...asks, timeout_sec: 3 })).rejects.toMatchObject({ why: 'body_memory' })
    expect(await verdict(`${url}/short`, asks)).toBe('ok 200')
    // For a sample alone it takes no room either.
    expect((await run(`${url}/long`, { timeout_sec: 20, result_detail_max_chars: 5 })).response_sample).toBe(
      'x'.repeat(24),
    )
  } finally {
    giveBack()
  }
})

test('room is given in turn, and what is given back is there again', () => {
  const giveBack = takeAll()
  const [first, second] = [new Lease(), new Lease()]
  expect([first.take(MIB, () => undefined), second.take(32 * MIB, () => undefined)]).toEqual([false, false])
  second.release()
  giveBack()
  const third = new Lease()
  expect(third.take(32 * MIB, () => undefined)).toBe(false)
  first.release()
  third.release()
  takeAll()()
})

describe('bodies that drip', () => {
  const leases: Lease[] = []
  afterEach(() => leases.splice(0).forEach((lease) => lease.release()))
  /** So many runs ask for a mebibyte each; returns how many have it at once. */
  function ask(address: string, count: number): number {
    const asked = Array.from({ length: count }, () => new Lease())
    leases.push(...asked)
    return asked.filter((lease) => lease.take(MIB, () => undefined, address)).length
  }

  test.each<[string, (n: number) => string]>([
    ['one address', () => '192.0.2.7'],
    ['all addresses of a network', (n) => `192.0.2.${n}`],
    ['all addresses of a network of IPv6', (n) => `2001:db8:7:${n.toString(16)}::1`],
    ['one address that is written in two ways', (n) => (n % 2 === 0 ? '2001:db8::1' : '2001:db8:0:0:0:0:0:1')],
  ])('from %s leave memory to others', (_, addressOf) => {
    const taken = Array.from({ length: 60 }, (_one, n) => ask(addressOf(n), 1)).reduce((sum, one) => sum + one)
    expect(taken).toBe(24)
    // Each of the others has some at once, and a lone one has more.
    expect(ask('198.51.100.1', 1)).toBe(1)
    expect(ask('198.51.100.1', 9)).toBe(7)
  })

  test('give what they hold back to whoever has least, and not to those that asked before', async () => {
    const [greedy, late] = [[] as string[], [] as string[]]
    const fill = Array.from({ length: 24 }, () => new Lease())
    for (const lease of fill) lease.take(MIB, () => undefined, '192.0.2.7')
    leases.push(...fill)
    const more = (into: string[], address: string, bytes: number): void => {
      const lease = new Lease()
      leases.push(lease)
      lease.take(bytes, () => into.push(address), address)
    }
    more(greedy, '192.0.2.8', MIB)
    more(late, '198.51.100.1', 9 * MIB)
    fill[0]?.release()
    await Promise.resolve()
    expect({ greedy, late }).toEqual({ greedy: [], late: ['198.51.100.1'] })
  })

  test('of one network alone have all but the part that is kept for others, and go on as it comes back', () => {
    expect(ask('192.0.2.7', 30)).toBe(24)
    leases[0]?.release()
    expect(ask('192.0.2.7', 1)).toBe(0)
  })
})

test('a body that nobody asks for is not kept, and yet is read to its end', async () => {
  const url = await serveHttp((_req, res) => {
    res.write('x'.repeat(1000))
    setTimeout(() => res.end('y'), 30)
  })
  const check = aCheck(url, { result_detail_max_chars: 0 })
  const rules = readRules(check)
  if ('fault' in rules) throw new Error(rules.fault)
  const bounds = { timeout_ms: 5000, mayDial: () => true, body_bytes: 0 }
  const probe = await probeOf('http')
  const seen = await observe(bounds, (attempt) => probe(attempt, rules.target, check))
  expect([seen.content, seen.fault]).toEqual(['', undefined])
  expect(seen.latency_ms).toBeGreaterThanOrEqual(25)
  expect((await run(url, { result_detail_max_chars: 0 })).response_sample).toBe('')
  expect((await run(url, {}, { is_private: true })).response_sample).toBe('')
})

test('pieces make the whole they are pieces of, up to its bound', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), fc.nat({ max: 20_000 }), (pieces, max) => {
      const kept = new KeptBytes(max)
      for (const piece of pieces) kept.add(Buffer.from(piece))
      expect(kept.bytes.equals(Buffer.concat(pieces).subarray(0, max))).toBe(true)
    }),
  )
})
