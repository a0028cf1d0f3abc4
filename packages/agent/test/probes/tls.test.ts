// Cases 16 to 18 and 21: which certificates are trusted, for how long, and that they are seen each time.
import type { RequestListener } from 'node:http'
import * as tls from 'node:tls'
import type { Check } from '@dogwatch/monitor-sdk'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Minted, type MintOptions, mint } from '../support/certificates.ts'
import { run, verdict } from '../support/checks.ts'
import { ECDHE_RSA_AES128_GCM, finiteFieldSuites, suitesIn } from '../support/client-hello.ts'
import { ok, serveBytes, serveHttp, serveHttps, serveTcp, serveTls } from '../support/servers.ts'

const DAY_MS = 86_400_000
const ca = mint({ name: 'Test Authority', is_ca: true })
const good = mint({ name: 'localhost', for: ['localhost', '127.0.0.1'], issuer: ca })
const agingRoot = mint({ name: 'Aging Root', is_ca: true, not_after: new Date(Date.now() + 20 * DAY_MS) })

// As an operator does with NODE_EXTRA_CA_CERTS, which is read only when a process starts.
const trusted = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...trusted, ca.cert, agingRoot.cert]))
afterAll(() => tls.setDefaultCACertificates(trusted))

const past = (days: number): Date => new Date(Date.now() - days * DAY_MS)
const UNTRUSTED: [what: string, minted: Minted, words: string][] = [
  ['a self-signed', mint({ name: 'localhost', for: ['localhost', '127.0.0.1'] }), 'the certificate is self-signed'],
  [
    'an expired',
    mint({ name: 'localhost', for: ['127.0.0.1'], issuer: ca, not_before: past(9), not_after: past(1) }),
    'the certificate has expired',
  ],
  [
    'a future',
    mint({ name: 'localhost', for: ['127.0.0.1'], issuer: ca, not_before: past(-3) }),
    'the certificate is not yet valid',
  ],
  [
    "another name's",
    mint({ name: 'x', for: ['other.example', '127.0.0.2'], issuer: ca }),
    'the certificate is for a different host name',
  ],
  [
    'a certificate without the address',
    mint({ name: 'x', for: ['localhost'], issuer: ca }),
    'the certificate is for a different host name',
  ],
]

const UNTRUSTED_EXPIRED = mint({ name: 'x', for: ['127.0.0.1'], not_before: past(9), not_after: past(1) })

describe.each(UNTRUSTED)('case 16: %s certificate', (_what, minted, words) => {
  test('fails an https and a tls check', async () => {
    const https = await run(`https://127.0.0.1:${await serveHttps(minted)}`)
    expect(https).toMatchObject({ kind: 'tls', error: `tls: ${words}`, http_status: 0 })
    expect((await run(`tls://127.0.0.1:${await serveTls(minted)}`)).error).toBe(`tls: ${words}`)
  })

  test('is taken with insecure_skip_verify', async () => {
    const insecure = { insecure_skip_verify: true }
    expect(await verdict(`https://127.0.0.1:${await serveHttps(minted)}`, insecure)).toBe('ok 200')
    expect(await verdict(`tls://127.0.0.1:${await serveTls(minted)}`, insecure)).toBe('ok 0')
  })
})

describe("case 16: while this machine's clock is wrong", () => {
  const OFF_MS = 300_000
  const ahead = { now: () => new Date(Date.now() + OFF_MS) }
  const behind = { now: () => new Date(Date.now() - OFF_MS) }
  const between = past(-OFF_MS / 2 / DAY_MS)
  const earlier = past(OFF_MS / 2 / DAY_MS)
  const site = (dates: Partial<MintOptions>) => mint({ name: 'localhost', for: ['127.0.0.1'], issuer: ca, ...dates })
  const expired = 'tls: the certificate has expired'
  const notYet = 'tls: the certificate is not yet valid'

  test.each([
    ['has expired since', site({ not_after: between }), ahead, expired],
    ['has expired by both clocks', site({ not_before: past(9), not_after: past(1) }), ahead, expired],
    ['has expired by both clocks, and is trusted by nobody', UNTRUSTED_EXPIRED, behind, expired],
    ['is not valid yet', site({ not_before: earlier }), behind, notYet],
    ['is not valid yet by both clocks', site({ not_before: past(-3) }), behind, notYet],
  ])('a certificate that %s by the server fails, and gets no request', async (_what, minted, off, error) => {
    let requests = 0
    const onRequest: RequestListener = (_req, res) => {
      requests += 1
      res.end()
    }
    const https = `https://user:word@127.0.0.1:${await serveHttps(minted, onRequest)}`
    expect(await run(https, {}, off)).toMatchObject({ kind: 'tls', error, failed_in: 'tls' })
    expect((await run(`tls://127.0.0.1:${await serveTls(minted)}`, {}, off)).error).toBe(error)
    expect(await verdict(https, { insecure_skip_verify: true }, off)).toBe('ok 200')
    expect(requests).toBe(1)
  })

  test.each([
    ['is valid by the server alone', site({ not_before: between }), ahead],
    ['had not expired yet by the server', site({ not_after: earlier }), behind],
  ])('whether a certificate that %s would be trusted is not known: no result', async (_what, minted, off) => {
    const found = run(`https://127.0.0.1:${await serveHttps(minted)}`, {}, off)
    await expect(found).rejects.toMatchObject({ why: 'machine_clock' })
  })

  test('an issuer that is valid by one of the clocks alone leaves no result', async () => {
    const short = mint({ name: 'Short', is_ca: true, issuer: ca, not_after: between })
    const minted = mint({ name: 'localhost', for: ['127.0.0.1'], issuer: short })
    const url = `https://127.0.0.1:${await serveHttps({ ...minted, cert: minted.cert + short.cert })}`
    await expect(run(url, {}, ahead)).rejects.toMatchObject({ why: 'machine_clock' })
    expect(await verdict(url)).toBe('ok 200')
  })

  test('what does not depend on the time is judged as ever', async () => {
    for (const off of [ahead, behind]) {
      expect(await verdict(`https://127.0.0.1:${await serveHttps(good)}`, {}, off)).toBe('ok 200')
      const other = `https://127.0.0.1:${await serveHttps(UNTRUSTED[3]?.[1] ?? good)}`
      expect((await run(other, {}, off)).error).toBe('tls: the certificate is for a different host name')
      const selfSigned = `tls://127.0.0.1:${await serveTls(UNTRUSTED[0]?.[1] ?? good)}`
      expect((await run(selfSigned, {}, off)).error).toBe('tls: the certificate is self-signed')
    }
  })
})

test('case 16: nothing of a request reaches a server that is not trusted', async () => {
  let requests = 0
  const port = await serveHttps(UNTRUSTED[0]?.[1] ?? good, (_req, res) => {
    requests += 1
    res.end()
  })
  await run(`https://user:word@127.0.0.1:${port}`)
  expect(requests).toBe(0)
})

test('case 16: a trusted certificate of the right name passes, over https and tls', async () => {
  expect(await verdict(`https://localhost:${await serveHttps(good)}`)).toBe('ok 200')
  expect(await verdict(`https://127.0.0.1:${await serveHttps(good)}`)).toBe('ok 200')
  expect(await verdict(`tls://localhost:${await serveTls(good)}`)).toBe('ok 0')
})

test('case 16: without alternative names, the common name must be the name of the host', async () => {
  const [named, other] = ['localhost', 'other.example'].map((name) => mint({ name, issuer: ca })) as [Minted, Minted]
  expect(await verdict(`https://localhost:${await serveHttps(named)}`)).toBe('ok 200')
  expect(await verdict(`https://127.0.0.1:${await serveHttps(named)}`)).toBe('tls 0')
  expect(await verdict(`https://localhost:${await serveHttps(other)}`)).toBe('tls 0')
})

test('case 6: the name asked for and verified follows the Host header', async () => {
  const asked: (string | undefined)[] = []
  const shop = mint({ name: 'shop', for: ['shop.example'], issuer: ca })
  const SNICallback: tls.TlsOptions['SNICallback'] = (name, answer) => {
    asked.push(name)
    answer(null)
  }
  const port = await serveHttps(shop, ok, { SNICallback })
  expect(await verdict(`https://127.0.0.1:${port}`, { headers: { host: 'shop.example:8443' } })).toBe('ok 200')
  expect(await verdict(`https://127.0.0.1:${port}`, { headers: { Host: 'other.example' } })).toBe('tls 0')
  expect(asked).toEqual(['shop.example', 'other.example'])
})

describe('case 17: cert_expiry_warn_days', () => {
  const at = (before_ms: number) => ({ now: () => new Date(good.not_after.getTime() - before_ms) })
  test.each([
    [14, 14 * DAY_MS - 1000, 'cert_expiry'],
    [14, 14 * DAY_MS, 'cert_expiry'],
    [14, 14 * DAY_MS + 1, 'ok'],
    [14, 14 * DAY_MS + 1000, 'ok'],
    [14, 14.5 * DAY_MS, 'ok'],
    [15, 14.5 * DAY_MS, 'cert_expiry'],
    [0, 1, 'ok'],
  ])('of %d with %d ms left is %s', async (cert_expiry_warn_days, left_ms, wanted) => {
    const https = `https://localhost:${await serveHttps(good)}`
    const bare = `tls://localhost:${await serveTls(good)}`
    expect((await run(https, { cert_expiry_warn_days }, at(left_ms))).kind).toBe(wanted)
    expect((await run(bare, { cert_expiry_warn_days }, at(left_ms))).kind).toBe(wanted)
  })

  test('fails an expired certificate that is not verified', async () => {
    const minted = UNTRUSTED[1]?.[1] ?? good
    const found = await run(`https://127.0.0.1:${await serveHttps(minted)}`, {
      insecure_skip_verify: true,
      cert_expiry_warn_days: 14,
    })
    expect(found).toMatchObject({ error: 'cert_expiry: the certificate has expired', http_status: 200 })
  })

  test('looks at the certificate of the target, not at those of its issuers', async () => {
    const short = mint({ name: 'Short', is_ca: true, not_after: past(-5) })
    const minted = mint({ name: 'localhost', for: ['localhost'], issuer: short })
    const port = await serveHttps({ ...minted, cert: minted.cert + short.cert })
    const rules = { insecure_skip_verify: true, cert_expiry_warn_days: 14 }
    expect(await verdict(`https://localhost:${port}`, rules)).toBe('ok 200')
  })

  test('looks at every hop of an https check, and at none of an http check', async () => {
    const soon = mint({ name: 'localhost', for: ['localhost'], issuer: ca, not_after: past(-5) })
    const to = `https://localhost:${await serveHttps(good)}/`
    const redirect: RequestListener = (_req, res) => res.writeHead(302, { location: to }).end()
    const https = `https://localhost:${await serveHttps(soon, redirect)}`
    const rules = { cert_expiry_warn_days: 14 }
    expect(await verdict(https, rules)).toBe('cert_expiry 200')
    expect(await verdict(await serveHttp(redirect), { cert_expiry_warn_days: 365 })).toBe('ok 200')
  })
})

describe('case 17: when the certificates end that a target is trusted by', () => {
  const authority = (days: number, issuer = ca) =>
    mint({ name: 'Between', is_ca: true, issuer, not_after: past(-days) })
  const aging = authority(5)
  const site = (issuer: Minted) => mint({ name: 'localhost', for: ['localhost'], issuer, not_after: past(-80) })
  const endsOf = async (minted: Minted, chain: readonly Minted[], fields: Partial<Check> = {}) => {
    const served = { ...minted, cert: [minted, ...chain].map(({ cert }) => cert).join('') }
    const https = await run(`https://localhost:${await serveHttps(served)}`, fields)
    const bare = await run(`tls://localhost:${await serveTls(served)}`, fields)
    expect([https.kind, bare.kind]).toEqual(['ok', 'ok'])
    expect(bare.certificate_ends).toEqual(https.certificate_ends)
    return https.certificate_ends
  }

  test('an issuer that ends before the certificate counts, and fails no check', async () => {
    expect(await endsOf(site(aging), [aging], { cert_expiry_warn_days: 14 })).toEqual(aging.not_after)
  })

  test('so does the root, which no target sends', async () => {
    expect(await endsOf(site(agingRoot), [])).toEqual(agingRoot.not_after)
    const between = authority(60, agingRoot)
    expect(await endsOf(site(between), [between])).toEqual(agingRoot.not_after)
  })

  test('a certificate beside the path does not count', async () => {
    const old = mint({ name: 'Old Root', is_ca: true, not_after: past(-1) })
    const crossed = mint({ name: 'Test Authority', is_ca: true, issuer: old, not_after: past(-1) })
    const minted = site(ca)
    expect(await endsOf(minted, [aging, crossed, old])).toEqual(minted.not_after)
  })

  test('of two issuers of one name the one that ends later counts', async () => {
    const renewed = mint({ name: 'Between', is_ca: true, issuer: ca, not_after: past(-60), keys_of: aging })
    expect(await endsOf(site(aging), [aging, renewed])).toEqual(renewed.not_after)
  })

  test('of what is not verified, the presented certificate alone counts', async () => {
    const minted = site(aging)
    expect(await endsOf(minted, [aging], { insecure_skip_verify: true })).toEqual(minted.not_after)
  })
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)('case 18: over %s the certificate is seen each time', async (version) => {
  const port = await serveHttps(good, ok, { minVersion: version, maxVersion: version })
  const soon = { now: () => new Date(good.not_after.getTime() - DAY_MS) }
  const verdicts = []
  for (let at = 0; at < 4; at += 1) {
    verdicts.push(await verdict(`https://localhost:${port}`, { cert_expiry_warn_days: 14 }, soon))
  }
  expect(verdicts).toEqual(Array(4).fill('cert_expiry 200'))
})

describe('case 21: a tls target', () => {
  test('that shakes hands is up, and the parts of the run are known', async () => {
    const found = await run(`tls://localhost:${await serveTls(good)}`)
    expect(found).toMatchObject({ kind: 'ok', http_status: 0, response_sample: '' })
    expect(Object.keys(found.phases)).toEqual(['dns', 'connect', 'tls'])
  })

  test.each([
    ['contains', 'san=DNS:localhost', 'ok'],
    ['contains', 'issuer=CN=Test Authority;', 'ok'],
    ['regex', 'not_after=20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', 'ok'],
    ['regex', '^subject=CN=localhost; san=DNS:localhost, IP Address:127\\.0\\.0\\.1; issuer=', 'ok'],
    ['contains', 'issuer=CN=Another', 'match'],
    ['not_contains', 'Test Authority', 'match'],
  ])('%s %s is matched on its certificate: %s', async (match_mode, match_string, kind) => {
    const url = `tls://localhost:${await serveTls(good)}`
    expect((await run(url, { match_mode, match_string })).kind).toBe(kind)
  })

  test('that speaks plain text fails', async () => {
    const { port } = new URL(await serveBytes('220 mail.example ESMTP\r\n'))
    expect((await run(`tls://127.0.0.1:${port}`)).kind).toBe('tls')
    const web = new URL(await serveHttp(ok))
    expect((await run(`tls://127.0.0.1:${web.port}`)).kind).toBe('tls')
  })

  test('that hangs up fails', async () => {
    expect((await run(`tls://127.0.0.1:${await serveTcp((socket) => socket.end())}`)).kind).toBe('reset')
  })

  test('that wants a certificate of ours is up: that is said only after the handshake', async () => {
    const port = await serveTls(good, { requestCert: true, rejectUnauthorized: true, ca: [ca.cert] })
    expect(await verdict(`tls://localhost:${port}`)).toBe('ok 0')
  })

  test('without a port is a fault of the check', async () => {
    expect(await verdict('tls://localhost')).toBe('config 0')
  })
})

test('a server that speaks HTTP/2 alone fails, in words of ours', async () => {
  const port = await serveTls(good, { ALPNProtocols: ['h2'] })
  const found = await run(`https://localhost:${port}`)
  expect(found.error).toBe('tls: the target does not offer the HTTP version of the check')
})

describe('a target cannot keep the thread busy', () => {
  test('by the size of a key exchange: the kind whose size it chooses is not offered', async () => {
    const hellos: Buffer[] = []
    const port = await serveTcp((socket) => {
      socket.once('data', (bytes) => {
        hellos.push(bytes)
        socket.destroy()
      })
    })
    await run(`tls://127.0.0.1:${port}`)
    expect(hellos.flatMap(finiteFieldSuites)).toEqual([])
    expect(hellos.flatMap(suitesIn)).toContain(ECDHE_RSA_AES128_GCM)
  })

  test('by one handshake after another', async () => {
    let repeated = 0
    const again: RequestListener = (_req, res) => {
      const socket = res.socket as tls.TLSSocket
      socket.renegotiate({}, (error) => {
        if (!error) repeated += 1
        res.end()
      })
    }
    const { kind } = await run(`https://localhost:${await serveHttps(good, again, { maxVersion: 'TLSv1.2' })}`)
    expect([kind, repeated]).toEqual(['tls', 0])
  })
})
