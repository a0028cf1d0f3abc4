// Nobody reads a secret that is not theirs: an organisation full of marked secrets, every page, operation, export and command that reads, every role
// and kind of token. Routes and operations come from their tables and documents, so a new one is tried by itself.
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { document as account } from '@dogwatch/contract/account'
import { document as config, type operations } from '@dogwatch/contract/config'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { testOneChannel } from '@dogwatch/domain/channels/test-channel'
import { SCOPES } from '@dogwatch/domain/configuration/scopes'
import { addMember } from '@dogwatch/domain/organisations/members'
import { ROLES, type Role } from '@dogwatch/domain/organisations/roles'
import { findViewer, openImpersonation, openSession, type Viewer } from '@dogwatch/domain/people/sessions'
import { createLog } from '@dogwatch/runtime/log'
import { systemRandom } from '@dogwatch/runtime/random'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SAMPLES } from '../../../api/test/config-api/samples.ts'
import { configToken, configurator, type Method } from '../../../api/test/support/config-api.ts'
import { callTool, connectMcp } from '../../../api/test/support/mcp.ts'
import { UNCOMPRESSED } from '../../../api/test/support/raw-http.ts'
import { run } from '../../../config-sdk/src/cli/main.ts'
import { csrfToken } from '../../../console/src/csrf.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { type FullOrg, fullOrg, type Words } from '../browser/full-org.ts'
import { PLACES, pathsOf } from '../browser/tour.ts'
import { ACCOUNT, type Monitor, result, type World, world } from '../support/world.ts'

/** By what is secret. So much of a mark is enough to know it by, for a text may be cut. */
const KNOWN_BY = 10
const MARKS = {
  password: 'UPWDXK1Q7ZUT',
  parameter: 'UPARXM4W9TQB',
  fragment: 'UFRAXJ5D2LWN',
  header: 'HDRRXP8V3CYH',
  cookie: 'COOKXB6N1SRA',
  body: 'BODYXG2H5MKE',
  'channel secret': 'CHSEXD7F4JVO',
  'channel url': 'CHURXR9L6PZI',
} as const
/** Of a definition that was changed after its target had repeated them. */
const FORMER = {
  'former password': 'FPWDXT3C8VQL',
  'former parameter': 'FPARXK7Y2JWB',
  'former header': 'FHDRXS5Z9MGD',
  'former body': 'FBODXH4U1XNE',
} as const
const DEFINITION = ['password', 'parameter', 'fragment', 'header', 'cookie', 'body'] as const
/** As they stand in a request, too. */
const CODED = [
  ['password', codedLogin(MARKS.password)],
  ['former password', codedLogin(FORMER['former password'])],
] as const

function codedLogin(password: string): string {
  return Buffer.from(`ana:${password}`).toString('base64').slice(0, 16)
}

/** How targets repeat what they were sent, and how a mark is found in each notation. */
const NOTATIONS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => encodeURIComponent(text),
  (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  (text) => Array.from(text, (one) => `&#${one.codePointAt(0)};`).join(''),
  (text) => JSON.stringify(text).slice(1, -1).replaceAll('&', '\\u0026'),
  (text) => Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  (text) => Array.from(text, (one) => `%${one.charCodeAt(0).toString(16)}`).join(''),
]

/** Returns the texts by which a mark is known. */
function textsOf(kind: string, mark: string): string[] {
  if (!(kind in MARKS || kind in FORMER)) return [mark]
  return NOTATIONS.map((notation) => notation(mark.slice(0, KNOWN_BY)))
}

/** Texts of the small world that become secrets. */
const MARKED: Words = {
  line: (plain) => {
    if (plain === 'dogwatch') return `Bearer ${MARKS.header}`
    if (plain === '{"ping":true}') return JSON.stringify({ login: { word: MARKS.body } })
    // The target repeats what it was sent.
    if (/^(refused|timeout|match): |^<h1>/.test(plain))
      return `${plain} ${MARKS.password} ${MARKS.header} ${MARKS.body}`
    return plain
  },
  email: (plain) => plain,
  url: (plain) => {
    const { host, pathname } = new URL(plain)
    if (/hooks|slack/.test(host)) return `https://${host}/${MARKS['channel url']}${pathname}`
    return `https://ana:${MARKS.password}@${host}${pathname}?page=1&api_key=${MARKS.parameter}#access_token=${MARKS.fragment}`
  },
}

/** Who may read which marks, and where. Everything else is a leak. */
const ALLOWED: readonly (readonly [who: RegExp, where: RegExp, marks: readonly string[]])[] = [
  // By service.md, unredacted; what targets repeat is stored as it was sent.
  [/^token of the account API$/, /^GET \/(checks|export)/, [...DEFINITION, ...Object.keys(FORMER)]],
  [/^token of the account API$/, /^GET \/(notification-channels|export)/, ['channel secret', 'channel url']],
  [/^configuration token with .*checks:secrets/, /^(get|post|put|patch) \/(checks|bulk)/, DEFINITION],
  [/^configuration token with .*checks:secrets/, /^pull --variables-file$/, DEFINITION],
  // Who changes where alerts go sees where they go.
  [/^(member|admin|owner|impersonating admin)$/, /^GET \/channels\/[^/]+(\/edit)?$/, ['channel url']],
  [/^(member|admin|owner|impersonating admin)$/, /^GET \/heartbeats\/[^/]+$/, ['ping token']],
  [/^configuration token with (write|heartbeats:write)/, /^get \/heartbeats\/\{guid\}\/ping-url$/, ['ping token']],
  [/^monitor$/, /^sync$/, DEFINITION],
]

let w: World
let org: FullOrg
let monitor: Monitor
let logged = ''
/** Marks, and tokens that the world has made. */
const marks = new Map<string, string[]>()
/** Texts by which the marks of a kind are known. */
const known = new Map<string, string[]>()
const leaks = new Set<string>()
const used = new Set<number>()

beforeAll(async () => {
  w = await world({ log: createLog('trace', { write: (line: string) => void (logged += line) }) })
  org = await fullOrg(w, MARKED)
  for (const [kind, mark] of [...Object.entries(MARKS), ...Object.entries(FORMER), ...CODED]) keep(kind, mark)
  const more = { headers: { Cookie: `session=${MARKS.cookie}`, 'x-api-key': MARKS.header }, post_data: MARKS.body }
  // Its results repeat the marks as well.
  await w.rows(
    'update checks c set url = d.url, headers = d.headers, post_data = d.post_data from checks d where c.org_id = $1 and c.name = $2 and d.org_id = $1 and d.name = $3',
    ...[org.org_id, 'certificate', 'down'],
  )
  await w.checks(org, [{ name: 'marked', url: MARKED.url('https://marked.example/'), ...more }], 'all')
  await changedCheck()
  const webhook = { kind: 'webhook', name: 'signed', webhook_url: `https://h.example/${MARKS['channel url']}` }
  const { id } = await createChannel(w.deps, org.org_id, { ...webhook, webhook_secret: MARKS['channel secret'] })
  await testOneChannel(w.deps, { org_id: org.org_id, id })
  monitor = await w.monitor(org, 'marked')
  keep('monitor key', monitor.key)
  keep('personal access token', await w.pat(org))
  keep('configuration token', await configToken(w, org))
  keep('enrollment token', await w.token(org))
  for (const { token } of await w.rows('select token from heartbeat_keys where org_id = $1', org.org_id))
    keep('ping token', String(token))
  keep('session', org.owner)
})
afterAll(() => w.close())

/** Makes a check that is down, whose secrets were changed between results that repeat them in every notation. */
async function changedCheck(): Promise<void> {
  const definition = {
    url: `https://ana:${FORMER['former password']}"&@changed.example/?token=${FORMER['former parameter']}`,
    headers: { 'x-api-key': `${FORMER['former header']}"&` },
    post_data: JSON.stringify({ login: `${FORMER['former body']}"&` }),
    result_detail_max_chars: 10_000,
  }
  const [guid = ''] = await w.checks(org, [{ name: 'changed', ...definition }], 'all')
  const repeating = await w.monitor(org, 'repeating')
  const login = Buffer.from(`ana:${FORMER['former password']}"&`).toString('base64')
  const secrets = [...Object.values(FORMER).map((mark) => `${mark}"&`), login]
  const repeated = secrets.flatMap((secret) => NOTATIONS.map((notation) => notation(secret))).join(' ')
  const upload = (sec: number) => {
    const ran_at = new Date(w.clock.now().getTime() - sec * 1000).toISOString()
    const texts = { success: false, error: `match: ${repeated}`, response_sample: repeated }
    return repeating.client.upload([result(guid, { ran_at, ...texts })])
  }
  await upload(120)
  const ask = configurator(w, await configToken(w, org, { scopes: ['write'] }))
  const next = { url: 'https://changed.example/?token=next', headers: { 'x-api-key': 'next' }, post_data: 'next' }
  expect((await ask('patch', `/checks/${guid}`, next)).status).toBe(200)
  await upload(60)
  for (const { incident_id } of await w.rows(
    'select i.incident_id from incidents i join checks c using (org_id, check_id) where c.guid = $1',
    guid,
  ))
    org.params.incident?.push(String(incident_id))
  org.params.check?.push(guid)
}

function keep(kind: string, mark: string): void {
  marks.set(kind, [...(marks.get(kind) ?? []), mark])
  known.set(kind, [...new Set([...(known.get(kind) ?? []), ...textsOf(kind, mark)])])
}

/** Notes each mark that stands in a text and that this reader may not read there. */
function look(who: string, where: string, text: string): void {
  for (const [kind, texts] of known) {
    if (!texts.some((one) => text.includes(one))) continue
    const at = ALLOWED.findIndex((one) => one[0].test(who) && one[1].test(where) && one[2].includes(kind))
    if (at < 0) leaks.add(`${who} reads a ${kind}: ${where}`)
    else used.add(at)
  }
}

/** Fails with what has leaked since it was asked last. */
function expectNoLeak(): void {
  const found = [...leaks].toSorted()
  leaks.clear()
  expect(found).toEqual([])
}

const READERS = [...ROLES, 'impersonating admin', 'admin of the platform', 'anyone'] as const
type Reader = (typeof READERS)[number]

const sessions = new Map<Reader, Promise<string | undefined>>()

function sessionOf(reader: Reader): Promise<string | undefined> {
  const session = sessions.get(reader) ?? openFor(reader)
  sessions.set(reader, session)
  return session
}

async function openFor(reader: Reader): Promise<string | undefined> {
  if (reader === 'anyone') return undefined
  if (reader === 'owner') return org.owner
  if (reader === 'admin of the platform') return org.admin
  const role: Role = reader === 'impersonating admin' ? 'member' : reader
  const email = `reads-as-${reader.replace(/\W/g, '-')}-${org.org_id}@example.com`
  const { person_id } = await addMember(w.deps, org.org_id, email, role)
  if (reader !== 'impersonating admin') return openSession(w.deps, person_id, org.org_id)
  return openImpersonation(w.deps, (await findViewer(w.deps, org.admin)) as Viewer, person_id)
}

async function visit(session: string | undefined, method: 'GET' | 'POST', path: string, body?: Record<string, string>) {
  const cookie = session === undefined ? {} : { cookie: `dogwatch-session=${session}` }
  const response = await fetch(w.direct + path, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html', ...UNCOMPRESSED, ...cookie },
    ...(body && { body: new URLSearchParams(body) }),
  })
  const cookies = response.headers.getSetCookie().filter((line) => !line.startsWith('dogwatch-session='))
  const said = [response.headers.get('location') ?? '', ...cookies]
  return { status: response.status, text: `${said.join('\n')}\n${await response.text()}` }
}

describe.each(READERS)('pages for: %s', (reader) => {
  const who = reader.replace('_', '-')
  let session: string | undefined
  beforeAll(async () => {
    session = await sessionOf(reader)
  })

  test('every page, export, feed and file', async () => {
    let seen = 0
    for (const place of [...PLACES, { path: '/status/:slug.json', access: 'anyone' as const }]) {
      for (const path of pathsOf(org, place)) {
        const { status, text } = await visit(session, 'GET', path)
        if (status === 200) seen++
        look(who, `GET ${place.path}`, text)
      }
    }
    expect(seen).toBeGreaterThan(5)
    expectNoLeak()
  })

  test('what is found by a part of a secret', async () => {
    for (const [kind, [mark = '']] of marks) {
      const { text } = await visit(session, 'GET', `/search.json?q=${mark.slice(0, 8).toLowerCase()}`)
      const list = await visit(session, 'GET', `/checks?q=${mark.slice(0, 8)}`)
      const found = text.includes('"href":"/checks/') || list.text.includes('<tbody')
      if (found && (kind in MARKS || kind in FORMER)) leaks.add(`${who} finds a check by a ${kind}`)
    }
    const { text } = await visit(session, 'GET', '/search.json?q=example')
    look(who, 'GET /search.json', text)
    look(who, 'GET /search', (await visit(session, 'GET', '/search?q=example')).text)
    expectNoLeak()
  })

  test('every form of a check as it stands, and with something wrong with it', async () => {
    if (session === undefined) return
    const csrf = csrfToken(session, org.org_id, systemRandom)
    const file = (await visit(session, 'GET', '/checks/export')).text.trim()
    const [check = ''] = org.params.check ?? []
    const moved = { url: 'https://ana:***@elsewhere.example/', name: 'x', interval_sec: '60', headers: 'x-probe: ***' }
    for (const [path, body] of [
      ['/checks/import', { file, who: 'keep' }],
      ['/checks/import', { file: file.replaceAll('down.example', 'elsewhere.example'), who: 'keep' }],
      ['/checks/new', { copied_from: check, ...moved }],
      ['/checks/new/test', { copied_from: check, ...moved }],
      [`/checks/${check}/edit`, { name: '' }],
      [`/checks/${check}/edit`, { ...moved, show: 'headers' }],
      [`/checks/${check}/edit/test`, moved],
    ] as const) {
      const { status, text } = await visit(session, 'POST', path, { csrf, ...body })
      expect(status).toBeLessThan(500)
      look(who, `POST ${path.replace(check, ':check')}`, text)
    }
    expectNoLeak()
  })
})

interface Operation {
  method: Method
  path: string
  id: keyof operations
}
const OPERATIONS = Object.entries(config.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ method, path, id: operationId }) as Operation),
)

/** For each operation that reads: paths of marked things, and of others, so that it succeeds at least once. */
async function pathsToRead(): Promise<readonly (readonly [Operation, string[]])[]> {
  const read = OPERATIONS.filter(({ method }) => method === 'get')
  const all: (readonly [Operation, string[]])[] = []
  for (const operation of read) {
    const { path: names = {}, query = {} } = await SAMPLES[operation.id](w, org)
    all.push([operation, pathsTo(operation.path, names, query)])
  }
  return all
}

function pathsTo(path: string, names: Readonly<Record<string, string>>, query: Readonly<Record<string, string>>) {
  const [section = ''] = path.split('/').slice(1)
  const known = { checks: marked, channels: org.params.channel, monitors: org.params.monitor }[section]
  const its = known ?? org.params[section.replace(/s$/, '')] ?? []
  const asked = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`
  const fill = (valuesOf: (name: string) => string | undefined) =>
    path.replace(/\{(\w+)\}/g, (whole, name: string) => valuesOf(name) ?? names[name] ?? whole)
  const ours = ['', ...its].map((id) => fill((name) => (id === '' ? undefined : (org.params[name]?.[0] ?? id))))
  return [...new Set(ours)].map((one) => `${one}${asked}`)
}

let toRead: Awaited<ReturnType<typeof pathsToRead>>
let marked: string[]
const EACH = ['checks:secrets', ...SCOPES.filter((scope) => scope !== ('checks:secrets' as string))]

describe('configuration tokens', () => {
  beforeAll(async () => {
    const rows = await w.rows("select guid from checks where org_id = $1 and name = 'marked'", org.org_id)
    marked = [...rows.map(({ guid }) => String(guid)), ...(org.params.check ?? [])]
    toRead = await pathsToRead()
  })

  test.each(EACH.filter((scope) => (SCOPES as readonly string[]).includes(scope)))(
    'with %s: every operation that reads',
    async (scope) => {
      const scopes = scope === 'checks:secrets' ? ['read', scope] : [scope]
      const who = `configuration token with ${scopes.join(' and ')}`
      const ask = configurator(w, await configToken(w, org, { scopes }))
      let done = 0
      for (const [{ path: where }, paths] of toRead) {
        for (const path of paths) {
          const { status, text } = await ask('get', path)
          expect(status).toBeLessThan(500)
          if (status === 200) done++
          look(who, `get ${where}`, text)
        }
      }
      expect(done).toBeGreaterThan(0)
      expectNoLeak()
    },
  )

  test.each(['read', 'write', 'checks:write', 'read checks:secrets'])(
    'with %s: changes of checks, dry runs and refusals',
    async (given) => {
      const scopes = given.split(' ').filter((scope) => (SCOPES as readonly string[]).includes(scope))
      const who = `configuration token with ${scopes.join(' and ')}`
      const ask = configurator(w, await configToken(w, org, { scopes }))
      const [guid = ''] = marked
      const path = `/checks/${guid}`
      const seen = (await ask('get', path)).body as Record<string, unknown>
      const put = (body: object) => ({ dry_run: true, changes: [{ action: 'put', kind: 'check', id: guid, body }] })
      const key = { 'Idempotency-Key': `k-${given}` }
      for (const [method, where, body, headers] of [
        ['patch', path, { name: 'marked' }],
        ['patch', path, { url: 'https://elsewhere.example/' }],
        ['patch', path, { headers: { 'x-api-key': 'new' }, post_data: null }],
        ['put', path, { name: 'marked', url: seen.url, headers: seen.headers, interval_sec: 60 }],
        ['post', `${path}/pause`, undefined, key],
        ['post', `${path}/pause`, undefined, key],
        ['post', '/bulk', put({ ...seen, url: 'https://elsewhere.example/' })],
        ['post', '/bulk', put({ ...seen, headers: { Cookie: 'session=guess' }, post_data: 'guess' })],
        ['post', '/bulk', { dry_run: true, changes: [{ action: 'delete', kind: 'check', id: guid }] }],
      ] as const) {
        const { status, text } = await ask(method, where, body, headers)
        expect(status).toBeLessThan(500)
        look(who, `${method} ${where.replace(guid, '{guid}')}`, text)
      }
      expectNoLeak()
      const [check] = await w.rows('select url, headers, post_data from checks where guid = $1', guid)
      expect(JSON.stringify(check)).not.toContain('***')
      await w.rows(
        'update checks set url = $2, headers = $3, post_data = $4 where guid = $1',
        guid,
        MARKED.url('https://marked.example/'),
        JSON.stringify({ Cookie: `session=${MARKS.cookie}`, 'x-api-key': MARKS.header }),
        MARKS.body,
      )
    },
  )

  test.each(['read', 'read checks:secrets'])('with %s: pull', async (given) => {
    const scopes = given.split(' ').filter((scope) => (SCOPES as readonly string[]).includes(scope))
    const token = await configToken(w, org, { scopes })
    const who = `configuration token with ${scopes.join(' and ')}`
    await w.rows("update checks set key = 'marked' where org_id = $1 and name = 'marked'", org.org_id)
    const cli = async (...args: string[]) => {
      const [out, err] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough({ highWaterMark: 2 ** 24 })]
      const env = { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: token }
      const streams = { stdin: Readable.from(['']), stdout: out, stderr: err, signal: new AbortController().signal }
      const code = await run({ args, env, ...streams })
      out.end()
      err.end()
      return { code, said: (await textOf(out)) + (await textOf(err)) }
    }
    const pulled = await cli('pull', '-')
    expect([pulled.code, pulled.said.includes('marked:')]).toEqual([0, true])
    look(who, 'pull', pulled.said)
    const file = join(await mkdtemp(join(tmpdir(), 'secrets-')), 'variables')
    const valued = await cli('pull', '-', '--variables-file', file)
    expect(valued.code).toBe(scopes.length > 1 ? 0 : 1)
    look(who, 'pull', valued.said)
    if (valued.code === 0) look(who, 'pull --variables-file', await readFile(file, 'utf8'))
    expectNoLeak()
  })
})

test.each(['write', 'write checks:secrets'])('tools for programs with %s', async (given) => {
  const scopes = given.split(' ').filter((scope) => (SCOPES as readonly string[]).includes(scope))
  const client = await connectMcp(w, await configToken(w, org, { scopes }))
  const [check = ''] = marked
  const definition = { key: 'marked', name: 'marked', url: 'https://ana:***@marked.example/', interval_sec: 30 }
  for (const [name, args] of [
    ['list_down', {}],
    ['list_incidents', {}],
    ['read_incident', { incident: org.params.incident?.[0] ?? '' }],
    ...marked.map((guid) => ['explain_check', { check: guid }] as const),
    ...marked.map((guid) => ['list_results', { check: guid }] as const),
    ['propose_check', { check: definition }],
    ['run_check', { check }],
  ] as const) {
    look('tools', name, (await callTool(client, name, args)).text)
  }
  await client.close()
  expectNoLeak()
})

test('the account API: every operation', async () => {
  const [pat = ''] = marks.get('personal access token') ?? []
  for (const path of Object.keys(account.paths as object)) {
    const [guid = ''] = org.params.check ?? []
    const { text } = await w.http.get(`${ACCOUNT}${path.replace('{guid}', guid)}`).set('Authorization', `Bearer ${pat}`)
    look('token of the account API', `GET ${path}`, text)
  }
  expectNoLeak()
})

test('a monitor reads the definitions of its checks', async () => {
  look('monitor', 'sync', JSON.stringify(await monitor.client.sync()))
  expectNoLeak()
})

test('alerts, the audit log, kept answers of dry runs and the log of the server have none', async () => {
  const [guid = ''] = org.params.check ?? []
  await monitor.client.upload([
    result(guid, { ran_at: w.clock.now().toISOString(), success: false, error: MARKED.line('refused: x') }),
  ])
  for (const table of ['events', 'deliveries', 'audit_entries']) {
    const rows = await w.rows(`select * from ${table} where org_id = $1`, org.org_id)
    expect([table, rows.length > 0]).toEqual([table, true])
    look(table, 'database', JSON.stringify(rows))
  }
  expect(logged.length).toBeGreaterThan(100)
  look('log', 'server', logged)
  expectNoLeak()
})

// Last, because some of them delete.
describe('every form of the console, sent empty', () => {
  /** These end the session, or give the organisation away. */
  const LAST =
    /^\/(?:sign-out|account\/(?:sign-out|sessions)|organisations|settings\/(?:leave|members\/:member\/hand-over))/
  const forms = ROUTES.filter(
    ({ method, access, path }) => method === 'POST' && access !== 'anyone' && !LAST.test(path),
  )

  test.each(READERS.filter((reader) => reader !== 'anyone'))('by: %s', async (reader) => {
    const session = await sessionOf(reader)
    if (session === undefined) throw new Error(`${reader} has no session`)
    const csrf = csrfToken(session, (await findViewer(w.deps, session))?.org?.org_id, systemRandom)
    let answered = 0
    for (const route of forms) {
      const [path = ''] = pathsOf({ params: { ...org.params, note: ['1'], token: ['1'] } }, route)
      const { status, text } = await visit(session, 'POST', path, { csrf })
      expect([route.path, status < 500]).toEqual([route.path, true])
      if (!text.includes('csrf') || status !== 403) answered++
      look(reader.replace('_', '-'), `POST ${route.path}`, text)
    }
    expect(answered).toBeGreaterThan(0)
    expectNoLeak()
  })
})

test('everybody who may read a secret somewhere does', () => {
  expect(ALLOWED.filter((_, at) => !used.has(at)).map(([who, where]) => `${who.source} ${where.source}`)).toEqual([])
})
