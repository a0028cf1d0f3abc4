// mysql:// targets: signing in, a query that can only read, and servers that ask for too much.
import { constants, createHash, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type Peer, serveScript } from '../../../test/support/byte-server.ts'
import { run } from '../../../test/support/checks.ts'

const SALT = Buffer.from('abcdefghijklmnopqrst')
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0])
const END = Buffer.from([0xfe, 0, 0, 2, 0])
const error = (code: number) =>
  Buffer.concat([Buffer.from([0xff, code & 0xff, code >> 8]), Buffer.from('#42000it is secret')])

function greeting(method = 'mysql_native_password', version = '8.0.1', flags = 0xf7ff): Buffer {
  const fixed = Buffer.from([flags & 0xff, flags >> 8, 45, 2, 0, 0xff, 0xff, 21, ...Buffer.alloc(10)])
  return Buffer.concat([
    Buffer.from([10]),
    Buffer.from(`${version}\0`),
    Buffer.alloc(4),
    SALT.subarray(0, 8),
    Buffer.alloc(1),
    fixed,
    SALT.subarray(8),
    Buffer.from(`\0${method}\0`),
  ])
}

function packet(sequence: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([body.length & 0xff, body.length >> 8, body.length >> 16, sequence]), body])
}

async function read({ take }: Peer): Promise<{ sequence: number; body: Buffer }> {
  const head = await take(4)
  return { sequence: head[3] ?? 0, body: await take(head.readUIntLE(0, 3)) }
}

const sha = (name: string, ...parts: (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash(name)).digest()
const xor = (one: Buffer, other: Buffer) =>
  Buffer.from(one.map((byte, index) => byte ^ (other[index % other.length] ?? 0)))

/** Greets, and returns the proof of the client, which is after its user. */
async function proofOf(peer: Peer, first = greeting()): Promise<Buffer> {
  peer.send(packet(0, first))
  const { body } = await read(peer)
  const at = body.indexOf(0, 32) + 1
  return body.subarray(at + 1, at + 1 + (body[at] ?? 0))
}

/** Serves a database with any password, which answers the query with these packets. Keeps the queries. */
async function serveRows(answers: Buffer[], version?: string): Promise<{ url: string; queries: string[] }> {
  const queries: string[] = []
  const port = await serveScript(async (peer) => {
    await proofOf(peer, greeting(undefined, version))
    peer.send(packet(2, OK))
    for (let count = 0; count < 4; count++) {
      const { body } = await read(peer)
      queries.push(body.toString())
      if (count < 3) peer.send(packet(1, OK))
    }
    peer.send(...answers.map((answer, index) => packet(index + 1, answer)))
  })
  return { url: `mysql://u:p@127.0.0.1:${port}/shop?query=select%20n`, queries }
}

const column = (type: number) =>
  Buffer.concat([Buffer.from('\x03def\0\0\0\x01n\0'), Buffer.from([0x0c, 45, 0, 10, 0, 0, 0, type, 0, 0, 0, 0, 0])])
const rows = (type: number, row: Buffer) => [Buffer.from([1]), column(type), END, row, END]

test.each([
  ['8.0.1', 'SET max_execution_time = 5000'],
  ['11.4.2-MariaDB', 'SET max_statement_time = 5'],
])('version %s: the first value is the content, and the query can only read', async (version, limit) => {
  const { url, queries } = await serveRows(rows(3, Buffer.from('\x0242')), version)
  expect(await run(url, { match_string: '42' })).toMatchObject({ kind: 'ok', response_sample: '42' })
  expect(queries.map((query) => query.slice(1))).toEqual([
    'SET sql_select_limit = 1',
    limit,
    'START TRANSACTION READ ONLY',
    'select n',
  ])
})

test.each([
  ['no rows', [Buffer.from([1]), column(3), END, END], 'ok', ''],
  ['no result', [OK], 'ok', ''],
  ['no value', rows(3, Buffer.from([0xfb])), 'ok', 'NULL'],
  ['an error', [error(1146)], 'protocol', 'it is secret'],
  ['an error after the columns', rows(3, error(3024)), 'protocol', 'it is secret'],
  ['a request for a file', [Buffer.from('\xfb/etc/passwd', 'latin1')], 'protocol', ''],
  ['many columns', [Buffer.from([0xfe, 1, 1, 1, 1, 1, 1, 1, 1])], 'timeout', ''],
])('a result with %s', async (_, answers, kind, sample) => {
  const { url } = await serveRows(answers)
  expect(await run(url, { timeout_sec: kind === 'timeout' ? 0.4 : 5 })).toMatchObject({ kind, response_sample: sample })
})

test('a value is read up to 64 KiB, however long it is', async () => {
  const row = Buffer.concat([Buffer.from([0xfd, 0, 0, 0x20]), Buffer.alloc(70_000, 'x')])
  const { url } = await serveRows(rows(0xfd, row))
  const found = await run(url, { match_string: 'y' })
  expect(found.error).toBe('match: not found in the first 64 KiB of the value; the rest is not read')
})

test('the password is proven by the method of the server, also after a change of it', async () => {
  const once = sha('sha1', 'p')
  const native = xor(once, sha('sha1', SALT, sha('sha1', once)))
  const cached = xor(sha('sha256', 'p'), sha('sha256', sha('sha256', sha('sha256', 'p')), SALT))
  const proofs: Buffer[] = []
  const port = await serveScript(async (peer) => {
    proofs.push(await proofOf(peer))
    peer.send(packet(2, Buffer.concat([Buffer.from('\xfecaching_sha2_password\0', 'latin1'), SALT, Buffer.alloc(1)])))
    proofs.push((await read(peer)).body)
    peer.send(packet(4, Buffer.from([1, 3])), packet(5, OK))
  })
  expect((await run(`mysql://u:p@127.0.0.1:${port}`)).kind).toBe('ok')
  expect(proofs).toEqual([native, cached])
})

test('a server that has forgotten the password receives it encrypted for its key', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let password = ''
  const port = await serveScript(async (peer) => {
    await proofOf(peer, greeting('caching_sha2_password'))
    peer.send(packet(2, Buffer.from([1, 4])))
    expect((await read(peer)).body).toEqual(Buffer.from([2]))
    peer.send(
      packet(
        4,
        Buffer.concat([Buffer.from([1]), Buffer.from(String(publicKey.export({ type: 'spki', format: 'pem' })))]),
      ),
    )
    const { body } = await read(peer)
    password = xor(
      privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, body),
      SALT,
    ).toString()
    peer.send(packet(6, OK))
  })
  expect((await run(`mysql://u:p@127.0.0.1:${port}`)).kind).toBe('ok')
  expect(password).toBe('p\0')
})

test.each([
  ['a wrong password', [error(1045)], 'the user or the password is wrong (1045)'],
  [
    'another method',
    [Buffer.from('\xfeclient_ed25519\0x', 'latin1')],
    'the server asks for the sign-in method client_ed25519, which is not supported',
  ],
  [
    'the password in clear text',
    [Buffer.from('\xfemysql_clear_password\0', 'latin1')],
    'the server asks for the password in clear text, which needs the option tls=yes',
  ],
  ['an unknown step', [Buffer.from([9])], 'the response is not valid MySQL'],
])('a server that answers with %s fails the check', async (_, answers, words) => {
  const port = await serveScript(async (peer) => {
    await proofOf(peer)
    peer.send(...answers.map((answer) => packet(2, answer)))
  })
  expect((await run(`mysql://u:p@127.0.0.1:${port}`)).error).toBe(`protocol: ${words}`)
})

test.each([
  [error(1040), 'protocol: the server has too many connections (1040)'],
  [greeting(undefined, undefined, 0xf7ff & ~0x800), 'tls: the server does not offer TLS'],
  [greeting().subarray(0, 30), 'protocol: the response is not valid MySQL'],
])('a greeting that does not allow TLS fails the check: %#', async (first, words) => {
  const port = await serveScript(async ({ send }) => send(packet(0, first)))
  expect((await run(`mysql://u:p@127.0.0.1:${port}?tls=yes`)).error).toBe(words)
})
