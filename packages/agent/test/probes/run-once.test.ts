// dogwatch-agent run-once: what a person, a pipe and a program are told.
import { expect, test } from '@jest/globals'
import { type RunOnceOptions, runOnce, type Screen } from '../../src/run/run-once.ts'
import { waterfall } from '../../src/run/waterfall.ts'
import { closedPort, ok, serveHttp } from '../support/servers.ts'

async function typed(url: string, options: RunOnceOptions = {}, screen: Partial<Screen> = {}) {
  const written = { out: '', err: '' }
  const status = await runOnce(url, {
    env: {},
    ...options,
    out: { ...screen, write: (text) => (written.out += text) },
    err: { write: (text) => (written.err += text) },
  })
  return { status, ...written }
}

test('a healthy target ends with 0 and is told in plain lines to a pipe', async () => {
  const url = await serveHttp(ok)
  const { status, out, err } = await typed(url)
  expect([status, err]).toEqual([0, ''])
  expect(out.replace(/[\d.]+ ms/g, '# ms').replace(/ +/g, ' ')).toBe(
    `${url}\n up, status 200, # ms, at 127.0.0.1\n connect # ms\n first byte # ms\n answer # ms\n`,
  )
})

test('an unhealthy one ends with 1 and says why', async () => {
  const { status, out } = await typed(`http://127.0.0.1:${await closedPort()}/`)
  expect(status).toBe(1)
  expect(out).toContain('refused: the connection was refused')
})

test.each(['shop.example', 'udp://shop.example', 'tcp://shop.example', ''])(
  'what is no target, %s, ends with 2',
  async (url) => {
    const { status, out, err } = await typed(url)
    expect([status, out]).toEqual([2, ''])
    expect(err).toMatch(/^dogwatch-agent run-once: the url .*\n$/)
  },
)

test('a terminal gets bars and colours, NO_COLOR takes the colours away', async () => {
  const url = await serveHttp(ok)
  const colored = await typed(url, {}, { isTTY: true, columns: 100 })
  expect(colored.out).toMatch(/\u001b\[32mup\u001b\[0m/)
  expect(colored.out).toMatch(/[█▏▎▍▌▋▊▉]/)
  const plain = await typed(url, { env: { NO_COLOR: '1' } }, { isTTY: true, columns: 100 })
  expect(plain.out).not.toContain('\u001b')
  expect(plain.out).toMatch(/[█▏▎▍▌▋▊▉]/)
})

test.each(['user:s3cret@', 's3cret@', 's3cret:@', ':s3cret@'])(
  'a program gets JSON, and %s is shown to nobody',
  async (who) => {
    const url = (await serveHttp(ok)).replace('//', `//${who}`)
    const { status, out } = await typed(url, { json: true }, { isTTY: true })
    expect(status).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      kind: 'ok',
      success: true,
      http_status: 200,
      phases: { connect: expect.any(Number) },
    })
    expect(out + (await typed(url)).out).not.toContain('s3cret')
  },
)

test('each bar begins where the one before it ended, within the width', () => {
  const lines = waterfall({ dns: 10, connect: 10, first_byte: 60, body: 0 }, { width: 69, color: false })
  expect(lines).toEqual([
    '  name lookup    █████                                        10.0 ms',
    '  connect             █████                                   10.0 ms',
    '  first byte               ██████████████████████████████     60.0 ms',
    '  answer                                                ▏      0.0 ms',
  ])
})
