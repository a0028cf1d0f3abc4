// How a result tells its parts: whole milliseconds that add up, and when the certificate ends.

import type { Result } from '@dogwatch/monitor-sdk'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Phases } from '../../src/probes/observation.ts'
import { resultOf, withoutDetail } from '../../src/run/sent-result.ts'
import { timingsOf } from '../../src/run/timings.ts'
import { mint } from '../support/certificates.ts'
import { aCheck, run } from '../support/checks.ts'
import { closedPort, serveHttp, serveHttps, serveTcp, serveTls } from '../support/servers.ts'

const sumOf = (timings: object = {}): number => Object.values<number>({ ...timings }).reduce((sum, ms) => sum + ms, 0)

async function sentOf(url: string, fields: Parameters<typeof run>[1] = {}, isPrivate = false): Promise<Result> {
  const result = await run(url, fields)
  return resultOf({ check: aCheck(url, fields), isPrivate, ran_at: '2026-11-20T10:00:00.000Z', result })
}

test('the parts are whole, none is negative, and together they are the latency', () => {
  const ms = fc.option(fc.double({ min: 0, max: 60_000, noNaN: true }), { nil: undefined })
  const some = fc.record({ dns: ms, connect: ms, tls: ms, first_byte: ms, body: ms })
  fc.assert(
    fc.property(some, fc.nat(50), (given, waited_ms) => {
      const phases = Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)) as Phases
      const sum = Object.values<number>({ ...phases }).reduce((all, one) => all + one, 0)
      // What we waited after the last part of the answer belongs to the last phase, and not to the latency.
      const last = [phases.body, phases.first_byte, phases.tls, phases.connect, phases.dns].find(
        (one) => one !== undefined,
      )
      const latency_ms = Math.round(sum - Math.min(waited_ms, last ?? 0))
      const timings = timingsOf(phases, latency_ms)
      if (Object.keys(phases).length === 0) return expect(timings).toBeUndefined()
      const parts = Object.values<number>({ ...timings })
      expect(parts.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
      expect(sumOf(timings)).toBe(latency_ms)
    }),
  )
})

test('each kind of target has the parts that it came to, which add up to its latency', async () => {
  const minted = mint({ name: 'localhost', for: ['127.0.0.1'], not_after: new Date('2027-02-18T10:30:00Z') })
  const site = await serveHttp((req, res) => {
    if (req.url === '/moved') res.writeHead(302, { location: '/there' }).end()
    else res.end('all is well')
  })
  const insecure = { insecure_skip_verify: true }
  const tcp = await serveTcp((socket) => socket.write('220 ready'))
  const found = {
    http: await sentOf(site),
    redirect: await sentOf(`${site}/moved`),
    https: await sentOf(`https://127.0.0.1:${await serveHttps(minted)}/`, insecure),
    tls: await sentOf(`tls://127.0.0.1:${await serveTls(minted)}`, insecure),
    tcp: await sentOf(`tcp://127.0.0.1:${tcp}`),
    banner: await sentOf(`tcp://127.0.0.1:${tcp}`, { match_string: '220' }),
    refused: await sentOf(`tcp://127.0.0.1:${await closedPort()}`),
  }
  const parts = Object.entries(found).map(([name, { timings }]) => `${name}: ${Object.keys(timings ?? {}).join(' ')}`)
  expect(parts).toEqual([
    'http: connect_ms first_byte_ms transfer_ms',
    'redirect: connect_ms first_byte_ms transfer_ms',
    'https: connect_ms tls_ms first_byte_ms transfer_ms',
    'tls: connect_ms tls_ms',
    'tcp: connect_ms',
    'banner: connect_ms first_byte_ms transfer_ms',
    'refused: connect_ms',
  ])
  for (const { timings, latency_ms } of Object.values(found)) expect(sumOf(timings)).toBe(latency_ms)
  const ends = Object.entries(found).map(([name, { cert_expires_at = '' }]) => `${name} ${cert_expires_at}`.trim())
  expect(ends).toEqual([
    'http',
    'redirect',
    'https 2027-02-18T10:30:00.000Z',
    'tls 2027-02-18T10:30:00.000Z',
    'tcp',
    'banner',
    'refused',
  ])
})

test('of a banner that is waited for until time runs out, only the time until it came is told', async () => {
  const port = await serveTcp((socket) => socket.write('420 go away'))
  const { timings, latency_ms } = await sentOf(`tcp://127.0.0.1:${port}`, { match_string: '220', timeout_sec: 3 })
  expect(latency_ms).toBeLessThan(3000)
  expect(sumOf(timings)).toBe(latency_ms)
})

test('a definition that cannot be run has no parts', async () => {
  expect(await sentOf('gopher://example.com/')).not.toHaveProperty('timings')
})

test('of a private definition the day is told on which its certificate ends, because logs of certificates can be searched', async () => {
  const minted = mint({ name: 'localhost', for: ['127.0.0.1'], not_after: new Date('2027-02-18T10:30:00Z') })
  const target = [`tls://127.0.0.1:${await serveTls(minted)}`, { insecure_skip_verify: true }] as const
  expect(await sentOf(...target, true)).toMatchObject({ cert_expires_at: '2027-02-18T00:00:00.000Z' })
  // It became private while its results waited for their upload.
  expect(withoutDetail(await sentOf(...target))).toMatchObject({ cert_expires_at: '2027-02-18T00:00:00.000Z' })
})
