// The limit by client address as one server keeps it. Time is moved by hand, in the server and in the table.
import { randomBytes } from 'node:crypto'
import { forgetFullBuckets, RateLimiter } from '@dogwatch/domain/limits/spend'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { eventually, PREFIX, type World, type WorldOptions, world } from '../support/world.ts'

const LIMIT = { per_sec: 10, burst: 30 }
/** Refills so slowly that nothing comes back during a test. */
const STANDING = { per_sec: 0.001, burst: 30 }

let w: World
afterEach(() => w.close())

const open = async (options: WorldOptions) => {
  w = await world(options)
}
const ping = (headers: Record<string, string> = {}, path = '/ping') => w.http.get(`${PREFIX}${path}`).set(headers)
/** The statuses of that many requests, one after another: 401 is what passes the limiter. */
const statuses = async (count: number, headers: Record<string, string> = {}) => {
  const seen: number[] = []
  for (let i = 0; i < count; i++) seen.push((await ping(headers)).status)
  return seen
}
const from = (addresses: string) => ({ 'X-Forwarded-For': addresses })
const forward = async (seconds: number) => {
  w.clock.forward(seconds)
  await w.rows("update rate_limits set tat = tat - $1 * interval '1 second'", seconds)
}
const passed = 401
const refused = 429

describe('one address', () => {
  test('has a burst of exactly 30, in whatever order its requests come', async () => {
    await open({ address_limit: STANDING })
    expect(await statuses(31)).toEqual([...Array<number>(30).fill(passed), refused])
    w.clock.forward(30_001)
    await w.rows('delete from rate_limits')
    const atOnce = await Promise.all(Array.from({ length: 60 }, () => ping()))
    expect(atOnce.filter(({ status }) => status === passed)).toHaveLength(30)
    expect(atOnce.filter(({ status }) => status === refused)).toHaveLength(30)
  })

  test('is refused in one line of text that says when to come back', async () => {
    await open({ address_limit: { per_sec: 1, burst: 3 } })
    let answer = await ping()
    // On a busy machine some come back in the meantime.
    await eventually(async () => (answer = await ping()).status === refused, 'a refusal')
    expect({ status: answer.status, line: answer.text }).toEqual({ status: refused, line: 'rate limit exceeded' })
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['retry-after']).toBe('1')
    expect(answer.headers['x-request-id']).toMatch(/^r-[0-9a-f]{16}$/)
  })

  test('is told whole seconds, rounded up', async () => {
    await open({ address_limit: { per_sec: 1 / 60.9, burst: 1 } })
    const began = performance.now()
    await ping()
    const seconds = (await ping()).headers['retry-after'] ?? ''
    expect(seconds).toMatch(/^\d+$/)
    expect(Number(seconds)).toBeLessThanOrEqual(61)
    expect(Number(seconds)).toBeGreaterThanOrEqual(60.9 - (performance.now() - began) / 1000)
  })

  test('gets the whole wait in a refusal, even if other requests were counted meanwhile', async () => {
    await open({ address_limit: { per_sec: 1 / 60, burst: 2 } })
    await ping()
    const other = new pg.Client({ connectionString: w.databaseUrl })
    await other.connect()
    try {
      await other.query('begin')
      await other.query("update rate_limits set tat = tat + interval '60 seconds'")
      const answer = ping().then(({ status, headers }) => ({ status, isLong: Number(headers['retry-after']) > 30 }))
      const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      await eventually(async () => (await w.rows(waits)).length > 0, 'the count waits for the other one')
      await other.query('commit')
      expect(await answer).toEqual({ status: refused, isLong: true })
    } finally {
      await other.end()
    }
  })

  test('gets ten requests back in a second, and never more than the burst', async () => {
    await open({ address_limit: LIMIT })
    const begun = performance.now()
    await Promise.all(Array.from({ length: 60 }, () => ping()))
    const comesBack = async (seconds: number, least: number) => {
      await forward(seconds)
      const answers = await Promise.all(Array.from({ length: 60 }, () => ping()))
      const count = answers.filter(({ status }) => status === passed).length
      // What the clock on the wall gave back in the meantime comes on top.
      const slack = Math.ceil(((performance.now() - begun) / 1000) * LIMIT.per_sec) + 1
      expect(count).toBeGreaterThanOrEqual(least)
      expect(count).toBeLessThanOrEqual(least + slack)
    }
    await comesBack(1, 10)
    await comesBack(3600, 30)
  })

  test('is not kept out by what was counted while the clock of the database was an hour or 400 days ahead', async () => {
    await open({ address_limit: STANDING })
    for (const ahead of ['1 hour', '400 days']) {
      expect(await statuses(1)).toEqual([passed])
      // A full burst at 0.001 a second is counted 30,000 s ahead.
      await w.rows(`update rate_limits set tat = now() + interval '31001 seconds' + interval '${ahead}'`)
      expect(await statuses(31)).toEqual([...Array<number>(30).fill(passed), refused])
      await w.rows('delete from rate_limits')
      w.clock.forward(30_001)
    }
  })

  test('is refused before anybody looks at its path, its method or its credential', async () => {
    await open({ address_limit: { per_sec: 0.001, burst: 1 } })
    const { key } = await w.monitor(await w.org())
    for (const path of ['/nothing', '/ping', '/checks', '/results']) expect((await ping({}, path)).status).toBe(refused)
    expect((await w.http.delete(`${PREFIX}/ping`)).status).toBe(refused)
    expect((await ping({ Authorization: `Bearer ${key}` })).status).toBe(refused)
  })
})

describe('which address it is', () => {
  const once = { per_sec: 0.001, burst: 1 }

  test('X-Forwarded-For from a peer that is not trusted counts for nothing', async () => {
    await open({ address_limit: once })
    expect(await statuses(1, from('192.0.2.1'))).toEqual([passed])
    expect(await statuses(1, from('192.0.2.2'))).toEqual([refused])
    expect(await w.rows('select key from rate_limits')).toEqual([{ key: 'monitor-api:127.0.0.1' }])
  })

  test('from a trusted peer it names the client', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback'] })
    expect(await statuses(2, from('192.0.2.1'))).toEqual([passed, refused])
    expect(await statuses(2, from('192.0.2.2'))).toEqual([passed, refused])
    expect(await statuses(2)).toEqual([passed, refused])
  })

  test('what a client puts before what its proxy adds does not help it', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback', '10.0.0.0/8'] })
    expect(await statuses(1, from('192.0.2.1'))).toEqual([passed])
    for (const chain of [
      '198.51.100.1, 192.0.2.1',
      '127.0.0.1, 192.0.2.1',
      '10.1.1.1, 192.0.2.1',
      'nonsense, 192.0.2.1',
      ', 192.0.2.1',
      '198.51.100.2, 192.0.2.1, 10.0.0.7',
      '::1, 192.0.2.1, 10.0.0.7, 127.0.0.1',
    ]) {
      expect({ chain, statuses: await statuses(1, from(chain)) }).toEqual({ chain, statuses: [refused] })
    }
  })

  test('an IPv4 address inside an IPv6 one is the IPv4 address', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback'] })
    expect(await statuses(1, from('192.0.2.1'))).toEqual([passed])
    expect(await statuses(1, from('::ffff:192.0.2.1'))).toEqual([refused])
    expect(await statuses(1, from('::ffff:c000:201'))).toEqual([refused])
  })

  test('a /48 of IPv6 has eight times what one address has', async () => {
    await open({ address_limit: { per_sec: 0.001, burst: 1 }, trust_proxy: ['127.0.0.1'] })
    const seen: number[] = []
    for (let n = 1; n <= 10; n++) seen.push((await ping(from(`2001:db8:7:${n}::1`))).status)
    expect(seen).toEqual([...Array<number>(8).fill(passed), refused, refused])
    expect((await ping(from('2001:db8:8:1::1'))).status).toBe(passed)
  })

  test('an IPv6 client is all of its /64', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback'] })
    expect(await statuses(1, from('2001:db8:0:1::1'))).toEqual([passed])
    for (const same of ['2001:db8:0:1::2', '2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:0db8:0000:0001::1']) {
      expect({ same, statuses: await statuses(1, from(same)) }).toEqual({ same, statuses: [refused] })
    }
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '2001:db8:1:1::1']) {
      expect({ other, statuses: await statuses(1, from(other)) }).toEqual({ other, statuses: [passed] })
    }
  })

  test('a port that a proxy adds is no part of it', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback'] })
    expect(await statuses(1, from('192.0.2.9:51234'))).toEqual([passed])
    expect(await statuses(1, from('192.0.2.9:51235'))).toEqual([refused])
    expect(await statuses(1, from('192.0.2.9'))).toEqual([refused])
    expect(await statuses(1, from('[2001:db8::1]:443'))).toEqual([passed])
    expect(await statuses(1, from('[2001:db8::2]'))).toEqual([refused])
  })

  test('what is no address at all is one client, however long and however varied', async () => {
    await open({ address_limit: once, trust_proxy: ['loopback'] })
    expect(await statuses(1, from('unknown'))).toEqual([passed])
    for (const chain of ['nonsense', randomBytes(5000).toString('base64'), '192.0.2.300', '2001:db8::1::2', '[']) {
      expect({ chain, statuses: await statuses(1, from(chain)) }).toEqual({ chain, statuses: [refused] })
    }
  })
})

describe('the table', () => {
  test('is not asked about an address that is known to be refused', async () => {
    await open({ address_limit: STANDING, trust_proxy: ['loopback'] })
    await statuses(31, from('192.0.2.1'))
    // A server that looked would find no table, and let the request pass.
    await w.rows('alter table rate_limits rename to elsewhere')
    expect(await statuses(50, from('192.0.2.1'))).toEqual(Array<number>(50).fill(refused))
    expect(await statuses(1, from('192.0.2.2'))).toEqual([passed])
  })

  test('is asked again when the refusal is over', async () => {
    await open({ address_limit: { per_sec: 0.001, burst: 1 } })
    expect(await statuses(2)).toEqual([passed, refused])
    // The bucket also refills by the real clock in the meantime.
    await forward(900)
    expect(await statuses(1)).toEqual([refused])
    await forward(100)
    expect(await statuses(1)).toEqual([passed])
  })

  describe('when it cannot be read', () => {
    const said: Record<string, unknown>[] = []
    beforeEach(async () => {
      said.length = 0
      // Nothing is cut out here: what is logged must hold no secret by itself.
      const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line) as never) })
      await open({ address_limit: STANDING, log })
    })

    test.each([
      ['gone', 'alter table rate_limits rename to elsewhere'],
      ['of another shape', 'alter table rate_limits rename column tat to elsewhere'],
    ])('%s: the process keeps the limit, and the log says so every ten seconds, without a secret', async (_, harm) => {
      const { key } = await w.monitor(await w.org())
      await w.rows(harm)
      const authorization = { Authorization: `Bearer ${key}` }
      // One of the burst went to the enrollment.
      expect(await statuses(50, authorization)).toEqual([
        ...Array<number>(29).fill(200),
        ...Array<number>(21).fill(refused),
      ])
      expect(said).toHaveLength(1)
      w.clock.forward(9)
      await ping(authorization)
      expect(said).toHaveLength(1)
      w.clock.forward(1)
      await ping(authorization)
      expect(said).toMatchObject([
        { level: 50, msg: expect.stringContaining('each process counts on its own') },
        { level: 50 },
      ])
      expect(JSON.stringify(said)).not.toContain('dogwatch_')
      expect(JSON.stringify(said)).not.toContain(w.databaseUrl)
    })

    test('a limit on guesses refuses', async () => {
      await w.rows('alter table rate_limits rename to elsewhere')
      const limiter = new RateLimiter(w.deps)
      const guesses = { name: 'guesses', per_sec: 1, burst: 10, isStrict: true }
      expect(await limiter.spend(guesses, 'alice')).toEqual({ kind: 'wait', seconds: 5 })
      expect(await limiter.spend({ ...guesses, name: 'others', isStrict: false }, 'alice')).toEqual({ kind: 'pass' })
    })

    test('a table that is merely slow lets nobody through beyond the burst, and nobody is counted twice', async () => {
      const rate = { name: 'slow', per_sec: 0.001, burst: 20 }
      const holder = await w.deps.database.pools.machines.connect()
      const limiter = new RateLimiter(w.deps)
      try {
        await holder.query('begin')
        await holder.query('lock table rate_limits')
        const verdicts = await Promise.all(Array.from({ length: 30 }, () => limiter.spend(rate, 'alice')))
        expect(verdicts.filter(({ kind }) => kind === 'pass')).toHaveLength(20)
      } finally {
        await holder.query('rollback')
        holder.release()
      }
      w.clock.forward(1.1)
      const after = await Promise.all(Array.from({ length: 30 }, () => limiter.spend(rate, 'bob')))
      expect(after.filter(({ kind }) => kind === 'pass')).toHaveLength(20)
    })

    test('and can be again: the limit is back', async () => {
      await w.rows('alter table rate_limits rename to elsewhere')
      await statuses(5)
      await w.rows('alter table elsewhere rename to rate_limits')
      // It is left alone for a second before it is asked again.
      w.clock.forward(1.1)
      expect((await statuses(31)).filter((status) => status === passed)).toHaveLength(30)
    })
  })

  test('forgets the buckets that have long been full, and no others', async () => {
    await open({ address_limit: { per_sec: 1, burst: 30 }, trust_proxy: ['loopback'] })
    await statuses(1, from('192.0.2.1'))
    await statuses(1, from('192.0.2.2'))
    expect(await forgetFullBuckets(w.deps)).toBe(0)
    await w.rows("update rate_limits set tat = tat - interval '2 minutes' where key like '%192.0.2.1'")
    expect(await forgetFullBuckets(w.deps)).toBe(1)
    expect(await w.rows('select key from rate_limits')).toEqual([{ key: 'monitor-api:192.0.2.2' }])
  })

  test('is as large as the number of addresses seen, however many are refused', async () => {
    await open({ address_limit: { per_sec: 0.001, burst: 1 }, trust_proxy: ['loopback'] })
    const rows = async () => (await w.rows('select count(*) from rate_limits'))[0]?.count
    for (let i = 0; i < 20; i++) {
      const isKept = async () => {
        // A table that is slow to answer is left alone for a second.
        w.clock.forward(1.1)
        await statuses(3, from(`192.0.2.${i}`))
        return (await rows()) === i + 1
      }
      await eventually(isKept, 'the table has one more')
    }
    await statuses(50, from('192.0.2.1'))
    expect(await rows()).toBe(20)
  })
})
