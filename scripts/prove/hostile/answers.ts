// Answers of real servers, as `kinds` received them: what a server of each protocol says first, and after each message of the agent.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** What a server says: first, and then after each message that it receives. */
export type Conversation = readonly (Buffer | ((request: Buffer) => Buffer))[]

const hex = (...lines: readonly string[]): Buffer => Buffer.from(lines.join(''), 'hex')
const text = (...lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
const NOTHING = Buffer.alloc(0)

const MEBIBYTE = 1024 * 1024
const WELL = '{"state":"up","list":[1,2,{"a":"b"}],"text":"all is well"}'
const http = (body: Buffer | string, ...headers: readonly string[]): Conversation => {
  const bytes = Buffer.from(body)
  const lines = ['HTTP/1.1 200 OK', 'Server: nginx/1.22.1', ...headers]
  return [NOTHING, Buffer.concat([text(...lines, `Content-Length: ${bytes.length}`, ''), bytes])]
}
const bomb = gzipSync(Buffer.alloc(256 * MEBIBYTE))

const HTTP: readonly Conversation[] = [
  http(WELL, 'Content-Type: application/json', 'Set-Cookie: a=b; Path=/; Max-Age=60', 'ETag: "x"'),
  http(gzipSync(WELL), 'Content-Encoding: gzip'),
  http(brotliCompressSync(WELL), 'Content-Encoding: br'),
  http(bomb, 'Content-Encoding: gzip'),
  http(gzipSync(bomb), 'Content-Encoding: gzip, gzip'),
  http(
    brotliCompressSync(Buffer.alloc(64 * MEBIBYTE)),
    'Content-Encoding: br',
    'Content-Type: text/html; charset=gb18030',
  ),
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

const SSH = hex(
  '0000043c09145921f3d976f6b04f0af4c32d4f8ebbea0000013d736e747275703736317832353531392d7368613531322c736e747275703736317832',
  '353531392d736861353132406f70656e7373682e636f6d2c637572766532353531392d7368613235362c637572766532353531392d73686132353640',
  '6c69627373682e6f72672c656364682d736861322d6e697374703235362c656364682d736861322d6e697374703338342c656364682d736861322d6e',
  '697374703532312c6469666669652d68656c6c6d616e2d67726f75702d65786368616e67652d7368613235362c6469666669652d68656c6c6d616e2d',
  '67726f757031362d7368613531322c6469666669652d68656c6c6d616e2d67726f757031382d7368613531322c6469666669652d68656c6c6d616e2d',
  '67726f757031342d7368613235362c6b65782d7374726963742d732d763030406f70656e7373682e636f6d0000000b7373682d656432353531390000',
  '006c63686163686132302d706f6c7931333035406f70656e7373682e636f6d2c6165733132382d6374722c6165733139322d6374722c616573323536',
  '2d6374722c6165733132382d67636d406f70656e7373682e636f6d2c6165733235362d67636d406f70656e7373682e636f6d0000006c636861636861',
  '32302d706f6c7931333035406f70656e7373682e636f6d2c6165733132382d6374722c6165733139322d6374722c6165733235362d6374722c616573',
  '3132382d67636d406f70656e7373682e636f6d2c6165733235362d67636d406f70656e7373682e636f6d000000d5756d61632d36342d65746d406f70',
  '656e7373682e636f6d2c756d61632d3132382d65746d406f70656e7373682e636f6d2c686d61632d736861322d3235362d65746d406f70656e737368',
  '2e636f6d2c686d61632d736861322d3531322d65746d406f70656e7373682e636f6d2c686d61632d736861312d65746d406f70656e7373682e636f6d',
  '2c756d61632d3634406f70656e7373682e636f6d2c756d61632d313238406f70656e7373682e636f6d2c686d61632d736861322d3235362c686d6163',
  '2d736861322d3531322c686d61632d73686131000000d5756d61632d36342d65746d406f70656e7373682e636f6d2c756d61632d3132382d65746d40',
  '6f70656e7373682e636f6d2c686d61632d736861322d3235362d65746d406f70656e7373682e636f6d2c686d61632d736861322d3531322d65746d40',
  '6f70656e7373682e636f6d2c686d61632d736861312d65746d406f70656e7373682e636f6d2c756d61632d3634406f70656e7373682e636f6d2c756d',
  '61632d313238406f70656e7373682e636f6d2c686d61632d736861322d3235362c686d61632d736861322d3531322c686d61632d7368613100000015',
  '6e6f6e652c7a6c6962406f70656e7373682e636f6d000000156e6f6e652c7a6c6962406f70656e7373682e636f6d0000000000000000000000000000',
  '0000000000000000',
)
const MYSQL = hex(
  '640000000a352e352e352d31302e31312e31382d4d6172696144422d302b646562313275310005000000384c544436234a2b00feff080200ff811500',
  '00000000001d000000356b3b223a3c5f4c3b243e4e006d7973716c5f6e61746976655f70617373776f726400',
)
const MYSQL_OK = [2, 1, 1, 1].map((sequence) => hex(`0700000${sequence}00000002000000`))
/** A column, and a row with the value 42. */
const MYSQL_ROWS = hex(
  '0100000101',
  '1b000002036465660000000536202a2037000c3f0004000000038100000000',
  '05000003fe00002200',
  '03000004023432',
  '05000005fe00002200',
)
const POSTGRES = hex(
  '520000000800000000530000001e6170706c69636174696f6e5f6e616d6500646f677761746368005300000019636c69656e745f656e636f64696e67',
  '0055544638005300000017446174655374796c650049534f2c204d445900530000002664656661756c745f7472616e73616374696f6e5f726561645f',
  '6f6e6c79006f6666005300000017696e5f686f745f7374616e646279006f6666005300000019696e74656765725f6461746574696d6573006f6e0053',
  '0000001b496e74657276616c5374796c6500706f73746772657300530000001469735f737570657275736572006f6e0053000000197365727665725f',
  '656e636f64696e6700555446380053000000327365727665725f76657273696f6e0031352e3138202844656269616e2031352e31382d302b64656231',
  '3275312900530000002373657373696f6e5f617574686f72697a6174696f6e00706f7374677265730053000000237374616e646172645f636f6e666f',
  '726d696e675f737472696e6773006f6e00530000001554696d655a6f6e65004574632f555443004b0000000c0000217af3e156df5a0000000549',
)
const POSTGRES_BEGIN = hex('430000000a424547494e004300000008534554005a0000000554')
const POSTGRES_ROWS = hex(
  '31000000043200000004540000002700017365727665725f76657273696f6e0000000000000000000019ffffffffffff000044000000280001000000',
  '1e31352e3138202844656269616e2031352e31382d302b646562313275312973000000045a0000000554',
)
const SASL = [
  Buffer.from('R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0', 'latin1'),
  Buffer.from(
    'R\0\0\0\x5c\0\0\0\x0br=yxO+FBkI04htHHtxpweIE5FqGtqeIRKSDqAlAy8idwN6mRFX,s=jxbHBIHEUzWocwMjw0gxBA==,i=4096',
    'latin1',
  ),
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

const CAPABILITY = 'CAPABILITY IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE LITERAL+ STARTTLS AUTH=PLAIN'

/** Conversations by the scheme, without the `s` of those that begin with a handshake. */
export const ANSWERS: ReadonlyMap<string, readonly Conversation[]> = new Map<string, readonly Conversation[]>([
  ['http', HTTP],
  ['tcp', [[text('220 mail.example ESMTP Postfix'), text('250-mail.example', '250 CHUNKING'), text('221 2.0.0 Bye')]]],
  [
    'smtp',
    [
      [
        text('220 mail.example ESMTP Postfix'),
        text('250-mail.example', '250-PIPELINING', '250-STARTTLS', '250-AUTH PLAIN LOGIN', '250 CHUNKING'),
        text('235 2.7.0 Authentication successful'),
      ],
    ],
  ],
  [
    'imap',
    [
      [
        text(`* OK [${CAPABILITY}] Dovecot (Debian) ready.`),
        text(`* ${CAPABILITY}`, 'a OK Pre-login capabilities listed.'),
        text('a OK Logged in'),
      ],
    ],
  ],
  [
    'pop3',
    [[text('+OK Dovecot (Debian) ready.'), text('+OK', 'CAPA', 'TOP', 'UIDL', 'STLS', 'SASL PLAIN', '.'), text('+OK')]],
  ],
  [
    'ftp',
    [[text('220 (vsFTPd 3.0.3)'), text('211-Features:', ' AUTH TLS', ' EPSV', ' TVFS', '211 End'), text('331 ?')]],
  ],
  ['ssh', [[text('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10'), SSH]]],
  [
    'redis',
    [
      [NOTHING, text('+OK'), text('+PONG')],
      [NOTHING, text('+PONG')],
    ],
  ],
  ['ldap', [[NOTHING, LDAP]]],
  ['ws', [[NOTHING, accept, ECHO]]],
  ['grpc', [[NOTHING, GRPC]]],
  ['mqtt', [[NOTHING, hex('20020000'), hex('9003000100', '3008000161000b6f6b6b')]]],
  ['mysql', [[MYSQL, ...MYSQL_OK, MYSQL_ROWS]]],
  [
    'postgres',
    [
      [NOTHING, POSTGRES, POSTGRES_BEGIN, POSTGRES_ROWS],
      [NOTHING, ...SASL],
    ],
  ],
  ['dns', [[NOTHING, (request) => framed(resolve(request.subarray(2)))]]],
])

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])
}

/** Returns the response to a query: one address of the name in question, and an alias. */
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
  // The time server repeats the cookie of the request.
  const packet = hex('240506e9000000000000000d7f7f0101ed6a5a5a00000000'.padEnd(96, '0'))
  request.copy(packet, 24, 40, 48)
  packet.write('ed6a5a5b80000000ed6a5a5b80000000', 32, 'hex')
  return packet
}
