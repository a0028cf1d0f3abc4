// Lists answers of real servers, as the proof `kinds` received them: the first answer of a server of each protocol, and its
// answers to the agent's messages.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Answers of a server: the first one, and then one after each message that the server receives. */
export type Conversation = readonly (Buffer | ((request: Buffer) => Buffer))[]

const hex = (...lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'hex')
const text = (...lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
/**
 * Returns bytes with their length before them. `more` is added to the length, because some protocols count the length field, too.
 */
const sized = (bytes: Buffer, more = 0): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length + more)
  return Buffer.concat([length, bytes])
}
const NOTHING = Buffer.alloc(0)

const MEBIBYTE = 1024 * 1024
const WELL = '{"state":"up","list":[1,2,{"a":"b"}],"text":"all is well"}'
const http = (body: Buffer | string, ...headers: readonly string[]): Conversation => {
  const bytes = Buffer.from(body)
  const lines = ['HTTP/1.1 200 OK', 'Server: nginx/1.22.1', ...headers]
  return [NOTHING, Buffer.concat([text(...lines, `Content-Length: ${bytes.length}`, ''), bytes])]
}
const bomb = gzipSync(Buffer.alloc(256 * MEBIBYTE))
const bytes64 = Buffer.alloc(64 * MEBIBYTE)

const HTTP: readonly Conversation[] = [
  http(WELL, 'Content-Type: application/json', 'Set-Cookie: a=b; Path=/; Max-Age=60', 'ETag: "x"'),
  http(gzipSync(WELL), 'Content-Encoding: gzip'),
  http(brotliCompressSync(WELL), 'Content-Encoding: br'),
  http(bomb, 'Content-Encoding: gzip'),
  http(gzipSync(bomb), 'Content-Encoding: gzip, gzip'),
  http(brotliCompressSync(bytes64), 'Content-Encoding: br', 'Content-Type: text/html; charset=gb18030'),
  http('['.repeat(MEBIBYTE), 'Content-Type: application/json'),
  http(`[${'{},'.repeat(MEBIBYTE / 3 - 1)}1]`, 'Content-Type: application/json'),
  http('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000), 'Content-Type: application/json'),
  [
    NOTHING,
    text('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '5', 'hello', '6;x=y', ' world', '0', 'X-Late: z', ''),
  ],
  [NOTHING, text('HTTP/1.1 302 Found', 'Location: /', 'Content-Length: 0', '')],
  [NOTHING, text('HTTP/1.1 103 Early Hints', 'Link: </a.css>', '', 'HTTP/1.1 404 Not Found', 'Content-Length: 0', '')],
]

const WS_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const accept = (request: Buffer): Buffer => {
  const key = /sec-websocket-key: (.*)/i.exec(request.toString('latin1'))?.[1] ?? ''
  const hash = createHash('sha1').update(`${key}${WS_SUFFIX}`).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  return Buffer.concat([text(...head, `Sec-WebSocket-Accept: ${hash}`, ''), ECHO])
}
const ECHO = hex('810b', Buffer.from('echo: hello').toString('hex'))

const CIPHERS =
  'chacha20-poly1305@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com'
const MACS = 'umac-64-etm@openssh.com,umac-128-etm@openssh.com,hmac-sha2-256-etm@openssh.com,hmac-sha2-256,hmac-sha1'
const EXCHANGES = 'sntrup761x25519-sha512,curve25519-sha256,ecdh-sha2-nistp256,kex-strict-s-v00@openssh.com'
const COMPRESSIONS = 'none,zlib@openssh.com'
const lists = [EXCHANGES, 'ssh-ed25519', CIPHERS, CIPHERS, MACS, MACS, COMPRESSIONS, COMPRESSIONS, '', '']
/** SSH packet with the lists of algorithms, from its cookie up to its padding. */
const SSH = sized(
  Buffer.concat([
    hex('0914', '5921f3d976f6b04f0af4c32d4f8ebbea'),
    ...lists.map((list) => sized(Buffer.from(list))),
    Buffer.alloc(5 + 9),
  ]),
)
const MYSQL = hex(
  '640000000a352e352e352d31302e31312e31382d4d6172696144422d302b646562313275310005000000384c544436234a2b00feff080200ff811500',
  '00000000001d000000356b3b223a3c5f4c3b243e4e006d7973716c5f6e61746976655f70617373776f726400',
)
const MYSQL_OK = [2, 1, 1, 1].map((sequence) => hex(`0700000${sequence}00000002000000`))
/** MySQL result with one column, and one row with the value 42. */
const MYSQL_ROWS = hex(
  '0100000101',
  '1b000002036465660000000536202a2037000c3f0004000000038100000000',
  '05000003fe00002200',
  '03000004023432',
  '05000005fe00002200',
)
/** Returns a message of the PostgreSQL protocol. */
const message = (type: string, ...parts: readonly (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  return Buffer.concat([Buffer.from(type), sized(body, 4)])
}
const VERSION = '15.18 (Debian 15.18-0+deb12u1)'
const PARAMETERS = ['client_encoding UTF8', 'is_superuser on', `server_version ${VERSION}`, 'TimeZone Etc/UTC']
const POSTGRES = [
  Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...PARAMETERS.map((parameter) => message('S', `${parameter.replace(' ', '\0')}\0`)),
    ...[message('K', hex('0000217af3e156df')), message('Z', 'I')],
  ]),
  Buffer.concat([message('C', 'BEGIN\0'), message('C', 'SET\0'), message('Z', 'T')]),
  Buffer.concat([
    ...[message('1'), message('2')],
    message('T', hex('0001'), 'server_version\0', hex('000000000000', '00000019', 'ffff', 'ffffffff', '0000')),
    ...[message('D', hex('0001'), sized(Buffer.from(VERSION))), message('s'), message('Z', 'T')],
  ]),
]
const SASL = [
  message('R', hex('0000000a'), 'SCRAM-SHA-256\0\0'),
  message('R', hex('0000000b'), 'r=yxO+FBkI04htHHtxpweIE5FqGtqeIRKSDqAlAy8idwN6mRFX,s=jxbHBIHEUzWocwMjw0gxBA==,i=4096'),
]
const GRPC = hex(
  '00000004000000000000000004010000000000005f010400000001885f901d75d0620d263d4c4d6564ff75d8749f408e9acac8b0c842d6958b510f21',
  'aa9b903485a9264fafa90b2d03497ea6f66aff408a9acac8b16a21e435537f863485a9264faf6196d07abe94640a693f75040138a059b8d86e32d298',
  'b46f0000070000000000010000000002080100001a01050000000140889acac8b21234da8f013040899acac8b5254207317f024f4b',
)
const LDAP = hex(
  '304602010164410400303d301e040e6e616d696e67436f6e7465787473310c040a64633d6578616d706c65301b0414737570706f727465644c444150',
  '56657273696f6e3103040133300c02010165070a010004000400',
)

const IMAP = 'CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ STARTTLS AUTH=PLAIN'

/** Conversations of protocols that consist of lines. `|` separates lines, and `//` separates the answers. */
const LINES = {
  tcp: '220 mail.example ESMTP Postfix//250-mail.example|250 CHUNKING//221 2.0.0 Bye',
  smtp: '220 mail.example ESMTP Postfix//250-mail.example|250-STARTTLS|250-AUTH PLAIN LOGIN|250 CHUNKING//235 2.7.0 OK',
  imap: `* OK [${IMAP}] Dovecot (Debian) ready.//* ${IMAP}|a OK Pre-login capabilities listed.//a OK Logged in`,
  pop3: '+OK Dovecot (Debian) ready.//+OK|CAPA|TOP|UIDL|STLS|SASL PLAIN|.//+OK',
  ftp: '220 (vsFTPd 3.0.3)//211-Features:| AUTH TLS| EPSV| TVFS|211 End//331 ?',
}

/** Conversations by the scheme. Schemes with TLS use the conversation of the scheme without TLS. */
export const ANSWERS: ReadonlyMap<string, readonly Conversation[]> = new Map<string, readonly Conversation[]>([
  ...Object.entries(LINES).map(([scheme, turns]): [string, Conversation[]] => [
    scheme,
    [turns.split('//').map((lines) => text(...lines.split('|')))],
  ]),
  ['http', HTTP],
  ['ssh', [[text('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10'), SSH]]],
  ['redis', [[NOTHING, text('+OK'), text('+PONG')]]],
  ['ldap', [[NOTHING, LDAP]]],
  ['ws', [[NOTHING, accept, ECHO]]],
  ['grpc', [[NOTHING, GRPC]]],
  ['mqtt', [[NOTHING, hex('20020000'), hex('9003000100', '3008000161000b6f6b6b')]]],
  ['mysql', [[MYSQL, ...MYSQL_OK, MYSQL_ROWS]]],
  [
    'postgres',
    [
      [NOTHING, ...POSTGRES],
      [NOTHING, ...SASL],
    ],
  ],
  ['dns', [[NOTHING, (request) => framed(resolve(request.subarray(2)))]]],
])

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])
}

/** Returns the response to a DNS query: one address and one alias for the name in the query. */
function resolve(query: Buffer): Buffer {
  const question = query.subarray(12, Math.max(12, query.indexOf(0, 12) + 5))
  const head = Buffer.concat([query.subarray(0, 2), hex('8180', '0001', '0002', '0000', '0000')])
  return Buffer.concat([
    head,
    question,
    hex('c00c', '0005', '0001', '0000012c', '0002', 'c00c', 'c00c0001000100000e100004c0000201'),
  ])
}

/** Returns the response to a datagram. */
export function datagramOf(scheme: string, request: Buffer): Buffer {
  if (scheme === 'dns') return resolve(request)
  if (scheme !== 'ntp' || request.length < 48) return Buffer.from('pong')
  // A time server repeats the cookie of the request in its response.
  const packet = hex('240506e9000000000000000d7f7f0101ed6a5a5a00000000'.padEnd(96, '0'))
  request.copy(packet, 24, 40, 48)
  packet.write('ed6a5a5b80000000ed6a5a5b80000000', 32, 'hex')
  return packet
}
