// tls:// targets with several addresses, each of which may have a certificate of its own.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import * as tls from 'node:tls'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mint } from '../../../test/support/certificates.ts'
import { run } from '../../../test/support/checks.ts'
import { serveTls } from '../../../test/support/servers.ts'

const DAY_MS = 86_400_000
const NAME = 'two.example'
const ca = mint({ name: 'Test Authority', is_ca: true })
const renewed = mint({ name: NAME, for: [NAME], issuer: ca, not_after: new Date(Date.now() + 90 * DAY_MS) })
const stale = mint({ name: NAME, for: [NAME], issuer: ca, not_after: new Date(Date.now() + 5 * DAY_MS) })

const { lookup } = dns
const two = [
  { address: '127.0.0.2', family: 4 },
  { address: '127.0.0.1', family: 4 },
]

type Answer = (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void

function lookUp(host: string, options: dns.LookupAllOptions, answer: Answer): void {
  if (host === NAME) answer(null, two)
  else lookup(host, options, answer)
}

const trusted = tls.getCACertificates('default')
beforeAll(() => {
  tls.setDefaultCACertificates([...trusted, ca.cert])
  Object.assign(dns, { lookup: lookUp })
  syncBuiltinESMExports()
})
afterAll(() => {
  tls.setDefaultCACertificates(trusted)
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
})

test('one address that presents a certificate from before the renewal is found, and named', async () => {
  const port = await serveTls(renewed)
  await serveTls(stale, {}, [port, '127.0.0.2'])
  const expiring = { cert_expiry_warn_days: 14 }
  const error = expect.stringMatching(/^cert_expiry: 127\.0\.0\.2: the certificate has [45]\.\d days left/)
  expect(await run(`tls://${NAME}:${port}?addresses=all`, expiring)).toMatchObject({ kind: 'cert_expiry', error })
  const found = await run(`tls://${NAME}:${port}?addresses=all`, { match_string: `CN=${NAME}` })
  expect([found.kind, Math.round((Number(found.certificate_ends) - Date.now()) / DAY_MS)]).toEqual(['ok', 5])
})

test('one address that does not respond fails the check, and is named', async () => {
  const port = await serveTls(renewed)
  expect(await run(`tls://${NAME}:${port}?addresses=all`)).toMatchObject({
    error: 'refused: 127.0.0.2: the connection was refused',
  })
  expect((await run(`tls://${NAME}:${port}`)).kind).toBe('ok')
})

test('rules on the certificate judge the one that expires first', async () => {
  const port = await serveTls(renewed)
  await serveTls(stale, {}, [port, '127.0.0.2'])
  const assertions = [{ on: 'certificate', at: 'days_left', is: 'gt', value: 14 }] as const
  expect((await run(`tls://${NAME}:${port}?addresses=all`, { assertions: [...assertions] })).kind).toBe('assertion')
})

test('an untrusted certificate of one address is named, and an address alone has no others', async () => {
  const port = await serveTls(renewed)
  await serveTls(mint({ name: NAME, for: [NAME] }), {}, [port, '127.0.0.2'])
  expect((await run(`tls://${NAME}:${port}?addresses=all`)).error).toBe(
    'tls: 127.0.0.2: the certificate is self-signed',
  )
  expect((await run(`tls://127.0.0.1:${port}?addresses=all`, { insecure_skip_verify: true })).kind).toBe('ok')
})
