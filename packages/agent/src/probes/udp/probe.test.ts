// udp:// targets: a datagram, and the response that is expected.
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { expect, test } from '@jest/globals'
import { run } from '../../../test/support/checks.ts'
import { serveDatagrams } from '../../../test/support/datagram-server.ts'
import { closedPort } from '../../../test/support/servers.ts'

const echo = (datagram: Buffer) => [datagram]

test('a response must contain the expected bytes, whatever bytes these are', async () => {
  const port = await serveDatagrams(echo)
  expect(await run(`udp://127.0.0.1:${port}?send=a%00\\xffb&expect=%00\\xff`)).toMatchObject({ kind: 'ok' })
  expect(await run(`udp://127.0.0.1:${port}?send=ping&expect=pong`)).toMatchObject({
    error: 'protocol: the response does not contain the expected bytes',
    response_sample: 'ping',
  })
})

test('a rule about the content waits for a response that keeps it', async () => {
  const port = await serveDatagrams((datagram) => [Buffer.from('busy'), datagram])
  expect(await run(`udp://127.0.0.1:${port}?send=ready`, { match_string: 'ready' })).toMatchObject({ kind: 'ok' })
  const found = await run(`udp://127.0.0.1:${port}?send=x`, { match_string: 'ready', timeout_sec: 1.5 })
  expect(found).toMatchObject({ kind: 'match', response_sample: 'x' })
})

test('silence fails only if a response is expected, and a closed port always does', async () => {
  const silent = `udp://127.0.0.1:${await serveDatagrams(() => [])}`
  expect((await run(silent, { timeout_sec: 0.4 })).kind).toBe('ok')
  expect((await run(`${silent}?expect=x`, { timeout_sec: 0.4 })).error).toBe('timeout: while waiting for a response')
  expect((await run(`udp://127.0.0.1:${await closedPort()}`)).error).toBe('refused: the connection was refused')
})

test('a datagram that is lost is sent again', async () => {
  const port = await serveDatagrams((datagram, nth) => (nth < 3 ? [] : [datagram]))
  expect((await run(`udp://127.0.0.1:${port}?send=x&expect=x`, { timeout_sec: 3 })).kind).toBe('ok')
})

test('an endless stream of responses ends with the run', async () => {
  const port = await serveDatagrams(() => Array<Buffer>(500).fill(Buffer.alloc(1000, 'x')))
  const found = await run(`udp://127.0.0.1:${port}`, { match_string: 'y', timeout_sec: 1.5 })
  expect(found).toMatchObject({ kind: 'match', response_sample: 'x'.repeat(1000) })
})

test('shared monitors send no datagram that a member wrote, and readers do not see it', async () => {
  const shared = { public_targets_only: true }
  expect((await run('udp://192.0.2.1:9?send=x', {}, shared)).error).toBe(
    'blocked: only own monitors can run this check',
  )
  expect((await run('udp://127.0.0.1:9', {}, shared)).error).toBe('blocked: the address is not public')
  expect(hideInUrl('udp://a:9?send=x&expect=y')).toBe('udp://a:9?send=***&expect=y')
})
