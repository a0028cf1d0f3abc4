// postgres:// targets: signing in, a query that can only read, and servers that ask for too much.
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { BLANK_CHECK } from '@dogwatch/check-rules/fields'
import { hideInUrl, restoreSecrets } from '@dogwatch/check-rules/secrets'
import { expect, test } from '@jest/globals'
import { type Peer, serveScript } from '../../../test/support/byte-server.ts'
import { run } from '../../../test/support/checks.ts'
import { int16, int32, text, typed, untyped } from './messages.ts'

const READY = typed('Z', Buffer.from('I'))
const SIGNED_IN = typed('R', int32(0))
const error = (code: string) => typed('E', text('SERROR'), text(`C${code}`), text('Mit is secret'), Buffer.alloc(1))
/** The description of a column, and its first row. */
const rows = (type: number, value: string) => [
  typed('T', int16(1), text('x'), int32(0), int16(0), int32(type), int16(8), int32(-1), int16(0)),
  typed('D', int16(1), int32(value.length), Buffer.from(value)),
]

async function startup({ take }: Peer): Promise<string> {
  const length = (await take(4)).readInt32BE()
  return (await take(length - 4)).toString('latin1', 4)
}

async function message({ take }: Peer): Promise<{ type: string; body: Buffer }> {
  const head = await take(5)
  return { type: head.toString('latin1', 0, 1), body: await take(head.readInt32BE(1) - 4) }
}

/** Serves a database without a password, which answers a query with these messages. Keeps what it received. */
async function serveRows(...answers: Buffer[]): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const port = await serveScript(async (peer) => {
    received.push(await startup(peer))
    peer.send(SIGNED_IN, typed('S', text('a'), text('b')), READY)
    received.push((await message(peer)).body.toString())
    peer.send(typed('C', text('BEGIN')), READY)
    for (let type = ''; type !== 'S'; ) {
      const next = await message(peer)
      type = next.type
      received.push(`${type} ${next.body.toString('latin1')}`)
    }
    peer.send(...answers)
  })
  return { url: `postgres://u:p@127.0.0.1:${port}/shop?query=select%20n`, received }
}

test('the first value is the content, and the query runs in a transaction that can only read', async () => {
  const { url, received } = await serveRows(...rows(23, '42'))
  expect(await run(url, { match_string: '42', timeout_sec: 5 })).toMatchObject({ kind: 'ok', response_sample: '42' })
  expect(received.slice(0, 3)).toEqual([
    'user\0u\0database\0shop\0client_encoding\0UTF8\0application_name\0dogwatch\0\0',
    'BEGIN READ ONLY; SET LOCAL statement_timeout = 5000\0',
    'P \0select n\0\0\0',
  ])
  // The limit of one row.
  expect(received).toContain('E \0\0\0\0\x01')
})

test.each([
  ['no row', [typed('C', text('SELECT 0')), READY], 'ok', ''],
  ['no value', [typed('D', int16(1), int32(-1))], 'ok', 'NULL'],
  ['a boolean', rows(16, 't'), 'ok', 'true'],
  ['a number that is too long', rows(20, '12345678901234567890'), 'ok', '12345678901234567890'],
  ['an error', [error('42P01')], 'protocol', 'it is secret'],
])('a result with %s', async (_, answers, kind, sample) => {
  const { url } = await serveRows(...answers)
  expect(await run(url)).toMatchObject({ kind, response_sample: sample })
})

test('a value is read up to 64 KiB, however long it is', async () => {
  const endless = Buffer.concat([Buffer.from('D'), int32(2 ** 30), int16(1), int32(2 ** 29), Buffer.alloc(65_536, 'x')])
  const { url } = await serveRows(endless)
  const found = await run(url, { match_string: 'y' })
  expect(found.error).toBe('match: not found in the first 64 KiB of the value; the rest is not read')
})

test.each([
  [error('28P01'), 'the user or the password is wrong (28P01)'],
  [error('3D000'), 'the database does not exist (3D000)'],
  [error('XX000'), 'the server reported the error XX000'],
  [error('<b>'), 'the server reported the error unknown'],
  [typed('R', int32(3)), 'the server asks for the password in clear text, which needs the option tls=yes'],
  [typed('R', int32(7)), 'the server asks for a sign-in method that is not supported'],
  [
    typed('R', int32(10), text('SCRAM-SHA-512'), Buffer.alloc(1)),
    'the server asks for a sign-in method that is not supported',
  ],
  [typed('Z'), 'the response is not valid PostgreSQL'],
])('a refusal to sign in is the fault: %#', async (answer, words) => {
  const port = await serveScript(async (peer) => {
    await startup(peer)
    peer.send(answer)
  })
  expect((await run(`postgres://u:p@127.0.0.1:${port}`)).error).toBe(`protocol: ${words}`)
})

/** Signs a client in by SCRAM, and proves that the server knows the password. Refuses a wrong proof. */
async function signInByScram(peer: Peer, password: string, iterations: number): Promise<void> {
  const salt = Buffer.from('salt')
  peer.send(typed('R', int32(10), text('SCRAM-SHA-256'), Buffer.alloc(1)))
  const first = (await message(peer)).body.toString().replace(/^.*n,,/s, '')
  const challenge = `r=${/r=(.*)/.exec(first)?.[1]}server,s=${salt.toString('base64')},i=${iterations}`
  peer.send(typed('R', int32(11), Buffer.from(challenge)))
  const final = (await message(peer)).body.toString()
  const [unproven = '', proof = ''] = final.split(',p=')
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (key: Buffer, words: string) => createHmac('sha256', key).update(words).digest()
  const signed = `${first},${challenge},${unproven}`
  const stored = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
  const key = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (hmac(stored, signed)[index] ?? 0))
  if (!createHash('sha256').update(key).digest().equals(stored)) return peer.send(error('28P01'))
  const signature = hmac(hmac(salted, 'Server Key'), signed).toString('base64')
  peer.send(typed('R', int32(12), Buffer.from(`v=${signature}`)), SIGNED_IN, READY)
}

test.each([
  ['p', 4096, undefined],
  ['other', 4096, 'the user or the password is wrong (28P01)'],
  ['p', 10_000_000, 'the server demands too many iterations for the password'],
])('a server with the password %s signs in by SCRAM in %i iterations', async (password, iterations, words) => {
  const port = await serveScript(async (peer) => {
    await startup(peer)
    await signInByScram(peer, password, iterations)
  })
  const { error: found } = await run(`postgres://u:p@127.0.0.1:${port}`)
  expect(found).toBe(words === undefined ? '' : `protocol: ${words}`)
})

test.each([
  ['N', 'tls: the server does not offer TLS'],
  // Anyone on the path could have added an answer that would be read as if it were encrypted.
  ['SR', 'protocol: the server sent data before the TLS handshake'],
  ['x', 'protocol: the response is not valid PostgreSQL'],
  [error('53300'), 'protocol: the server has too many connections (53300)'],
])('the answer %j to the request for TLS fails the check', async (answer, words) => {
  const requests: string[] = []
  const port = await serveScript(async (peer) => {
    requests.push((await peer.take(8)).toString('hex'))
    peer.send(answer)
  })
  expect((await run(`postgres://u:p@127.0.0.1:${port}?tls=yes`)).error).toBe(words)
  expect(requests).toEqual([untyped(int32(80_877_103)).toString('hex')])
})

test('readers do not see the password, and who cannot see it cannot have it sent without TLS', () => {
  const [stored, hidden] = ['postgres://u:p@a/b?tls=yes', 'postgres://u:***@a/b?tls=yes']
  const fields = { ...BLANK_CHECK, insecure_skip_verify: false }
  expect(hideInUrl(stored)).toBe(hidden)
  const restored = (url: string, insecure_skip_verify = false) =>
    restoreSecrets({ ...fields, url, insecure_skip_verify }, { ...fields, url: stored })
  expect(restored(`${hidden}&query=select%201`).faults).toEqual([])
  expect(restored('postgres://u:***@a/b').faults).toMatchObject([
    { must: expect.stringContaining('tls was turned off') },
  ])
  expect(restored(hidden, true).faults).toHaveLength(1)
})
