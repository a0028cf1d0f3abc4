// Addresses that people typed: whatever disguise an internal one wears, no socket is opened to it.
import { execFile } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import { createServer as serveHttps } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addressRule, openPost } from '@dogwatch/channels/egress'
import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { mint } from '../../../agent/test/support/certificates.ts'
import { ECDHE_RSA_AES128_GCM, finiteFieldSuites, suitesIn } from '../../../agent/test/support/client-hello.ts'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import type { Resolve } from '../../../channels/src/resolve.ts'
import { type Org, type World, world } from '../support/world.ts'

const ANY = ['0.0.0.0/0', '::/0']
const BLOCKED = 'blocked: the address is not public; the operator can allow the address in EGRESS_ALLOW'
const NOWHERE = 'the name hook.example has no public address'
const SETTINGS = { smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://127.0.0.1:1' }

let w: World
let v4: Receiver
let v6: Receiver
beforeAll(async () => {
  w = await world()
  v4 = await receiver('0.0.0.0')
  v6 = await receiver('::1')
})
afterAll(async () => {
  await v4.close()
  await v6.close()
  await w.close()
})

let org: Org
let said: string
let answers: Record<string, readonly string[][]>
beforeEach(async () => {
  org = await w.org()
  said = ''
  answers = {}
  v4.connections = 0
  v6.connections = 0
})
afterEach(() => w.rows('delete from deliveries'))

/** A name server of our own: what it says of a name the first time, the second and so on; the system for all others. */
const asked: string[] = []
const resolve: Resolve = async (name) => {
  const given = answers[name]
  const addresses = given?.[Math.min(asked.filter((one) => one === name).length, given.length - 1)]
  asked.push(name)
  if (!addresses) throw new Error(`getaddrinfo ENOTFOUND ${name}`)
  return addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
}

function sending(egress_allow: readonly string[] = [], names?: Resolve): DeliveryDeps {
  const channels = createChannels({ ...SETTINGS, egress_allow, ...(names && { resolve: names }) })
  const log = pino({ level: 'trace' }, { write: (line: string) => void (said += line) })
  return { ...w.deps, log, channels, public_url: 'https://dogwatch.example' }
}

/** Raises an event for one channel with this url, sends it, and returns what the delivery log says. */
async function told(url: string, through: DeliveryDeps, kind: 'webhook' | 'slack' = 'webhook') {
  await createChannel(w.deps, org.org_id, { kind, name: 'hook', webhook_url: url })
  await happens(w.deps, org.org_id, 'check.down')
  await deliverOnce(through)
  const [delivery] = await readDeliveries(w.deps, org.org_id)
  return delivery
}

/** A port that both receivers hold would be too much to ask; each disguise names the one it is for. */
const at = (host: string, to: 'v4' | 'v6' = 'v4') => `http://${host}:${to === 'v4' ? v4.port : v6.port}/hook`

describe('a disguise of an internal address is refused, the log says so, and no connection is made', () => {
  const disguises: Record<string, [url: () => string, address: string]> = {
    loopback: [() => at('127.0.0.1'), '127.0.0.1'],
    'another loopback': [() => at('127.8.8.8'), '127.8.8.8'],
    'one decimal number': [() => at('2130706433'), '127.0.0.1'],
    'one hexadecimal number': [() => at('0x7f000001'), '127.0.0.1'],
    'hexadecimal parts': [() => at('0x7f.0x0.0x0.0x1'), '127.0.0.1'],
    'one octal number': [() => at('017700000001'), '127.0.0.1'],
    'octal parts': [() => at('0177.0.0.01'), '127.0.0.1'],
    'two parts': [() => at('127.1'), '127.0.0.1'],
    'three parts': [() => at('127.0.1'), '127.0.0.1'],
    'mixed parts': [() => at('0x7f.1'), '127.0.0.1'],
    'full-width digits': [() => at('１２７．０．０．１'), '127.0.0.1'],
    'a trailing dot': [() => at('127.0.0.1.'), '127.0.0.1'],
    'percent-encoded': [() => at('%31%32%37.0.0.1'), '127.0.0.1'],
    'behind userinfo': [() => at('example.com@127.0.0.1'), '127.0.0.1'],
    'nothing but zeroes': [() => at('0.0.0.0'), '0.0.0.0'],
    'a single zero': [() => at('0'), '0.0.0.0'],
    'IPv6 loopback': [() => at('[::1]', 'v6'), '::1'],
    'IPv6 loopback in full': [() => at('[0:0:0:0:0:0:0:1]', 'v6'), '::1'],
    'IPv6 unspecified': [() => at('[::]', 'v6'), '::'],
    'IPv4-mapped': [() => at('[::ffff:127.0.0.1]'), '::ffff:7f00:1'],
    'IPv4-mapped in hexadecimal': [() => at('[::FFFF:7F00:0001]'), '::ffff:7f00:1'],
    'IPv4-compatible': [() => at('[::127.0.0.1]'), '::7f00:1'],
    'IPv4-translated': [() => at('[::ffff:0:127.0.0.1]'), '::ffff:0:7f00:1'],
    NAT64: [() => at('[64:ff9b::127.0.0.1]'), '64:ff9b::7f00:1'],
    'NAT64 of a local kind': [() => at('[64:ff9b:1::127.0.0.1]'), '64:ff9b:1::7f00:1'],
    '6to4': [() => at('[2002:7f00:1::]'), '2002:7f00:1::'],
    Teredo: [() => at('[2001:0:7f00:1::]'), '2001:0:7f00:1::'],
    'IPv6 link-local': [() => at('[fe80::1]', 'v6'), 'fe80::1'],
    ULA: [() => at('[fd00:ec2::254]', 'v6'), 'fd00:ec2::254'],
    'a cloud that tells secrets': [() => 'http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    'another cloud': [() => 'http://168.63.129.16/machine', '168.63.129.16'],
    CGNAT: [() => at('100.64.0.1'), '100.64.0.1'],
    '10/8': [() => at('10.0.0.1'), '10.0.0.1'],
    '172.16/12': [() => at('172.31.255.255'), '172.31.255.255'],
    '192.168/16': [() => at('192.168.0.1'), '192.168.0.1'],
    multicast: [() => at('224.0.0.1'), '224.0.0.1'],
    broadcast: [() => at('255.255.255.255'), '255.255.255.255'],
  }
  test.each(Object.entries(disguises))('%s', async (_, [url, address]) => {
    const delivery = await told(url(), sending())
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_error: BLOCKED, last_status: null })
    expect(delivery?.last_error).not.toContain(address)
    expect([v4.connections, v6.connections]).toEqual([0, 0])
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ'])('%s', async (name) => {
    const delivery = await told(at(name), sending())
    expect(delivery?.last_error).toMatch(/^the name localhost\.? has no public address$/)
    expect([v4.connections, v6.connections]).toEqual([0, 0])
  })

  test('Slack, too', async () => {
    expect(await told(at('127.1'), sending(), 'slack')).toMatchObject({
      last_error: BLOCKED,
    })
    expect(v4.connections).toBe(0)
  })
})

describe('names', () => {
  const inner: Record<string, [addresses: string[], refused: string]> = {
    'one that points inside': [['127.0.0.1'], '127.0.0.1'],
    'one that points inside by IPv6': [['::1'], '::1'],
    'one that points inside by a mapped address': [['::ffff:127.0.0.1'], '::ffff:127.0.0.1'],
    'one with a zone': [['fe80::1%lo'], 'fe80::1%lo'],
    'one with a public address first': [['93.184.216.34', '127.0.0.1'], '127.0.0.1'],
    'one with a public address last': [['127.0.0.1', '93.184.216.34'], '127.0.0.1'],
    'one whose address is none': [['localhost'], 'localhost'],
  }
  test.each(Object.entries(inner))('%s', async (_, [addresses, refused]) => {
    answers = { 'hook.example': [addresses] }
    asked.length = 0
    said = ''
    expect(await told(at('hook.example'), sending([], resolve))).toMatchObject({ last_error: NOWHERE })
    expect(said).toContain(BLOCKED)
    expect(said).not.toContain(refused)
    expect([v4.connections, v6.connections]).toEqual([0, 0])
  })

  test('one that changes its answer is asked once for each attempt, and what was judged is what is dialled', async () => {
    // 127.0.0.2 stands for a public address: it is allowed, and nothing else of the network is.
    const open = sending(['127.0.0.2'], resolve)
    const outside = await receiver('127.0.0.2', await freePort())
    const inside = await listeningAt('127.0.0.1', outside.port)
    answers = { 'hook.example': [['127.0.0.2'], ['127.0.0.1']] }
    asked.length = 0
    expect(await told(`http://hook.example:${outside.port}/hook`, open)).toMatchObject({ state: 'delivered' })
    expect(asked).toEqual(['hook.example'])
    expect(outside.got).toHaveLength(1)
    expect(inside.connections()).toBe(0)
    await happens(w.deps, org.org_id, 'check.up')
    await deliverOnce(open)
    const [delivery] = await readDeliveries(w.deps, org.org_id)
    expect(delivery).toMatchObject({ event: 'check.up', last_error: NOWHERE })
    expect(asked).toEqual(['hook.example', 'hook.example'])
    expect(inside.connections()).toBe(0)
    await inside.close()
    await outside.close()
  })

  test('one that leads to an address that is allowed does not tell which, when nobody answers there', async () => {
    const [gone, other] = [await receiver('127.0.0.2'), await receiver('127.0.0.3')]
    await Promise.all([gone.close(), other.close()])
    for (const addresses of [['127.0.0.2'], ['127.0.0.2', '127.0.0.3']]) {
      answers = { 'hook.example': [addresses] }
      said = ''
      const delivery = await told(`http://hook.example:${gone.port}/`, sending(['127.0.0.0/8'], resolve))
      expect(delivery).toMatchObject({ last_error: 'connect ECONNREFUSED' })
      expect(said).toContain('connect ECONNREFUSED')
      expect(said).not.toMatch(/127\.0\.0\.\d/)
    }
  })

  test('the delivery log does not tell one inside from one that is not there, by words or by time; our log does', async () => {
    const given = [
      ...Object.values(inner).map(([addresses]) => ({ 'hook.example': [addresses] })),
      { 'hook.example': [[]] },
      {},
    ]
    const logs: unknown[] = []
    for (const said of given) {
      org = await w.org()
      answers = said
      const delivery = await told('http://hook.example/', sending([], resolve))
      logs.push({
        ...delivery,
        id: 0,
        delivery_id: 0,
        event_id: 0,
        channel_id: 0,
        channel: { ...delivery?.channel, id: 0 },
      })
    }
    expect(logs).toEqual(logs.map(() => logs[0]))
    expect(logs[0]).toMatchObject({ state: 'pending', attempts: 1, last_error: NOWHERE, last_latency_ms: null })
    expect(said).toContain('"why":"getaddrinfo ENOTFOUND hook.example"')
  })
})

test('a redirect to an internal address is not followed', async () => {
  const outside = await receiver('127.0.0.2')
  outside.answer = (response) => void response.writeHead(307, { location: at('127.0.0.1') }).end()
  const url = `http://127.0.0.2:${outside.port}/hook`
  expect(await told(url, sending(['127.0.0.2']))).toMatchObject({
    last_status: 307,
    last_error: 'status 307: redirects are not followed',
  })
  expect(v4.connections).toBe(0)
  await outside.close()
})

describe('EGRESS_ALLOW', () => {
  const cases: Record<string, [allow: string[], address: string, may: boolean]> = {
    'a range': [['10.0.0.0/8'], '10.1.2.3', true],
    'outside the range': [['10.0.0.0/8'], '192.168.0.1', false],
    'an address': [['127.0.0.1'], '127.0.0.1', true],
    'next to the address': [['127.0.0.1'], '127.0.0.2', false],
    'a range in IPv6 clothes': [['127.0.0.0/8'], '::ffff:127.0.0.1', true],
    'an IPv6 range': [['fd00::/8'], 'fd12::1', true],
    'an IPv6 address': [['::1'], '::1', true],
    'IPv4 everywhere is not IPv6 everywhere': [['0.0.0.0/0'], '::1', false],
    'a public address needs no leave': [[], '93.184.216.34', true],
    'a public IPv6 address needs none': [[], '2606:4700:4700::1111', true],
    'a public address in IPv6 clothes needs none': [[], '::ffff:8.8.8.8', true],
    'what is no address has none': [ANY, 'localhost', false],
  }
  test.each(Object.entries(cases))('%s', (_, [allow, address, may]) => expect(addressRule(allow)(address)).toBe(may))

  test('what it allows is reached', async () => {
    expect(await told(at('127.0.0.1'), sending(['127.0.0.0/8', '::1/128']))).toMatchObject({ state: 'delivered' })
    expect(v4.connections).toBe(1)
  })
})

describe('the answer', () => {
  /** Deadline of tests in which the response comes too late. */
  const DEADLINE_MS = 500
  const within = (deadline_ms: number) => openPost({ egress_allow: ['127.0.0.1'] }, deadline_ms)

  async function answered(bytes: (write: (text: string) => boolean) => void | Promise<void>, deadline_ms = 30_000) {
    const server = await listeningAt('127.0.0.1', 0, bytes)
    const answer = await within(deadline_ms)(`http://127.0.0.1:${server.port}/`, {}, '{}')
    await server.close()
    return answer
  }
  const drip = async (write: (text: string) => boolean, text: () => string) => {
    while (write(text())) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  test('that never comes is given up on in time', async () => {
    const answer = await answered(() => {}, DEADLINE_MS)
    expect(answer).toEqual({ kind: 'failed', reason: 'no response within 0.5 s' })
  })

  test('that drips in, header by header, is given up on in time', async () => {
    const answer = await answered(async (write) => {
      write('HTTP/1.1 200 OK\r\n')
      await drip(write, () => 'x: y\r\n')
    }, DEADLINE_MS)
    expect(answer).toEqual({ kind: 'failed', reason: 'no response within 0.5 s' })
  })

  test('whose body drips in counts by its status, in time', async () => {
    const answer = await answered(async (write) => {
      write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      await drip(write, () => '.')
    }, 4 * DEADLINE_MS)
    expect(answer).toMatchObject({ kind: 'answered', status: 200 })
  })

  test('that never ends is read for a few KiB', async () => {
    let written = 0
    const answer = await answered(async (write) => {
      write('HTTP/1.1 500 Oh no\r\n\r\n')
      const chunk = 'x'.repeat(65_536)
      while (write(chunk)) {
        written += chunk.length
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect(answer).toMatchObject({ kind: 'answered', status: 500 })
    expect((answer as { body: string }).body).toHaveLength(4096)
    expect(written).toBeLessThan(50_000_000)
  })

  test('whose headers have no end is refused', async () => {
    const answer = await answered((write) => void write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`))
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/overflow/i) })
  })

  test('that announces itself without end is given up on at once', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n'
    const [few, many] = [5, 1000].map((count) =>
      answered((write) => void write(`${hint.repeat(count)}HTTP/1.1 204 No Content\r\n\r\n`)),
    )
    expect(await few).toMatchObject({ kind: 'answered', status: 204 })
    expect(await many).toEqual({ kind: 'failed', reason: 'more than 20 interim responses' })
  })

  test('that changes to another protocol counts by its status', async () => {
    const answer = await answered(
      (write) => void write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    )
    expect(answer).toMatchObject({ kind: 'answered', status: 101 })
  })

  test('is asked for without the kind of key exchange whose size the receiver chooses', async () => {
    const hellos: Buffer[] = []
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        hellos.push(bytes)
        socket.destroy()
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    await within(30_000)(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, '{}')
    await new Promise((resolve) => void server.close(resolve))
    expect(hellos.flatMap(finiteFieldSuites)).toEqual([])
    expect(hellos.flatMap(suitesIn)).toContain(ECDHE_RSA_AES128_GCM)
  })

  test('that is not HTTP is refused', async () => {
    const answer = await answered((write) => void write('SSH-2.0-OpenSSH_9.6\r\n'))
    expect(answer).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/parse error/i) })
  })

  describe('of a request that this process stood still over', () => {
    /** By a clock that is a minute further when it is asked for the nth time. */
    const late = (nth: number) => {
      let asked = 0
      return openPost({ egress_allow: ['127.0.0.1'], elapsedMs: () => (++asked < nth ? 0 : 60_000) }, 5000)
    }
    const STOOD_STILL = { kind: 'failed', reason: 'this server was too busy to connect', is_ours: true }

    test('is not waited for: nothing is sent once it is connected', async () => {
      const server = await receiver()
      expect(await late(2)(server.url, {}, '{}')).toEqual(STOOD_STILL)
      expect(await late(3)(server.url, {}, '{}')).toMatchObject({ kind: 'answered', status: 204 })
      expect([server.connections, server.got.length]).toEqual([2, 1])
      await server.close()
    })

    test('nor over TLS, once hands are shaken', async () => {
      const minted = mint({ name: 'localhost', for: ['127.0.0.1'] })
      const before = getCACertificates('default')
      setDefaultCACertificates([...before, minted.cert])
      let requests = 0
      const server = serveHttps(minted, (_request, response) => {
        requests++
        response.writeHead(204).end()
      })
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
      expect(await late(2)(url, {}, '{}')).toEqual(STOOD_STILL)
      expect(await late(3)(url, {}, '{}')).toEqual(STOOD_STILL)
      expect(await late(4)(url, {}, '{}')).toMatchObject({ kind: 'answered', status: 204 })
      expect(requests).toBe(1)
      setDefaultCACertificates(before)
      await new Promise((resolve) => void server.close(resolve))
    })
  })

  test('a proxy of the environment is not used', async () => {
    const proxy = await receiver()
    const target = at('127.0.0.1')
    const run = promisify(execFile)
    // Node looks for it once, when it starts.
    const environment = { PATH: process.env.PATH ?? '', NODE_USE_ENV_PROXY: '1', HTTP_PROXY: new URL(proxy.url).origin }
    const inNode = (code: string) =>
      run(process.execPath, ['--input-type=module', '-e', code], { env: environment, timeout: 120_000 })
    const egress = fileURLToPath(new URL('../../../channels/src/egress.ts', import.meta.url))
    const { stdout } = await inNode(`import { openPost } from '${egress}'
      console.log(JSON.stringify(await openPost({ egress_allow: ['127.0.0.1'] })('${target}', {}, '{}')))`)
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'answered', status: 204 })
    expect(proxy.connections).toBe(0)
    // It is there to be used: others do.
    await inNode(`import { request } from 'node:http'
      request('${target}', { method: 'POST' }, (answer) => answer.resume()).end('{}')`)
    expect(proxy.connections).toBe(1)
    await proxy.close()
  })
})

describe('secrets', () => {
  test('neither the delivery log nor our own log holds what is secret in a url, or the secret that signs', async () => {
    const urls = [
      'http://alice:pa55w0rd@127.0.0.1/T0/B0/slackpath?token=querysecret',
      'http://alice:pa55w0rd@hook.example/T0/B0/slackpath?token=querysecret',
      `http://alice:pa55w0rd@127.0.0.2:${v4.port}/T0/B0/slackpath?token=querysecret`,
      'http://alice:pa55w0rd@127.0.0.2:1/T0/B0/slackpath?token=querysecret',
    ]
    const webhook_secret = 'signingsecret'
    v4.answer = (response, { path }) =>
      void response.writeHead(500, `no ${path}`).end(`you said alice:pa55w0rd ${path} ${webhook_secret}`)
    for (const webhook_url of urls) {
      await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'hook', webhook_url, webhook_secret })
      await createChannel(w.deps, org.org_id, { kind: 'slack', name: 'slack', webhook_url })
    }
    await happens(w.deps, org.org_id, 'check.down')
    expect(await deliverOnce(sending(['127.0.0.2'], resolve))).toMatchObject({ claimed: 8, pending: 8 })
    v4.answer = 204
    const log = await readDeliveries(w.deps, org.org_id)
    expect(log.map(({ last_error }) => last_error).filter((line) => line !== null)).toHaveLength(8)
    expect(said).toContain(BLOCKED)
    for (const secret of ['pa55w0rd', 'slackpath', 'querysecret', webhook_secret, btoa('alice:pa55w0rd')]) {
      expect(JSON.stringify(log)).not.toContain(secret)
      expect(said).not.toContain(secret)
    }
  })
})

interface Listening {
  port: number
  connections(): number
  close(): Promise<void>
}

/** Listens, and writes what it is told to whoever has sent something. */
async function listeningAt(
  host: string,
  port: number,
  bytes: (write: (text: string) => boolean) => void | Promise<void> = () => {},
): Promise<Listening> {
  let connections = 0
  const sockets = new Set<{ destroy(): void }>()
  const server: Server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    const write = (text: string): boolean => {
      if (socket.destroyed) return false
      socket.write(text)
      return true
    }
    socket.once('data', () => void bytes(write))
  })
  await new Promise<void>((resolve) => void server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}
