// What must never be read in a log: the whole server, told to log all it can, and every secret there is sent to it.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type DatabaseProxy, databaseProxy } from '../../../api/test/support/database-proxy.ts'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { shippedServer } from '../support/shipped-server.ts'
import { eventually } from '../support/world.ts'
import { type Operator, operator, runDogwatch } from './operator.ts'

const PASSWORD = `pw-${randomBytes(8).toString('hex')}`

let o: Operator
let proxy: DatabaseProxy
let server: ServerProcess
beforeAll(async () => {
  o = await operator()
  proxy = await databaseProxy(o.databaseUrl)
  server = await startServer({ DATABASE_URL: proxy.url, LOG_LEVEL: 'trace', ADDRESS_RATE_LIMIT: 'off' }, 'all')
})
afterAll(async () => {
  server.kill('SIGKILL')
  await o.close()
})

test('credentials, cookies, secret paths and the password of the database are in no line, whatever breaks', async () => {
  const org_id = await o.org()
  const { api_key } = await o.monitor(org_id)
  const { token: pat } = await createPersonalToken(o.deps, org_id)
  const wanted = { name: 'hb', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  const { token: beat } = await createHeartbeat(o.deps, org_id, wanted)
  const [owner] = await o.rows('select person_id from memberships where org_id = $1', org_id)
  const session = await openSession(o.deps, Number(owner?.person_id), org_id)
  const invented = `dogwatch_reset_${randomBytes(20).toString('hex')}`
  const { password } = new URL(o.databaseUrl)
  // A Postgres that a person brought for the tests may ask for none.
  const secrets = [api_key, pat, beat, session, invented, ...(password === '' ? [] : [password])]
  expect(secrets.every(({ length }) => length >= 16)).toBe(true)
  const visit = async () => {
    const statuses: number[] = []
    for (const [path, headers] of [
      ['/monitor-api/v1/checks', { Authorization: `Bearer ${api_key}` }],
      ['/account-api/v1/checks', { Authorization: `Bearer ${pat}` }],
      [`/account-api/v1/checks?token=${pat}`, { Authorization: `Basic ${pat}` }],
      [`/ping/${beat}`, {}],
      [`/ping/${beat}/nonsense`, {}],
      [`/reset-password/${invented}`, {}],
      ['/checks', { Cookie: `dogwatch_session=${session}; session=${session}` }],
    ] as [string, Record<string, string>][]) {
      statuses.push((await fetch(server.url + path, { headers, redirect: 'manual' })).status)
    }
    return statuses
  }
  const whole = await visit()
  expect(whole.slice(0, 4)).toEqual([200, 200, 401, 200])
  expect(server.log()).toContain('"path":"/ping/dogwatch_beat_..."')
  // The same without a database: every request fails in some way, and so do the chores.
  await proxy.close()
  const broken = await visit()
  expect(broken.filter((status) => status >= 500).length).toBeGreaterThanOrEqual(3)
  await eventually(() => server.log().includes('a chore failed'), 'a chore failed, too')
  expect(server.log()).toContain('cannot serve requests')
  for (const secret of secrets) {
    expect(server.log()).not.toContain(secret)
    // Nor most of one.
    expect(server.log()).not.toContain(secret.slice(-16))
  }
})

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

;(hasScript ? test : test.skip)('on a terminal the log is text, and LOG_FORMAT=json makes it JSON', async () => {
  for (const [format, line] of [
    [{}, /^\d\d:\d\d:\d\d INFO {2}started .*role=worker/m],
    [{ LOG_FORMAT: 'json' }, /^\{"level":30,"time":\d+,.*"role":"worker".*"msg":"started"\}/m],
  ] as const) {
    const command = [process.execPath, await shippedServer(), 'serve', '--role', 'worker'].join(' ')
    const env = { ...CHILD_ENVIRONMENT, DATABASE_URL: o.databaseUrl, LOG_LEVEL: 'info', ...format }
    const child = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    let shown = ''
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()))
    try {
      await eventually(() => line.test(shown), 'the worker logs its start')
    } finally {
      child.kill('SIGKILL')
    }
  }
})

test('a database that cannot be reached at the start is told without its password', async () => {
  for (const where of ['127.0.0.1:1', 'no-such-host.invalid:5432', '127.0.0.1:1/db?sslmode=verify-full&password=x']) {
    const env = { DATABASE_URL: `postgres://somebody:${PASSWORD}@${where}`, PORT: '0' }
    const { code, err, out } = await runDogwatch(['serve'], { env })
    expect({ where, code }).toEqual({ where, code: 1 })
    expect(err).toMatch(/^dogwatch: .+\n$/)
    expect(err + out).not.toContain(PASSWORD)
  }
})
