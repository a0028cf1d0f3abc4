// Each kind of channel against somebody real who takes what it sends: what arrives, and what is made of the answer.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Channel, Dispatch, Outcome } from '@dogwatch/channels/channel'
import { openPost } from '@dogwatch/channels/egress'
import type { ChannelKind } from '@dogwatch/channels/kind'
import { channelKinds } from '@dogwatch/channels/registry'
import type { MailSettings } from '@dogwatch/runtime/mail'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { emailChannel } from '../../channels/src/email/smtp.ts'
import { ntfy } from '../../channels/src/ntfy/kind.ts'
import { openKind } from '../../channels/src/open-kind.ts'
import { slack } from '../../channels/src/slack/kind.ts'
import { webhook } from '../../channels/src/webhook/kind.ts'
import { sign } from '../../channels/src/webhook/signature.ts'
import { mailServer } from '../../channels/test/support/mail-server.ts'
import { messageFor as inWords } from '../src/message.ts'
import { EVENTS } from './support/events.ts'
import { type Receiver, receiver } from './support/receiver.ts'

let inbox: Receiver
let open: { close(): void | Promise<void> }[]
beforeEach(async () => {
  inbox = await receiver()
  open = [inbox]
})
afterEach(async () => {
  for (const one of open.reverse()) await one.close()
})

const post = openPost({ egress_allow: ['127.0.0.1'] }, 30_000)
/** Of a kind that speaks HTTP. */
function channelOf(kind: ChannelKind, ntfy_url = '', operator = openPost('anywhere', 30_000)): Channel {
  const settings = { egress_allow: [], smtp_url: undefined, mail_from: undefined, ntfy_url }
  return openKind(kind, { receiver: post, operator }, settings)
}

const FROM = 'Dogwatch <alerts@dogwatch.example>'

/** Every field of every kind is there: what is not given is a url of the inbox, or empty. */
function dispatch(destination: Readonly<Record<string, string>> = {}, name = 'a check is down'): Dispatch {
  const { type, data } = EVENTS[name] ?? { type: '', data: {} }
  const timestamp = '2026-11-20T12:00:00.000000Z'
  const fields = channelKinds().flatMap((kind) => Object.entries(kind.fields))
  const blank = Object.fromEntries(fields.map(([field, { input }]) => [field, input === 'url' ? inbox.url : '']))
  return {
    webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7',
    // Now: the independent verifier takes nothing old.
    sent_at: new Date(),
    type,
    timestamp,
    data,
    message: inWords({ type, timestamp, data }, 'https://dogwatch.example'),
    destination: { ...blank, ...destination },
  }
}

/** What everything that speaks HTTP makes of the statuses. */
function answersLikeHttp(channel: () => Channel): void {
  const send = () => channel().send(dispatch())

  test.each([200, 201, 202, 204])('%i is delivered', async (status) => {
    inbox.answer = status
    expect(await send()).toEqual({ kind: 'delivered', status })
  })

  test.each([400, 401, 403, 404, 429, 500, 503])('%i is tried again', async (status) => {
    inbox.answer = status
    expect(await send()).toEqual({ kind: 'retry', reason: `status ${status}`, status })
  })

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const elsewhere = await receiver()
    open.push(elsewhere)
    inbox.answer = (response) => void response.writeHead(status, { location: elsewhere.url }).end()
    expect(await send()).toEqual({ kind: 'retry', reason: `status ${status}: redirects are not followed`, status })
    expect(elsewhere.connections).toBe(0)
  })

  const retryAfter: Record<string, [header: () => string, sec: number | undefined]> = {
    seconds: [() => '120', 120],
    'a date': [() => new Date(Date.now() + 600_000).toUTCString(), 600],
    'a date that is over': [() => 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    nonsense: [() => 'soon', undefined],
    'a negative number': [() => '-5', undefined],
  }
  test.each(Object.entries(retryAfter))('Retry-After: %s', async (_, [header, sec]) => {
    inbox.answer = (response) => void response.writeHead(503, { 'retry-after': header() }).end()
    const began_ms = Date.now()
    const outcome = (await send()) as { retry_after_sec?: number }
    // A date has whole seconds, and the answer is made some time after the beginning.
    const off_sec = (Date.now() - began_ms) / 1000 + 2
    if (sec === undefined) expect(outcome.retry_after_sec).toBeUndefined()
    else expect(Math.abs((outcome.retry_after_sec ?? Number.NaN) - sec)).toBeLessThanOrEqual(off_sec)
  })

  test('nobody there is tried again', async () => {
    await inbox.close()
    open = []
    expect(await send()).toMatchObject({ kind: 'retry', reason: expect.stringMatching(/ECONNREFUSED/) })
  })
}

describe('webhook', () => {
  const channel = channelOf(webhook)
  answersLikeHttp(() => channel)

  test('410 is the end of it', async () => {
    inbox.answer = 410
    const reason = 'status 410: the URL no longer exists, so the channel was disabled'
    expect(await channel.send(dispatch())).toEqual({ kind: 'gone', reason, status: 410 })
  })

  const secrets: Record<string, string> = {
    'base64 behind whsec_': `whsec_${randomBytes(24).toString('base64')}`,
    'any other text': 'correct horse battery staple',
    'text of other alphabets': 'пароль-密码-🔑',
  }
  test.each(Object.entries(secrets))('the signature is one that standardwebhooks verifies: %s', async (_, secret) => {
    for (const name of Object.keys(EVENTS)) {
      await channel.send(dispatch({ webhook_secret: secret }, name))
      const { body, headers } = inbox.got.at(-1) ?? { body: '', headers: {} }
      const verifier = secret.startsWith('whsec_')
        ? new Webhook(secret)
        : new Webhook(new TextEncoder().encode(secret), { format: 'raw' })
      expect(verifier.verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
      expect(() => verifier.verify(`${body} `, headers as Record<string, string>)).toThrow()
    }
    expect(inbox.got).toHaveLength(Object.keys(EVENTS).length)
  })

  test('whatever the secret and the body, both sides sign alike', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ unit: 'binary' }), fc.string(), (key, body, id) => {
        const at = new Date(1_800_000_000_000)
        const theirs = new Webhook(key, { format: 'raw' }).sign(id, at, body.toWellFormed())
        const ours = sign(`whsec_${Buffer.from(key).toString('base64')}`, id, 1_800_000_000, body.toWellFormed())
        expect(ours).toBe(theirs)
      }),
    )
  })

  test('without a secret it is not signed; id and time are sent', async () => {
    const sent = dispatch()
    await channel.send(sent)
    const [got] = inbox.got
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': sent.webhook_id,
      'webhook-timestamp': String(Math.floor(sent.sent_at.getTime() / 1000)),
    })
    expect(got?.headers).not.toHaveProperty('webhook-signature')
    expect(got?.json).toEqual({ type: 'check.down', timestamp: sent.timestamp, data: sent.data })
  })

  test('userinfo in the url goes as basic auth', async () => {
    const url = inbox.url.replace('//', '//al%20ice:s%C3%A9cret@')
    expect(await channel.send(dispatch({ webhook_url: url }))).toMatchObject({ kind: 'delivered' })
    expect(inbox.got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('al ice:sécret').toString('base64')}`)
  })
})

describe('slack', () => {
  const channel = channelOf(slack)
  answersLikeHttp(() => channel)

  test('what Slack says of a refusal is told; what else answers is not repeated', async () => {
    inbox.answer = (response) => void response.writeHead(403).end('invalid_token\n')
    expect(await channel.send(dispatch())).toMatchObject({ reason: 'status 403: invalid_token' })
    inbox.answer = (response) => void response.writeHead(500).end('<h1>Internal error at /hook/T0/B0/secret</h1>')
    expect(await channel.send(dispatch())).toMatchObject({ reason: 'status 500' })
  })

  test('200 that says in JSON that it went wrong is no delivery', async () => {
    inbox.answer = (response) => void response.writeHead(200).end('{"ok":false,"error":"channel_is_archived"}')
    expect(await channel.send(dispatch())).toEqual({
      kind: 'retry',
      status: 200,
      reason: 'status 200: channel_is_archived',
    })
    inbox.answer = (response) => void response.writeHead(200).end('{"ok":true}')
    expect(await channel.send(dispatch())).toEqual({ kind: 'delivered', status: 200 })
  })
})

describe('ntfy', () => {
  const channel = () => channelOf(ntfy, inbox.url)
  answersLikeHttp(channel)

  test('the topic, the text, a priority that wakes people, tags and where to look', async () => {
    await channel().send(dispatch({ ntfy_topic: 'alice-alerts' }))
    expect(inbox.got[0]?.json).toMatchObject({
      topic: 'alice-alerts',
      title: 'Down: shop (Connection refused)',
      message: expect.stringContaining('Failing from 2 of 3 monitors: rack 4, rack 5. Passing: rack 6.'),
      priority: 5,
      tags: ['red_circle'],
      click: expect.stringMatching(/^https:\/\/dogwatch\.example\/incidents\/[0-9a-f-]{36}$/),
    })
    await channel().send(dispatch({ ntfy_topic: 'alice-alerts' }, 'a check is up'))
    expect(inbox.got[1]?.json).toMatchObject({ priority: 3, tags: ['green_circle'] })
  })

  test('userinfo of NTFY_URL goes as basic auth, and is in no reason', async () => {
    const url = inbox.url.replace('//', '//alice:pa55word@')
    const body = `{"code":40101,"http":401,"error":"unauthorized: alice:pa55word at ${url}"}`
    inbox.answer = (response) => void response.writeHead(401).end(body)
    const outcome = await channelOf(ntfy, url, openPost('anywhere')).send(dispatch())
    expect(inbox.got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('alice:pa55word').toString('base64')}`)
    expect(outcome).toMatchObject({ reason: expect.stringContaining('status 401: unauthorized: ***') })
    expect(JSON.stringify(outcome)).not.toContain('pa55word')
  })
})

describe('email', () => {
  async function mailbox(
    options: Parameters<typeof mailServer>[0] = {},
    userinfo = '',
    more: Partial<MailSettings> = {},
  ) {
    const server = await mailServer(options)
    const smtp_url = `smtp://${userinfo}127.0.0.1:${server.port}`
    const channel: Channel = emailChannel({ smtp_url, mail_from: FROM, ...more })
    open.push(server, { close: () => channel.close?.() })
    return { server, channel }
  }

  test('it is taken, from MAIL_FROM, to the one address', async () => {
    const { server, channel } = await mailbox()
    expect(await channel.send(dispatch({ email: 'alice@example.com' }))).toEqual({ kind: 'delivered', status: 250 })
    const [mail] = server.got
    expect(mail).toMatchObject({ from: 'alerts@dogwatch.example', to: ['alice@example.com'] })
    expect(mail?.raw).toMatch(/^Subject: Down: shop \(Connection refused\)\r$/m)
    expect(mail?.raw).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m)
    expect(mail?.raw).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m)
  })

  test('the Message-ID is the same each time it is tried', async () => {
    const { server, channel } = await mailbox()
    for (let i = 0; i < 2; i++) await channel.send(dispatch({ email: 'alice@example.com' }))
    const ids = server.got.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
    expect(ids).toEqual(Array(2).fill('<msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7@dogwatch.example>'))
  })

  test('nothing that others typed makes a header or another recipient', async () => {
    const { server, channel } = await mailbox()
    let taken = 0
    const nasty = fc.stringMatching(/^[\r\n :,;<>@"a\u2028\0]{0,12}$/)
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constant(''), nasty), nasty, async (one, other) => {
        server.got.length = 0
        const given = dispatch({ email: `alice${one}@example.com` })
        const name = `shop${one}\r\nBcc: eve@example.com\r\n${other}`
        const data = { ...(given.data as object), check: { guid: 'g', name } }
        const message = inWords({ ...given, data }, 'https://dogwatch.example')
        await channel.send({ ...given, data, message })
        taken += server.got.length
        for (const mail of server.got) {
          const [head = ''] = mail.raw.split('\r\n\r\n')
          expect(head).not.toMatch(/^(bcc|cc):/im)
          expect(mail.to).toHaveLength(1)
          expect(mail.to[0]).not.toContain('eve')
        }
      }),
      { numRuns: 60 },
    )
    expect(taken).toBeGreaterThan(10)
  })

  test('a refusal is tried again, and says what the server said', async () => {
    const { channel } = await mailbox({
      onRcptTo: (_, __, callback) => callback(Object.assign(new Error('mailbox is full'), { responseCode: 452 })),
    })
    expect(await channel.send(dispatch({ email: 'alice@example.com' }))).toEqual({
      kind: 'retry',
      reason: expect.stringMatching(/^smtp: .*452 mailbox is full/),
      status: 452,
    })
  })

  test('a login that is refused says so, and nothing that was given to log in', async () => {
    const { channel } = await mailbox(
      {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ username = '', password = '' }, _, callback) =>
          callback(new Error(`no such login: ${username} ${password}`)),
      },
      'alice:pa55word@',
      { smtp_cleartext_login: true },
    )
    expect(await channel.send(dispatch({ email: 'alice@example.com' }))).toEqual({
      kind: 'retry',
      reason: 'smtp: the server rejected the login',
      status: 535,
      is_ours: true,
    })
  })

  describe('a login over smtp://', () => {
    /** Every login that a server was given. */
    const taking = (logins: unknown[]) =>
      ({
        allowInsecureAuth: true,
        onAuth: ({ username, password }, { secure }, callback) => {
          logins.push([username, password, secure])
          callback(null, { user: 'alice' })
        },
      }) satisfies Parameters<typeof mailServer>[0]
    const to = () => dispatch({ email: 'alice@example.com' })

    test('is not sent to a server that offers no encryption, and the reason says so', async () => {
      const logins: unknown[] = []
      const { server, channel } = await mailbox(taking(logins), 'alice:pa55word@')
      expect(await channel.send(to())).toEqual({
        kind: 'retry',
        reason: 'smtp: the mail server offers no encryption (STARTTLS), so the login was not sent',
        status: expect.any(Number),
        is_ours: true,
      })
      expect([logins, server.got]).toEqual([[], []])
    })

    test.each([
      ['', 'smtp: the mail server cannot encrypt at the moment (STARTTLS: 454), so the email was not sent'],
      [
        'alice:pa55word@',
        'smtp: the mail server cannot encrypt at the moment (STARTTLS: 454), so the login was not sent',
      ],
    ])('with the userinfo "%s", a server whose encryption fails for now is named as such', async (userinfo, reason) => {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.write('220 mail.example ESMTP\r\n')
        socket.on('data', (line) =>
          socket.write(String(line).startsWith('EHLO') ? '250-mail.example\r\n250 STARTTLS\r\n' : '454 not now\r\n'),
        )
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const channel: Channel = emailChannel({ smtp_url: `smtp://${userinfo}127.0.0.1:${port}`, mail_from: FROM })
      open.push({ close: () => void server.close() }, { close: () => channel.close?.() })
      expect(await channel.send(to())).toEqual({ kind: 'retry', reason, status: 454, is_ours: true })
    })

    test('is sent there with SMTP_CLEARTEXT_LOGIN', async () => {
      const logins: unknown[] = []
      const { channel } = await mailbox(taking(logins), 'alice:pa55word@', { smtp_cleartext_login: true })
      expect(await channel.send(to())).toMatchObject({ kind: 'delivered' })
      expect(logins).toEqual([['alice', 'pa55word', false]])
    })

    test('is encrypted where the server can, whatever the url says', async () => {
      const logins: unknown[] = []
      // The server brings a certificate of its own that nobody signed.
      const server = await mailServer({ ...taking(logins), disabledCommands: [] })
      for (const options of ['', '&ignoreTLS=true', '&requireTLS=false&opportunisticTLS=true']) {
        const smtp_url = `smtp://alice:pa55word@127.0.0.1:${server.port}?tls.rejectUnauthorized=false${options}`
        const channel: Channel = emailChannel({ smtp_url, mail_from: FROM })
        expect(await channel.send(to())).toMatchObject({ kind: 'delivered' })
        channel.close?.()
      }
      await server.close()
      expect(logins).toEqual(Array(3).fill(['alice', 'pa55word', true]))
    })

    test('without one, a server without encryption is as good as ever', async () => {
      const { channel } = await mailbox()
      expect(await channel.send(to())).toMatchObject({ kind: 'delivered' })
    })
  })

  test('a server that repeats a password is not repeated', async () => {
    const { channel } = await mailbox(
      {
        allowInsecureAuth: true,
        onAuth: (_, __, callback) => callback(null, { user: 'alice' }),
        onMailFrom: (_, __, callback) => callback(new Error('you are alice:pa55word, are you not')),
      },
      'alice:pa55word@',
      { smtp_cleartext_login: true },
    )
    const outcome = await channel.send(dispatch({ email: 'alice@example.com' }))
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('***') })
    expect(JSON.stringify(outcome)).not.toContain('pa55word')
  })

  test('nobody there is tried again', async () => {
    const { server, channel } = await mailbox()
    await server.close()
    expect(await channel.send(dispatch({ email: 'alice@example.com' }))).toMatchObject({
      kind: 'retry',
      reason: 'smtp: connect ECONNREFUSED',
    })
  })

  test('a server that says nothing is given up on in time', async () => {
    const silent = await listening()
    const channel: Channel = emailChannel({ smtp_url: `smtp://127.0.0.1:${silent.port}`, mail_from: FROM })
    open.push({ close: () => channel.close?.() }, silent)
    const outcome = await channel.send(dispatch({ email: 'alice@example.com' }))
    expect(outcome).toEqual({ kind: 'retry', reason: 'smtp: Greeting never received', is_ours: true })
  })

  test.each<[string, Parameters<typeof emailChannel>[0], string]>([
    ['SMTP_URL', { smtp_url: undefined, mail_from: FROM }, 'SMTP_URL is not set'],
    ['MAIL_FROM', { smtp_url: 'smtp://x', mail_from: undefined }, 'MAIL_FROM is not set'],
    ['either', { smtp_url: undefined, mail_from: undefined }, 'SMTP_URL and MAIL_FROM are not set'],
  ])('without %s it waits', async (_, settings, what) => {
    const channel: Channel = emailChannel(settings)
    const outcome: Outcome = await channel.send(dispatch({ email: 'alice@example.com' }))
    expect(outcome).toEqual({ kind: 'wait', reason: `email is not set up: ${what}` })
  })
})

async function listening(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<{ destroy(): void }>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}
