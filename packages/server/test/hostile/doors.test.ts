// Every door of the server, with the worst bodies and heads that it lets in: the work that they cause grows with their length, and no
// faster. The doors come from the documents and the table of pages, so that a new one is in it by itself.
import type { AddressInfo } from 'node:net'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { setAdmin } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { systemRandom } from '@dogwatch/runtime/random'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exchange } from '../../../api/test/support/raw-http.ts'
import { csrfToken } from '../../../console/src/csrf.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { ownerOf } from '../support/console.ts'
import { faultOfGrowth, LARGE } from '../support/linear.ts'
import { OPERATIONS } from '../support/operations.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let beat = ''
let credentials: Record<string, string> = {}
beforeAll(async () => {
  w = await world()
  org = await w.org()
  const [monitor, token] = [await w.monitor(org), await w.token(org)]
  credentials = { monitorKey: monitor.key, enrollmentToken: token, personalAccessToken: await w.pat(org) }
  const job = { name: 'job', interval_sec: 60, grace_sec: 5, resend_interval_sec: 0, show_on_status_page: false }
  beat = (await createHeartbeat(w.deps, org.org_id, job)).token
  await setAdmin(w.deps, (await ownerOf(w, org)).email, true)
})
afterAll(() => w.close())

/** What a head may hold at most. */
const HEAD_BYTES = 15_000
const inHead = (length: number): number => Math.floor((length / LARGE) * HEAD_BYTES)
let statuses: number[] = []

async function send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<void> {
  const { port } = w.server.address() as AddressInfo
  const all = { host: 'x', connection: 'close', ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ]
  const { answers } = await exchange(port, [head.join('\r\n') + body], { patience_ms: 60_000 })
  statuses.push(answers[0]?.status ?? 0)
}

/** Sends it with texts of both lengths; nothing of it may be a fault of ours, or be turned away before it was read. */
async function holds(
  make: (length: number) => string,
  work: (text: string) => Promise<void>,
  never: readonly number[],
) {
  statuses = []
  expect(await faultOfGrowth((text) => work(text), make)).toBeUndefined()
  expect(statuses.filter((status) => status === 0 || status >= 500 || never.includes(status))).toEqual([])
}

const fill = (unit: string) => (length: number) => unit.repeat(Math.floor(length / unit.length))
const BODIES: Record<string, (length: number) => string> = {
  'arrays in arrays': fill('['),
  'objects in objects': (length) => `${fill('{"a":')(length)}1${'}'.repeat(length / 5)}`,
  'many results': (length) =>
    `{"results":[${Array(Math.floor(length / 3))
      .fill('{}')
      .join(',')}]}`,
  'many names': (length) => `{${Array.from({ length: length / 9 }, (_, i) => `"n${i}":0`).join(',')}}`,
  'a long number': (length) => `{"uptime_sec":${fill('9')(length)}}`,
  'a long time': (length) =>
    `{"results":[{"ran_at":"2026-11-20T10:00:00.${fill('1')(length)}Z"}],"name":"${fill(' ')(length)}"}`,
}

describe.each(OPERATIONS)('$name', ({ path: template, method, scheme }) => {
  const authorization = () => `Bearer ${credentials[scheme] ?? ''}`

  if (method === 'post') {
    test.each(Object.entries(BODIES))('a body: %s', (_, make) =>
      holds(
        make,
        (body) => send('POST', template, { authorization: authorization() }, body),
        [401, 403, 404, 405, 429],
      ),
    )
  } else {
    const path = template.replace('{guid}', 'x')
    const queries = {
      'many pairs': '&',
      'a long time': 'since=',
      'a long cursor': 'cursor=',
      'a long instant': 'after=',
    }
    test.each(Object.entries(queries))('a query: %s', (_, name) =>
      holds(
        (length) => fill(name === '&' ? 'a&' : '1')(inHead(length)),
        (text) => send('GET', `${path}?${name}${text}`, { authorization: authorization() }),
        [401, 403, 405, 429],
      ),
    )
  }
})

const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'cookie',
  'x-forwarded-for',
  'forwarded',
  'if-none-match',
  'content-type',
  'content-encoding',
  'origin',
  'range',
  'sec-purpose',
]

test.each(HEADERS)('the header %s, at each part of the server', async (name) => {
  const paths = [
    '/monitor-api/v1/ping',
    '/account-api/v1/checks',
    '/sign-in',
    '/nowhere',
    '/status/shop',
    `/ping/${beat}`,
    '/assets/x',
  ]
  for (const unit of [',', 'a,', ';', 'a=;', 'q=0.', ' ', 'gzip;q=0,', '1.', 'W/"",']) {
    for (const path of paths) {
      const make = (length: number) => fill(unit)(inHead(length))
      await holds(make, (text) => send('GET', path, { [name]: text }), [])
    }
  }
})

test('a path, at each part of the server', async () => {
  for (const unit of ['%', '%41', '%ff', '/', '../', 'a.', ':', '9']) {
    for (const begins of [
      '/',
      '/monitor-api/v1/',
      '/account-api/v1/checks/',
      '/status/',
      '/ping/',
      `/ping/${beat}/`,
      '/assets/',
      '/checks/',
    ]) {
      await holds(
        (length) => fill(unit)(inHead(length)),
        (text) => send('GET', begins + text, {}),
        [],
      )
    }
  }
})

test('a ping with a body', async () => {
  for (const unit of ['\r\n', 'é', 'a&', '\0']) {
    await holds(fill(unit), (body) => send('POST', `/ping/${beat}`, {}, body), [400, 404])
  }
})

describe('forms', () => {
  const FORMS: Record<string, (length: number) => string> = {
    'many pairs': fill('a&'),
    'many names': (length) => Array.from({ length: length / 8 }, (_, i) => `n${i}=1`).join('&'),
    escapes: (length) => `name=${fill('%41')(length)}&url=${fill('%')(length)}`,
    lines: (length) =>
      ['headers', 'description', 'file', 'email'].map((name) => `${name}=${fill('a:%0A')(length / 4)}`).join('&'),
    'a file of brackets': (length) => `file=${fill('[')(length)}`,
    digits: (length) =>
      ['interval_sec', 'timeout_sec', 'id', 'grace_sec'].map((name) => `${name}=${fill('9')(length / 4)}`).join('&'),
  }

  test.each(ROUTES.filter(({ method }) => method === 'POST').map((route) => [route.path, route] as const))(
    '%s',
    async (template) => {
      // Of nobody: none of them is to do what it says.
      const path = template.replace(/:\w+/g, '999999')
      for (const make of Object.values(FORMS)) {
        const asked = async (text: string): Promise<void> => {
          // A session each: some of these pages end it.
          const session = await openSession(w.deps, org.owner_id, org.org_id)
          const headers = { cookie: `dogwatch-session=${session}`, 'content-type': 'application/x-www-form-urlencoded' }
          await send('POST', path, headers, `csrf=${csrfToken(session, org.org_id, systemRandom)}&${text}`)
        }
        await holds(make, asked, [401, 405])
      }
    },
  )
})
