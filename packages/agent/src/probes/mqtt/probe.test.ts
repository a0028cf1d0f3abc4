// mqtt:// targets: the connection to a broker, and messages of a topic.
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { expect, test } from '@jest/globals'
import { type Peer, serveScript } from '../../../test/support/byte-server.ts'
import { run } from '../../../test/support/checks.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** Reads a packet that is shorter than 128 bytes. */
async function packet({ take }: Peer): Promise<Buffer> {
  const head = await take(2)
  return Buffer.concat([head, await take(head[1] ?? 0)])
}

/** Serves a broker that answers the connection, and then the subscription. Keeps what it received. */
async function serveBroker(accept: string, ...answers: string[]): Promise<{ port: number; received: string[] }> {
  const received: string[] = []
  const port = await serveScript(async (peer) => {
    for (const answer of [accept, ...answers]) {
      received.push((await packet(peer)).toString('hex'))
      peer.send(hex(answer))
    }
    received.push((await packet(peer)).toString('hex'))
  })
  return { port, received }
}

const ACCEPTED = '2002 0000'

test('a broker that accepts the connection is up, and the client signs in and leaves', async () => {
  const { port, received } = await serveBroker(ACCEPTED)
  expect((await run(`mqtt://u:p%40@127.0.0.1:${port}?client=c`)).kind).toBe('ok')
  // MQTT, level 4, the flags of a user, a password and a clean session, 120 s, the client, the user and the password.
  expect(received[0]).toBe(hex('1014 0004 4d515454 04 c2 0078 0001 63 0001 75 0002 7040').toString('hex'))
})

test.each([
  [1, 'the broker does not accept MQTT 3.1.1'],
  [2, 'the broker does not accept the client identifier'],
  [3, 'the broker is not available'],
  [4, 'the user or the password is wrong'],
  [5, 'the broker does not permit the connection'],
  [9, 'the broker refused the connection with the code 9'],
])('the code %i refuses the connection', async (code, words) => {
  const { port } = await serveBroker(`2002 000${code}`)
  expect((await run(`mqtt://127.0.0.1:${port}`)).error).toBe(`protocol: ${words}`)
})

test('a topic is subscribed, and its message is the content', async () => {
  // A message may come before the confirmation. One whose receipt must be acknowledged has an identifier.
  const { port, received } = await serveBroker(ACCEPTED, '3004 0001 61 78  9003 0001 00  3208 0001 61 0007 6f6b6b')
  const found = await run(`mqtt://127.0.0.1:${port}?topic=a/%2B`, { match_string: 'ok' })
  expect(found).toMatchObject({ kind: 'ok', response_sample: 'okk' })
  expect(received[1]).toBe(hex('8208 0001 0003 612f2b 00').toString('hex'))
})

test('a topic without a message fails the check, as does one that the broker refuses', async () => {
  const { port } = await serveBroker(ACCEPTED, '9003 0001 00')
  const silent = await run(`mqtt://127.0.0.1:${port}?topic=a`, { timeout_sec: 1 })
  expect(silent.error).toBe('timeout: while waiting for a response')
  const refusing = await serveBroker(ACCEPTED, '9003 0001 80')
  expect((await run(`mqtt://127.0.0.1:${refusing.port}?topic=a`)).error).toBe(
    'protocol: the broker refused the subscription',
  )
})

test.each([
  ['a response to another packet', '9003 0001 00'],
  ['a length without an end', '20ff ffff ff'],
  ['a topic that is longer than its message', '2002 0000 3003 0009 61'],
])('%s is not valid MQTT', async (_, answer) => {
  const { port } = await serveBroker(answer)
  expect((await run(`mqtt://127.0.0.1:${port}?topic=a`)).error).toBe('protocol: the response is not valid MQTT')
})

test('readers do not see the password', () => {
  expect(hideInUrl('mqtts://u:p@a?topic=b')).toBe('mqtts://u:***@a?topic=b')
})
