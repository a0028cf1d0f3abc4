// Requests that nobody should send, as bytes: what the tests and the long proof throw at the server.
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { DATES, NUMBERS, PROTOTYPE_NAMES } from './hostile-values.ts'

export interface Credentials {
  key: string
  token: string
  /** A check that is assigned to the holder of the key. */
  guid: string
}

export interface Hostile {
  method: string
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
  /** Sent instead of what the fields would make: framing that is wrong, or no HTTP at all. */
  raw?: Buffer
}

const PREFIX = '/monitor-api/v1'
export const OPERATIONS = [
  ['GET', '/checks'],
  ['POST', '/enroll'],
  ['GET', '/ping'],
  ['POST', '/results'],
  ['POST', '/status'],
] as const

/** The bytes of a request, framed by Content-Length, on a connection that ends with it. */
export function toBytes({ method, target, headers, body, raw }: Hostile): Buffer {
  if (raw) return raw
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const framed = [...headers]
  if (!names.has('host')) framed.unshift(['Host', 'localhost'])
  if (!names.has('connection')) framed.push(['Connection', 'close'])
  if (!names.has('content-length') && !names.has('transfer-encoding') && body.length > 0)
    framed.push(['Content-Length', String(body.length)])
  const head = [`${method} ${target} HTTP/1.1`, ...framed.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  )
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  '\u{1f600}',
  '\u2028',
  '\ufeff',
  '\u202e',
  'x'.repeat(201),
  "'; drop table checks; --",
  '%00',
  '%s%n',
  '../../etc/passwd',
  '${jndi:ldap://x}',
  ...PROTOTYPE_NAMES,
]

const jsonText = fc.constantFrom(
  ...NUMBERS,
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '""',
  '{"__proto__":{"a":1}}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
)
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...DATES),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
/** JSON for one value: odd literals, odd texts, lone surrogates as escapes, anything. */
const anyValue = fc.oneof(
  jsonText,
  text.map((each) => JSON.stringify(each)),
  fc.constantFrom(...DATES).map((each) => JSON.stringify(each)),
  fc
    .string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 30 })
    .map((each) => JSON.stringify(each)),
  fc.json({ maxDepth: 3 }),
)

/** The JSON of a valid body, field by field. */
function validFields(path: string, { guid }: Credentials): Record<string, string> {
  const place = { name: '"n"', region: '"r"', country: '"c"', city: '"c"' }
  const result = {
    check_guid: `"${guid}"`,
    monitor_id: '""',
    ran_at: '"2026-11-20T10:00:00Z"',
    success: 'true',
    http_status: '200',
    latency_ms: '1',
    error: '""',
    response_sample: '"ok"',
  }
  const status = {
    version: '"1"',
    uptime_sec: '1',
    unsent_results: '0',
    last_outage_sec: '1',
    last_outage_ended_at: '"2026-11-20T10:00:00Z"',
  }
  if (path === '/enroll') return { ...place, id: '""' }
  return path === '/results' ? result : status
}

const objectText = (fields: Record<string, string>) =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`
const bodyText = (path: string, fields: Record<string, string>) =>
  path === '/results' ? `{"results":[${objectText(fields)}]}` : objectText(fields)

/** A valid body with a few fields replaced, removed, doubled or added. */
function almostValid(path: string, credentials: Credentials): fc.Arbitrary<Buffer> {
  const fields = validFields(path, credentials)
  const names = Object.keys(fields)
  const change = fc.record({
    kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'double', 'add'),
    name: fc.constantFrom(...names),
    value: anyValue,
    added: text,
  })
  return fc.array(change, { minLength: 0, maxLength: 3 }).map((changes) => {
    const changed = new Map(Object.entries(fields))
    let doubled = ''
    for (const { kind, name, value, added } of changes) {
      if (kind === 'replace') changed.set(name, value)
      if (kind === 'remove') changed.delete(name)
      if (kind === 'add') changed.set(`${added} `, value)
      if (kind === 'double') doubled = `${JSON.stringify(name)}:${value}`
    }
    const body = bodyText(path, Object.fromEntries(changed))
    const whole =
      doubled === '' ? body : body.replace(/^(\{(?:"results":\[\{)?)/, `$1${doubled.replaceAll('$', '$$$$')},`)
    return Buffer.from(whole)
  })
}

const MEBIBYTE = 1024 * 1024

/** Bodies that go with no shape at all. */
const anyBody = fc.oneof(
  anyValue.map((each) => Buffer.from(each)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(
    Buffer.from(''),
    Buffer.from('\ufeff{}'),
    Buffer.from('{"results":[]}', 'utf16le'),
    Buffer.from('{"results":'),
    Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    Buffer.from('{"a":"\xc3\x28"}', 'latin1'),
    Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'),
    Buffer.alloc(MEBIBYTE, '['),
    Buffer.from(`{"results":${'['.repeat(MEBIBYTE / 2 - 20)}${']'.repeat(MEBIBYTE / 2 - 20)}}`),
    Buffer.from('{"a":'.repeat(3000) + '1' + '}'.repeat(3000)),
    Buffer.from(`{"results":[${Array<string>(501).fill('{}').join(',')}]}`),
    Buffer.alloc(MEBIBYTE + 1, ' '),
  ),
)

const encoded = (body: fc.Arbitrary<Buffer>): fc.Arbitrary<{ body: Buffer; headers: [string, string][] }> =>
  fc.oneof(
    { weight: 6, arbitrary: body.map((plain) => ({ body: plain, headers: [] as [string, string][] })) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          body,
          fc.constantFrom('whole', 'cut', 'garbage behind', 'twice', 'in itself', 'empty', 'flipped', 'header only'),
        )
        .map(([plain, how]) => ({
          body: gzipped(plain, how),
          headers: [['Content-Encoding', 'gzip'] as [string, string]],
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          body,
          fc.constantFrom('gzip', ' GZIP ', 'identity', 'br', 'deflate', 'x-gzip', 'gzip, gzip', '', 'nonsense'),
        )
        .map(([plain, name]) => ({ body: plain, headers: [['Content-Encoding', name] as [string, string]] })),
    },
  )

function gzipped(plain: Buffer, how: string): Buffer {
  const packed = gzipSync(plain)
  if (how === 'cut') return packed.subarray(0, Math.floor(packed.length / 2))
  if (how === 'garbage behind') return Buffer.concat([packed, Buffer.from('garbage\0\xff', 'latin1')])
  if (how === 'twice') return Buffer.concat([packed, gzipSync(' ')])
  if (how === 'in itself') return gzipSync(packed)
  if (how === 'empty') return gzipSync('')
  if (how === 'header only') return packed.subarray(0, 10)
  if (how === 'flipped') {
    const flipped = Buffer.from(packed)
    const at = Math.floor(flipped.length / 2)
    flipped[at] = (flipped[at] ?? 0) ^ 0x55
    return flipped
  }
  return packed
}

// What a header may hold without being cut off by the parser: the rest is in `broken`.
const headerValue = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((unit) => unit !== 0x7f)
      .map((unit) => String.fromCharCode(unit)),
    maxLength: 60,
  }),
  fc.constantFrom('', 'x'.repeat(800), '"', ',,,;;;==', 'gzip;q=nonsense', '*'),
)
const extraHeaders = fc.array(
  fc
    .tuple(
      fc.constantFrom(
        'Content-Type',
        'Accept',
        'Accept-Encoding',
        'Accept-Language',
        'Cookie',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'Forwarded',
        'Origin',
        'Range',
        'If-None-Match',
        'X-HTTP-Method-Override',
        'Expect',
        'X-Request-Id',
        'Traceparent',
        'User-Agent',
        '__proto__',
      ),
      headerValue,
    )
    .map(([name, value]): [string, string] => [
      name,
      name === 'Accept-Encoding' && /gzip|br|deflate|\*/.test(value) ? 'identity' : value,
    ]),
  { maxLength: 3 },
)
const contentType = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'application/json; charset=nonsense',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'text/plain',
  'nonsense',
  '',
)

const query = fc.oneof(
  fc.constant(''),
  fc
    .oneof(fc.constantFrom<string>(...DATES), text)
    .map((value) => `?since=${encodeURIComponent(value.toWellFormed())}`),
  fc.constantFrom(
    '?',
    '?since',
    '?since=',
    '?since=%',
    '?since=%ff',
    '?since=%00',
    '?since=%ed%a0%80',
    '?since[]=1',
    '?since[a]=1',
    '?since=a&since=b',
    '?__proto__=1',
    '?since=2026-11-20T10:00:00Z&since=2026-11-20T10:00:00Z',
    `?${'a&'.repeat(300)}`,
    '?%',
    '?=',
    '?&&&',
    '?since=2026-11-20T10:00:00+01:00',
    '?since=2026-11-20T10:00:00%2B01:00',
    '?constructor=1&hasOwnProperty=2',
  ),
)

const oddTarget = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '/%',
    '/%00',
    '/%ff',
    '/%ed%a0%80',
    '*',
    PREFIX,
    `${PREFIX}/`,
    `${PREFIX}//ping`,
    `${PREFIX}/ping/`,
    `${PREFIX}/%70ing`,
    `${PREFIX}/ping%00`,
    `${PREFIX}/ping;a=b`,
    `${PREFIX}/../v1/ping`,
    `${PREFIX}/./ping`,
    `${PREFIX}/%2e%2e/ping`,
    `${PREFIX}/checks/%E0%A4%A`,
    `http://localhost${PREFIX}/ping`,
    `HTTP://a:b@localhost:1${PREFIX}/results?x#y`,
    'http://[',
    'http://',
    'http://%00/',
    'ftp://x/',
    '//[::',
    '///x@y:z',
    `${PREFIX}/ping#x`,
    `${PREFIX}/checks?since=#x`,
    '/#',
    '/?',
    `/${'a'.repeat(900)}`,
    `/${'../'.repeat(500)}`,
    '/__proto__',
    `${PREFIX}/constructor`,
    '/\\..\\',
    '/api/v1/checks',
  ),
  fc
    .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((unit) => String.fromCharCode(unit)), maxLength: 40 })
    .map((path) => `/${path}`),
  fc
    .string({
      unit: fc.integer({ min: 0x80, max: 0xff }).map((unit) => String.fromCharCode(unit)),
      minLength: 1,
      maxLength: 20,
    })
    .map((path) => `${PREFIX}/${path}`),
)

const authorization = ({ key, token }: Credentials) =>
  fc.oneof(
    { weight: 7, arbitrary: fc.constant('right') },
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc.oneof(
        headerValue,
        headerValue.map((value) => `Bearer ${value}`),
        fc.constantFrom(
          'Bearer',
          `Bearer ${key}x`,
          `Bearer ${key.slice(0, -1)}`,
          `Basic ${key}`,
          `Bearer ${token}`,
          `Bearer ${key}`,
          `Bearer ${key} ${token}`,
          `Bearer dogwatch_key_${'0'.repeat(49)}`,
        ),
      ),
    },
  )

/** Any request at an operation or at some odd path, right or wrong in each of its parts, but HTTP. */
export function hostileRequest(credentials: Credentials): fc.Arbitrary<Hostile> {
  return fc.constantFrom(...OPERATIONS).chain(([method, path]) => {
    const shaped = method === 'POST' ? almostValid(path, credentials) : anyBody
    const body = fc.oneof({ weight: 5, arbitrary: shaped }, { weight: 2, arbitrary: anyBody })
    return fc
      .record({
        method: fc.oneof(
          { weight: 9, arbitrary: fc.constant<string>(method) },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              'PUT',
              'DELETE',
              'PATCH',
              'HEAD',
              'OPTIONS',
              'TRACE',
              'PROPFIND',
              'QUERY',
              'M-SEARCH',
              'PURGE',
            ),
          },
        ),
        target: fc.oneof(
          { weight: 5, arbitrary: query.map((each) => PREFIX + path + each) },
          { weight: 1, arbitrary: oddTarget },
        ),
        credential: authorization(credentials),
        type: fc.option(contentType, { nil: undefined }),
        extra: extraHeaders,
        content:
          method === 'POST'
            ? encoded(body)
            : fc.oneof(fc.constant({ body: Buffer.alloc(0), headers: [] }), encoded(body)),
      })
      .map(({ method: sent, target, credential, type, extra, content }) => {
        const right = `Bearer ${path === '/enroll' ? credentials.token : credentials.key}`
        const own: [string, string][] = []
        if (credential !== undefined) own.push(['Authorization', credential === 'right' ? right : credential])
        if (type !== undefined) own.push(['Content-Type', type])
        return { method: sent, target, headers: [...own, ...extra, ...content.headers], body: content.body }
      })
  })
}

/** What is not HTTP, or HTTP that contradicts itself. */
export function brokenRequest({ key }: Credentials): fc.Arbitrary<Hostile> {
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`
  const post = (rest: string) => `POST ${PREFIX}/status HTTP/1.1\r\n${head}${rest}`
  const get = (rest: string) => `GET ${PREFIX}/ping HTTP/1.1\r\n${head}${rest}`
  const valid = '{"version":"1","uptime_sec":1,"unsent_results":0}'
  const known = [
    post(`Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`),
    post(`Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`),
    post(`Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`),
    post(`Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`),
    post(`Transfer-Encoding: nonsense\r\n\r\n`),
    post(`Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`),
    post(`Transfer-Encoding: chunked\r\n\r\n31\r\n${valid}\r\n0\r\nTrailer: ${'x'.repeat(20_000)}\r\n\r\n`),
    post(`Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`),
    post(`Content-Length: -1\r\n\r\n`),
    post(`Content-Length: 1e3\r\n\r\n`),
    post(`Content-Length: 99999999999999999999\r\n\r\n{}`),
    post(`Content-Length: 3\r\n\r\n${valid}`),
    post(`Content-Length: 104857600\r\n\r\n{}`),
    post(`Expect: 100-continue\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`),
    post(`Expect: 100-continue\r\nContent-Length: 99999\r\n\r\n`),
    post(`Expect: 200-maybe\r\nContent-Length: ${valid.length}\r\n\r\n${valid}`),
    get(`X: ${'x'.repeat(20_000)}\r\n\r\n`),
    get(`${Array.from({ length: 3000 }, (_, i) => `X${i}: 1`).join('\r\n')}\r\n\r\n`),
    get(`X: a\0b\r\n\r\n`),
    get(`X: a\rb\r\n\r\n`),
    get(`X: a\nb\r\n\r\n`),
    get(` X: folded\r\n\r\n`),
    get(`: no name\r\n\r\n`),
    get(`X Y: 1\r\n\r\n`),
    get(`\r\nGET / HTTP/1.1\r\n`),
    `GET ${PREFIX}/ping HTTP/1.1\r\n\r\n`,
    `GET ${PREFIX}/ping HTTP/1.0\r\n\r\n`,
    `GET ${PREFIX}/ping HTTP/9.9\r\n\r\n`,
    `GET ${PREFIX}/ping\r\n\r\n`,
    `GET ${PREFIX}/pi ng HTTP/1.1\r\n${head}\r\n`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${head}\r\n`,
    `GET /\0 HTTP/1.1\r\n${head}\r\n`,
    `CONNECT localhost:22 HTTP/1.1\r\n${head}\r\n`,
    `GET ${PREFIX}/ping HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'SSH-2.0-OpenSSH_9.9\r\n',
    '\0\0\0\0',
    '\r\n\r\n\r\n\r\n',
  ]
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.constantFrom(...known).map((each) => Buffer.from(each, 'latin1')) },
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.tuple(fc.constantFrom('GET', 'POST', 'nonsense'), oddTarget), { minLength: 2, maxLength: 6 })
          .map((all) =>
            Buffer.from(
              all.map(([method, target]) => `${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''),
              'latin1',
            ),
          ),
      },
    )
    .map((raw) => ({ method: '', target: '', headers: [], body: Buffer.alloc(0), raw }))
}
