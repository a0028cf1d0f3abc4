// Nothing that a target sends ends the process, and nothing of it is a certificate or an encoding that is none.
import { expect, test } from '@jest/globals'
import { observe } from '../../src/probes/attempt.ts'
import { mint } from '../support/certificates.ts'
import { run, verdict } from '../support/checks.ts'
import { serveBytes, serveHttps, serveTls } from '../support/servers.ts'

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'zstd'])(
  'a body in the encoding %s, which none is, is taken as it is',
  async (encoding) => {
    const url = await serveBytes(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 2\r\n\r\nok`)
    expect(await verdict(url, { match_string: 'ok' })).toBe('ok 200')
  },
)

const lax = { insecure_skip_verify: true }

test.each(['XXXXXXXXXXXXZ', '261399000000Z'])(
  'a certificate that ends at %p does not pass a rule about its end',
  async (not_after_as) => {
    const minted = mint({ name: 'localhost', for: ['localhost'], not_after_as })
    const urls = [`tls://127.0.0.1:${await serveTls(minted)}`, `https://127.0.0.1:${await serveHttps(minted)}`]
    for (const url of urls) {
      const found = await run(url, { ...lax, cert_expiry_warn_days: 14 })
      expect(found.error).toBe('cert_expiry: no certificate was presented')
      expect((await run(url, lax)).kind).toBe('ok')
    }
  },
)

test('what throws on an event of a socket ends its run, and nothing else', async () => {
  const bounds = { timeout_ms: 5000, mayDial: () => true }
  const bug = new Error('a bug')
  const looking = observe(bounds, (attempt) => {
    const later = attempt.guarded((error: Error) => {
      throw error
    })
    setImmediate(later, bug)
  })
  await expect(looking).rejects.toBe(bug)
  const late = observe({ ...bounds, timeout_ms: 20 }, (attempt) => {
    attempt.onTimeout = () => {
      throw bug
    }
  })
  await expect(late).rejects.toBe(bug)
})
