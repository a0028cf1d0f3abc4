// Names that people typed: one whose servers are silent is nobody's trouble but its own.
import { createSocket, type Socket } from 'node:dgram'
import { rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPost } from '@dogwatch/channels/egress'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { resolveByDns } from '../../../channels/src/resolve.ts'
import { eventually } from '../support/world.ts'

const A = 1
const AAAA = 28
const OK = 0
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

/** What the name server says: addresses, nothing at all, that it failed, or that there is no such name. */
type Said = { 4?: string[]; 6?: string[] } | 'silence' | 'failure' | undefined

let server: Socket
let servers: string[]
let zone: Record<string, Said>
let asked: string[]
let inbox: Receiver
const hosts_file = join(tmpdir(), `dogwatch-hosts-${process.pid}`)
beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (question, from) => {
    const reply = answerTo(question)
    if (reply) server.send(reply, from.port, from.address)
  })
  await new Promise<void>((resolve) => void server.bind(0, '127.0.0.1', resolve))
  servers = [`127.0.0.1:${server.address().port}`]
  inbox = await receiver()
  await writeFile(hosts_file, '# ours\n127.0.0.1 localhost\n127.0.0.7\tOwn.example own # and 9.9.9.9 too.example\n')
})
afterAll(async () => {
  server.close()
  await inbox.close()
  await rm(hosts_file)
})
beforeEach(() => {
  asked = []
  zone = { 'ok.example': { 4: ['127.0.0.1'], 6: [] } }
})

const resolve = (name: string, signal = new AbortController().signal) =>
  resolveByDns({ servers, hosts_file })(name, signal)
const post = (deadline_ms?: number, egress_allow = ['127.0.0.1']) =>
  openPost({ egress_allow, resolve: resolveByDns({ servers, hosts_file }) }, deadline_ms)

test('names whose servers are silent hold up no other, nor what else waits for a thread', async () => {
  for (let i = 0; i < 32; i++) zone[`n${i}.silent.test`] = 'silence'
  let isOver = false
  const silent = Array.from({ length: 32 }, (_, i) => post(8000)(`http://n${i}.silent.test/`, {}, '{}'))
  void Promise.race(silent).then(() => (isOver = true))
  expect(await post()(`http://ok.example:${inbox.port}/`, {}, '{}')).toMatchObject({ kind: 'answered', status: 204 })
  await stat('/')
  expect(isOver).toBe(false)
  const [first] = await Promise.all(silent)
  expect(first).toMatchObject({ kind: 'failed' })
})

test('at the deadline the question is withdrawn', async () => {
  zone['n.silent.test'] = 'silence'
  const over = new AbortController()
  const answer = resolve('n.silent.test', over.signal)
  answer.catch(() => {})
  await eventually(() => asked.includes('n.silent.test'), 'it is asked for')
  over.abort()
  await expect(answer).rejects.toThrow('the name servers for n.silent.test are not responding')
})

test('both families count, and one of them does where the other is silent', async () => {
  zone['both.example'] = { 4: ['192.0.2.1', '192.0.2.2'], 6: ['2001:db8::1'] }
  expect(await resolve('both.example')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  zone['six.example'] = { 6: ['2001:db8::1'] }
  expect(await resolve('six.example')).toEqual([{ address: '2001:db8::1', family: 6 }])
})

test.each([
  ['nowhere.example', 'nowhere.example does not exist (DNS)'],
  ['empty.example', 'empty.example has no address'],
])('what is wrong with %s is told', async (name, line) => {
  zone['empty.example'] = { 4: [], 6: [] }
  await expect(resolve(name)).rejects.toThrow(line)
})

test('the hosts file goes first, whatever the spelling', async () => {
  zone['own.example'] = { 4: ['192.0.2.1'], 6: [] }
  expect(await resolve('own.EXAMPLE.')).toEqual([{ address: '127.0.0.7', family: 4 }])
  await expect(resolve('too.example')).rejects.toThrow('does not exist')
})

describe('a name that leads nowhere public', () => {
  const kinds: Record<string, [name: string, why: RegExp]> = {
    'that leads inside in part': ['mixed.example', /^blocked/],
    'that leads inside by the hosts file': ['own.example', /^blocked/],
    'without a dot': ['localhost', /^blocked/],
    'that does not exist': ['nowhere.example', / does not exist/],
    'that has no address': ['empty.example', /has no address$/],
    'whose servers fail': ['failure.example', /DNS lookup for failure.example failed: ESERVFAIL$/],
    'that the system does not know': ['no-such-machine', /ENOTFOUND|EAI_AGAIN/],
  }
  beforeEach(() => {
    zone['mixed.example'] = { 4: ['93.184.216.34'], 6: ['::1'] }
    zone['empty.example'] = { 4: [], 6: [] }
    zone['failure.example'] = 'failure'
  })

  test.each(Object.entries(kinds))(
    '%s is told in the same words and after the same time; operators learn why',
    async (_, [name, why]) => {
      const waits: number[] = []
      const wait = (ms: number) => {
        waits.push(ms)
        return Promise.resolve()
      }
      const ask = openPost({
        egress_allow: [],
        resolve: resolveByDns({ servers, hosts_file }),
        elapsedMs: () => 7,
        wait,
      })
      const answer = await ask(`http://${name}/`, {}, '{}')
      expect(answer).toMatchObject({
        kind: 'failed',
        reason: `the name ${name} has no public address`,
        for_operator: expect.stringMatching(why),
      })
      expect(waits).toEqual([500])
    },
  )
})

function headOf(question: Buffer, code: number, answers: number): Buffer {
  const head = Buffer.from([0, 0, 0x81, 0x80 + code, 0, 1, 0, answers, 0, 0, 0, 0])
  question.copy(head, 0, 0, 2)
  return head
}

function answerTo(question: Buffer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = question.readUInt16BE(at + 1)
  const name = labels.join('.').toLowerCase()
  asked.push(name)
  const said = zone[name]
  if (said === 'silence') return undefined
  if (said === 'failure') return Buffer.concat([headOf(question, SERVER_FAILURE, 0), question.subarray(12, at + 5)])
  const addresses = (type === A ? said?.[4] : type === AAAA ? said?.[6] : undefined) ?? (said ? undefined : [])
  // Silent about this family alone.
  if (!addresses) return undefined
  const head = headOf(question, said ? OK : NO_SUCH_NAME, addresses.length)
  return Buffer.concat([head, question.subarray(12, at + 5), ...addresses.map((address) => recordOf(type, address))])
}

function recordOf(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : bytesOfIPv6(address)
  return Buffer.concat([Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 1, 0, data.length]), data])
}

/** Of the form `2001:db8::1`. */
function bytesOfIPv6(address: string): Buffer {
  const [front, back] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const bytes = Buffer.alloc(16)
  front?.forEach((group, i) => bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2))
  back?.forEach((group, i) => bytes.writeUInt16BE(Number.parseInt(group, 16), 16 - (back.length - i) * 2))
  return bytes
}
