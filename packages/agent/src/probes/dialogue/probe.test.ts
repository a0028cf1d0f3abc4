// Targets of mail, FTP, SSH, Redis and LDAP: what they say, how they refuse, and whatever else a server can do.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import { describe, expect, test } from '@jest/globals'
import { until } from '../../../test/agent/support/until.ts'
import { mint } from '../../../test/support/certificates.ts'
import { run } from '../../../test/support/checks.ts'
import { serveTcp } from '../../../test/support/servers.ts'
import { element, elementsIn, numeric, readElement, TAGS } from './ber.ts'

const minted = mint({ name: 'mail.example', for: ['127.0.0.1'], not_after: new Date(Date.now() + 5 * 86_400_000) })
const lax = { insecure_skip_verify: true }

/** Answers each command with its lines, by the first pattern that matches. `STARTTLS` upgrades after its answer. */
interface Fake {
  greeting: string
  answers: readonly (readonly [command: RegExp, answer: string])[]
  upgrade?: RegExp
}

function talk(socket: Socket | TLSSocket, fake: Fake, heard: string[], isUpgraded = false): void {
  if (!isUpgraded) socket.write(fake.greeting, 'latin1')
  const onData = (data: Buffer): void => {
    const command = data.toString('latin1')
    heard.push(command.trimEnd())
    const [, answer = '500 what?\r\n'] = fake.answers.find(([pattern]) => pattern.test(command)) ?? []
    socket.write(answer, 'latin1')
    if (!fake.upgrade?.test(command)) return
    socket.off('data', onData)
    const secured = new TLSSocket(socket, { isServer: true, key: minted.key, cert: minted.cert })
    secured.on('error', () => undefined)
    talk(secured, fake, heard, true)
  }
  socket.on('data', onData)
}

async function serve(fake: Fake): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = []
  return { heard, port: await serveTcp((socket) => talk(socket, fake, heard)) }
}

const ENTRY = element(
  0x64,
  element(TAGS.text),
  element(
    TAGS.sequence,
    element(TAGS.sequence, element(TAGS.text, 'vendorName'), element(TAGS.set, element(TAGS.text, 'Fake'))),
  ),
)
const result = (tag: number, code: number, words = '') =>
  element(tag, numeric(TAGS.enumerated, code), element(TAGS.text), element(TAGS.text, words))
const ldap = (...operations: Buffer[]) =>
  Buffer.concat(operations.map((one) => element(TAGS.sequence, numeric(TAGS.integer, 1), one))).toString('latin1')
const name = (list: string) => Buffer.concat([Buffer.from([0, 0, 0, list.length]), Buffer.from(list)])
const KEXINIT = Buffer.concat([
  Buffer.from([20]),
  Buffer.alloc(16, 7),
  ...['curve25519-sha256', 'ssh-ed25519', 'aes128-ctr', 'aes128-ctr', 'hmac-sha2-256'].map(name),
  Buffer.alloc(25),
])
const sshPacket = (payload: Buffer) =>
  Buffer.concat([Buffer.from([0, 0, 0, payload.length + 5, 4]), payload, Buffer.alloc(4)]).toString('latin1')

const SMTP: Fake = {
  greeting: '220-mail.example\r\n220 ready\r\n',
  upgrade: /^STARTTLS/,
  answers: [
    [/^EHLO/, '250-mail.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n'],
    [/^STARTTLS/, '220 go\r\n'],
    [/^AUTH PLAIN AGFuYQBodW50ZXIy/, '235 welcome\r\n'],
    [/^AUTH/, '535 no AGFuYQBzZWNyZXQx secret1\r\n'],
  ],
}
const IMAP: Fake = {
  greeting: '* OK ready\r\n',
  upgrade: /STARTTLS/,
  answers: [
    [/CAPABILITY/, '* CAPABILITY IMAP4rev1\r\na OK done\r\n'],
    [/STARTTLS/, 'a OK go\r\n'],
    [/LOGIN "ana" "hunter2"/, 'a OK welcome\r\n'],
    [/LOGIN/, 'a NO wrong "secret1"\r\n'],
  ],
}
const POP3: Fake = {
  greeting: '+OK ready\r\n',
  upgrade: /^STLS/,
  answers: [
    [/^CAPA/, '+OK\r\nTOP\r\nUIDL\r\n.\r\n'],
    [/^STLS/, '+OK\r\n'],
    [/^(?:USER|PASS hunter2)/, '+OK\r\n'],
    [/^PASS/, '-ERR wrong secret1\r\n'],
  ],
}
const FTP: Fake = {
  greeting: '220-Welcome\r\n to here\r\n220 ready\r\n',
  upgrade: /^AUTH TLS/,
  answers: [
    [/^FEAT/, '211-Features:\r\n EPSV\r\n211 End\r\n'],
    [/^AUTH TLS/, '234 go\r\n'],
    [/^USER/, '331 password\r\n'],
    [/^PASS hunter2/, '230 welcome\r\n'],
    [/^PASS/, '530 wrong secret1\r\n'],
  ],
}
const REDIS: Fake = {
  greeting: '',
  answers: [
    [/hunter2/, '+OK\r\n'],
    [/AUTH/, '-WRONGPASS secret1\r\n'],
    [/PING/, '+PONG\r\n'],
  ],
}
const LDAP: Fake = {
  greeting: '',
  upgrade: /20037/,
  answers: [
    [/20037/, ldap(result(0x78, 0))],
    [/hunter2/, ldap(result(0x61, 0))],
    [/ana/, ldap(result(0x61, 49, 'wrong secret1'))],
    [/objectClass/, ldap(ENTRY, result(0x65, 0))],
  ],
}
const SSH: Fake = { greeting: 'note\r\nSSH-2.0-Fake\r\n', answers: [[/^SSH-2/, sshPacket(KEXINIT)]] }

const KINDS = [
  { scheme: 'smtp', fake: SMTP, says: '220 ready\n250-mail.example', refusal: '535 no *** ***', bye: 'QUIT' },
  {
    scheme: 'imap',
    fake: IMAP,
    says: '* OK ready\n* CAPABILITY IMAP4rev1',
    refusal: 'NO wrong ***',
    bye: 'z LOGOUT',
  },
  { scheme: 'pop3', fake: POP3, says: '+OK ready\nTOP\nUIDL', refusal: '-ERR wrong ***', bye: 'QUIT' },
  { scheme: 'ftp', fake: FTP, says: '220 ready\n211-Features:\n EPSV', refusal: '530 wrong ***', bye: 'QUIT' },
  { scheme: 'redis', fake: REDIS, says: 'PONG', refusal: '-WRONGPASS ***', bye: '*1\r\n$4\r\nQUIT' },
  {
    scheme: 'ldap',
    fake: LDAP,
    says: 'vendorName: Fake',
    refusal: 'invalidCredentials (49): wrong ***',
    bye: '0\x05',
  },
  {
    scheme: 'ssh',
    fake: SSH,
    says: 'SSH-2.0-Fake\nkey exchange: curve25519-sha256\nhost keys: ssh-ed25519',
    bye: '',
  },
]

describe.each(KINDS)('$scheme', ({ scheme, fake, says, refusal, bye }) => {
  test('a server that works is healthy, its words are the content, and the end is polite', async () => {
    const { port, heard } = await serve(fake)
    const found = await run(`${scheme}://127.0.0.1:${port}`)
    expect(found).toMatchObject({ error: '', kind: 'ok', response_sample: expect.stringContaining(says) })
    expect(found.response_sample).not.toMatch(/\n$/)
    const hasLeft = (): boolean => heard.at(-1)?.startsWith(bye) ?? false
    // The run does not wait for its farewell to arrive.
    await until(hasLeft)
  })

  if (refusal !== undefined) {
    test('a sign-in succeeds or is refused, without its password in any text, and on own monitors only', async () => {
      const { port } = await serve(fake)
      expect((await run(`${scheme}://ana:hunter2@127.0.0.1:${port}`)).error).toBe('')
      const found = await run(`${scheme}://ana:secret1@127.0.0.1:${port}`)
      expect(found.error).toBe(`protocol: the target refused the sign-in: ${refusal}`)
      expect(JSON.stringify(found)).not.toContain('secret1')
      const shared = await run(`${scheme}://ana:hunter2@192.0.2.1`, {}, { public_targets_only: true })
      expect(shared.error).toBe('blocked: only own monitors can run this check')
    })
  }

  if (fake.upgrade) {
    test('STARTTLS encrypts the connection before the sign-in, and the certificate is judged', async () => {
      const { port, heard } = await serve(fake)
      const url = `${scheme}://ana:hunter2@127.0.0.1:${port}?starttls=yes`
      const found = await run(url, lax)
      expect(found).toMatchObject({ error: '', response_sample: expect.stringContaining(says) })
      expect(Object.keys(found.phases)).toContain('tls')
      expect(heard.findIndex((line) => /ana|hunter2|AGFu/.test(line))).toBeGreaterThan(
        heard.findIndex((line) => fake.upgrade?.test(line)),
      )
      expect((await run(url)).error).toBe('tls: the certificate is self-signed')
      expect((await run(url, { ...lax, cert_expiry_warn_days: 14 })).kind).toBe('cert_expiry')
    })

    test('data that came before the handshake is refused, and so is a target that speaks no TLS', async () => {
      const answers = (extra: string) =>
        fake.answers.map(
          ([command, answer]) => [command, command.source === fake.upgrade?.source ? answer + extra : answer] as const,
        )
      const injected = await serve({ ...fake, answers: answers('x'), upgrade: /never/ })
      expect((await run(`${scheme}://127.0.0.1:${injected.port}?starttls=yes`, lax)).error).toBe(
        'protocol: the target sent more data before the TLS handshake',
      )
      const { port } = await serve({ ...fake, upgrade: /never/ })
      const found = await run(`${scheme}://127.0.0.1:${port}?starttls=yes`, { ...lax, timeout_sec: 0.5 })
      expect(found.kind).toMatch(/^(?:tls|timeout)$/)
    })
  }
})

test('the whole content of a Redis server is PONG', async () => {
  const { port } = await serve(REDIS)
  const rules = { match_string: '^PONG$', match_mode: 'regex', assertions: [{ on: 'banner', is: 'eq', value: 'PONG' }] }
  expect(await run(`redis://127.0.0.1:${port}`, rules as Parameters<typeof run>[1])).toMatchObject({
    error: '',
    kind: 'ok',
  })
})

/** Returns the schemes of a protocol: without TLS, and with it if there is such a scheme. */
const schemesOf = (scheme: string) => [scheme, `${scheme}s`].filter((name) => Object.hasOwn(SCHEMES, name))

test.each(KINDS.filter(({ scheme }) => schemesOf(scheme).length > 1))(
  '$scheme with TLS from the start',
  async ({ scheme, fake, says }) => {
    const port = await serveTcp((socket) => {
      const secured = new TLSSocket(socket, { isServer: true, key: minted.key, cert: minted.cert })
      secured.on('error', () => undefined)
      talk(secured, fake, [])
    })
    const url = `${scheme}s://127.0.0.1:${port}`
    expect(await run(url, lax)).toMatchObject({ error: '', response_sample: expect.stringContaining(says) })
    expect((await run(url)).error).toBe('tls: the certificate is self-signed')
  },
)

/** Sends more than any limit permits. An endless stream would leave this process no time to look. */
const endless = (unit: string) => (socket: Socket) => socket.write(unit.repeat(200_000 / unit.length), 'latin1')
/** Misbehaviour of a server, and the faults that it may lead to. */
const HOSTILE: readonly (readonly [what: string, serves: (socket: Socket, fake: Fake) => unknown, kinds: RegExp])[] = [
  ['silent', () => undefined, /^timeout: (?:while|during)/],
  ['closes', (socket) => socket.end(), /^(?:reset|tls): /],
  ['resets', (socket) => socket.resetAndDestroy(), /^(?:reset|tls): /],
  ['endless lines', endless('220-x\r\n'), /^(?:protocol|tls): /],
  ['endless line', endless('2'), /^(?:protocol|tls|timeout): /],
  ['endless star', endless('* OK +OK '), /^(?:protocol|tls): /],
  ['endless sequence', endless('\x30\x84\x7f'), /^(?:protocol|tls): /],
  [
    'garbage',
    (socket) => socket.end(Buffer.from(Array.from({ length: 2000 }, (_, n) => (n * 89 + 31) % 256))),
    /^(?:protocol|reset|tls): /,
  ],
  ['half', (socket, { greeting }) => socket.end(greeting.slice(0, -3) || '\x30\x50'), /^(?:reset|tls|protocol): /],
  [
    'slow',
    (socket) => {
      const timer = setInterval(() => socket.write('2'), 20)
      socket.on('close', () => clearInterval(timer))
    },
    /^(?:timeout|tls|protocol): /,
  ],
]

test.each(HOSTILE)('a server that is hostile: %s', async (_, serves, kinds) => {
  const urls = await Promise.all(
    KINDS.flatMap(({ scheme, fake }) =>
      schemesOf(scheme).map(async (name) => {
        const port = await serveTcp((socket) => serves(socket, fake))
        return `${name}://127.0.0.1:${port}`
      }),
    ),
  )
  // Only targets that never answer have a short timeout, because a busy machine answers late.
  const timeout_sec = kinds.test('timeout: while') ? 0.4 : 60
  const found = await Promise.all(urls.map((url) => run(url, { ...lax, timeout_sec })))
  expect(found.filter(({ error }) => !kinds.test(error)).map(({ error }, n) => [urls[n], error])).toEqual([])
})

test.each([
  ['smtp', '421 4.3.2 busy\r\n', '421 4.3.2 busy'],
  ['smtp', '554-no\r\n554 service\r\n', '554 service'],
  ['imap', '* BYE overloaded\r\n', '* BYE overloaded'],
  ['pop3', '-ERR locked\r\n', '-ERR locked'],
  ['ftp', '421 too many \x00users\r\n', '421 too many  users'],
] as const)('a greeting that refuses is quoted: %s %j', async (scheme, greeting, quoted) => {
  const { port } = await serve({ greeting, answers: [] })
  expect((await run(`${scheme}://127.0.0.1:${port}`)).error).toBe(
    `protocol: the target refused the connection: ${quoted}`,
  )
})

test('the fault of a silent target says what did not come', async () => {
  const { port } = await serve({ greeting: '220 ready\r\n', answers: [[/./, '']] })
  const found = await run(`smtp://127.0.0.1:${port}`, { timeout_sec: 1.5 })
  expect(found).toMatchObject({
    error: 'timeout: while waiting for the response to EHLO',
    response_sample: '220 ready',
  })
})

test('elements of BER are read as they are written, up to any length', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 4000]) {
    const written = element(TAGS.sequence, element(TAGS.text, 'x'.repeat(length)), numeric(TAGS.integer, 1))
    for (const end of [0, 1, 2, written.length - 1]) expect(readElement(written.subarray(0, end))).toBeUndefined()
    const read = readElement(written)
    expect(read?.length).toBe(written.length)
    expect(elementsIn(read?.element.content as Buffer)[0]?.content.length).toBe(length)
  }
})
