// Open pages hear that something of their organisation changed, and nothing else.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { LiveStreams } from '@dogwatch/console/live/streams'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledge } from '@dogwatch/domain/incidents/acknowledge'
import { readChange } from '@dogwatch/domain/live/changes'
import { removeMember } from '@dogwatch/domain/organisations/members'
import { suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { closeAllSessions, findViewer, openSession } from '@dogwatch/domain/people/sessions'
import { createLog } from '@dogwatch/runtime/log'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { LIVE_ROUTES } from '../../../console/src/live/pages.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { memberOf } from '../support/console.ts'
import { eventually, type Org, result, type World, world } from '../support/world.ts'

const said: string[] = []
let w: World
let streams: LiveStreams
let org: Org
let session: string
beforeAll(async () => {
  w = await world({ log: createLog('debug', { write: (line) => void said.push(line) }) })
})
beforeEach(async () => {
  org = await w.org()
  session = await openSession(w.deps, org.owner_id, org.org_id)
})
afterEach(() => {
  for (const one of open.splice(0)) one.controller.abort()
})
afterAll(() => w.close())

interface Open {
  status: number
  text: () => string
  isOver: () => boolean
  controller: AbortController
}
const open: Open[] = []

/** Opens a stream as a page does. */
async function listen(
  with_session = session,
  { v = '0', ...headers }: Record<string, string> = {},
  from = w,
): Promise<Open> {
  const controller = new AbortController()
  const answer = await fetch(`${from.direct}/live?v=${v}`, {
    headers: { cookie: `dogwatch-session=${with_session}`, ...headers },
    signal: controller.signal,
  })
  let [text, isOver] = ['', false]
  const read = async () => {
    const decoder = new TextDecoder()
    const reader = answer.body?.getReader()
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) text += decoder.decode(part.value)
  }
  void read()
    .catch(() => {})
    .finally(() => (isOver = true))
  const one = { status: answer.status, text: () => text, isOver: () => isOver, controller }
  open.push(one)
  return one
}

/** What the page of that session would say of its version. */
const version = async (of = session) => (await findViewer(w.deps, of))?.org?.newest_change ?? ''
/** Opens a stream that has nothing to catch up with: the process looks for the changes of the last seconds when a first page is open. */
const listenNow = async (of = session): Promise<Open> => {
  await w.rows("update changes set changed_at = changed_at - interval '1 hour'")
  return listen(of, { v: await version(of) })
}
/** A message, and no beat: that of a slow test is one of a stream that nobody told anything. */
const MESSAGE = 'data: '
const hears = (one: Open) => eventually(() => one.text().includes(MESSAGE), 'a message')
const owner = () => ({ person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null })

async function watched(): Promise<{ guid: string; fail(): Promise<unknown>; succeed(): Promise<unknown> }> {
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ down_interval_sec: 1 }], [monitor.id])
  const run = (success: boolean) => {
    w.clock.forward(60)
    return monitor.client.upload([result(guid, { ran_at: w.clock.now().toISOString(), success })])
  }
  return { guid, fail: () => run(false), succeed: () => run(true) }
}

test('the pages that refresh themselves are pages', () => {
  const paths = ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining([...LIVE_ROUTES]))
})

describe('a page hears that', () => {
  test('a check went down, that somebody acknowledged it, and that it came up', async () => {
    const check = await watched()
    const downs = await listenNow()
    await check.fail()
    await hears(downs)
    const acknowledged = await listenNow()
    await acknowledge(w.deps, { org_id: org.org_id, kind: 'check', guid: check.guid }, owner())
    await hears(acknowledged)
    const ups = await listenNow()
    await check.succeed()
    await hears(ups)
  })

  test('something changed between its making and the opening of its stream', async () => {
    const before = await version()
    await (await watched()).fail()
    const one = await listen(session, { v: before })
    await eventually(() => one.text().includes('data: 0'), 'an immediate message')
  })
})

test('results and pings that change no state are no change', async () => {
  const check = await watched()
  await check.succeed()
  const made = await createHeartbeat(w.deps, org.org_id, {
    name: 'backup',
    interval_sec: 60,
    grace_sec: 60,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  const place = await findHeartbeatOfToken(w.deps, made.token)
  const ping = () => takePing(w.deps, place, { kind: 'beat', exit_code: null, rid: null, body: null }, w.clock.now())
  await ping()
  const before = await version()
  for (let i = 0; i < 3; i++) {
    await check.succeed()
    await ping()
  }
  expect(await version()).toBe(before)
})

test('a stream that stays open is no slow request, and is not counted as the overview', async () => {
  const one = await listenNow()
  w.clock.forward(100)
  one.controller.abort()
  const lines = () => said.map((line) => JSON.parse(line) as { msg: string; route?: string; took_ms?: number })
  const answered = () => lines().find(({ msg, took_ms = 0 }) => msg === 'answered' && took_ms >= 100_000)
  await eventually(() => answered() !== undefined, 'the end of the stream')
  expect(answered()?.route).toBe('/live')
  expect(lines().filter(({ msg }) => msg === 'a slow request')).toEqual([])
})

test('a page hears nothing of another organisation', async () => {
  const mine = await listenNow()
  const own = org
  org = await w.org()
  const theirs = await listenNow(await openSession(w.deps, org.owner_id, org.org_id))
  await (await watched()).fail()
  await hears(theirs)
  expect(mine.text()).not.toContain(MESSAGE)
  org = own
  await (await watched()).fail()
  await hears(mine)
})

describe('a stream ends when', () => {
  test('its person signs out everywhere', async () => {
    const one = await listenNow()
    const viewer = await findViewer(w.deps, session)
    if (viewer) await closeAllSessions(w.deps, viewer)
    await (await watched()).fail()
    await eventually(one.isOver, 'the end')
    expect(one.text()).not.toContain(MESSAGE)
  })

  test('its person is removed from the organisation, without hearing of it', async () => {
    const own = org
    // The last change of the test before may be told late.
    org = await w.org()
    const bob = await memberOf(w, org)
    const theirs = await openSession(w.deps, bob.person_id, org.org_id)
    const one = await listenNow(theirs)
    await removeMember(w.deps, org.org_id, bob.email)
    org = own
    await eventually(one.isOver, 'the end')
    expect(one.text()).not.toContain(MESSAGE)
  })

  test('the organisation is suspended', async () => {
    const one = await listenNow()
    await suspendOrganisation(w.deps, org.org_id)
    await eventually(one.isOver, 'the end')
    expect((await listen()).status).toBe(204)
  })
})

describe('no stream for', () => {
  test('strangers, other sites, and what is no page of ours', async () => {
    expect((await listen('')).status).toBe(204)
    expect((await listen(session, { 'sec-fetch-site': 'cross-site' })).status).toBe(204)
    const bare = await fetch(`${w.direct}/live`, { headers: { cookie: `dogwatch-session=${session}` } })
    expect(bare.status).toBe(204)
  })
})

test('a page of a session, person, organisation or process with too many streams gets one, and the oldest ends', async () => {
  streams = new LiveStreams(w.deps, { of_org: 2, of_process: 3 })
  const from = await world({ streams, testDatabase: { url: w.databaseUrl, drop: async () => {} } })
  try {
    const some: Open[] = []
    for (let i = 0; i < 3; i++) some.push(await listen(session, { v: await version() }, from))
    const isLost = (one: Open | undefined) =>
      one?.text().endsWith('retry: 30000\nevent: lost\ndata: 30000\n\n') === true
    await eventually(() => isLost(some[0]) && some[0]?.isOver() === true, 'the end of the oldest')
    expect(some.map((one) => [one.status, isLost(one)])).toEqual([
      [200, true],
      [200, false],
      [200, false],
    ])
    for (let i = 0; i < 2; i++) {
      const other = await w.org()
      some.push(await listen(await openSession(w.deps, other.owner_id, other.org_id), {}, from))
    }
    await eventually(() => isLost(some[1]), 'the end of the oldest')
    expect(some.slice(2).map((one) => [one.status, isLost(one)])).toEqual(some.slice(2).map(() => [200, false]))
    expect(streams.size).toBe(3)
  } finally {
    streams.end()
    await from.close()
  }
})

test('the newest change can be asked for without a stream', async () => {
  const asked = await fetch(`${w.direct}/live/version`, { headers: { cookie: `dogwatch-session=${session}` } })
  expect(await asked.text()).toBe(await version())
})

const reader = async () => {
  const viewer = await findViewer(w.deps, session)
  if (!viewer) throw new Error('nobody')
  return { ...viewer, org_id: org.org_id, network: '127.0.0.1' }
}

test('a page hears of a change that was told while nobody was there, or while its stream was being opened', async () => {
  streams = new LiveStreams(w.deps)
  const [of, before] = [await reader(), await version()]
  const check = await watched()
  const server = createServer((req, res) => {
    streams.open(of, res, req.url?.slice(1) ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const listens = async (v: string) => {
    const heard: Buffer[] = []
    const { body } = await fetch(`http://127.0.0.1:${port}/${v}`)
    void body
      ?.pipeTo(new WritableStream({ write: (part: Uint8Array) => void heard.push(Buffer.from(part)) }))
      .catch(() => {})
    return () => Buffer.concat(heard).toString().includes(MESSAGE)
  }
  try {
    const first = await listens(before)
    await check.fail()
    await eventually(first, 'the one that was there')
    await eventually(await listens(before), 'the one that came too late for it')
    streams.end()
    streams = new LiveStreams(w.deps)
    streams.ring({ org_id: org.org_id, change_id: 1 })
    const again = await listens(await version())
    streams.ring({ org_id: org.org_id, change_id: 1 })
    await eventually(again, 'what was rung for nobody')
  } finally {
    streams.end()
    server.closeAllConnections()
    server.close()
  }
})

test('a page that does not read what it is sent is cut off, and others hear', async () => {
  streams = new LiveStreams(w.deps)
  const of = await reader()
  const unread = await version()
  const answers: ServerResponse[] = []
  const server = createServer((req, res) => {
    answers.push(res)
    streams.open(of, res, unread)
    // More than the system takes for a reader who takes nothing.
    if (req.url === '/slow') res.write(`:${'x'.repeat(8_000_000)}\n\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const slow = connect(port, '127.0.0.1').pause()
  try {
    slow.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(() => answers.length === 1, 'the first')
    const reads = await fetch(`http://127.0.0.1:${port}/`)
    const heard: Buffer[] = []
    void reads.body?.pipeTo(new WritableStream({ write: (part: Uint8Array) => void heard.push(Buffer.from(part)) }))
    expect(answers).toHaveLength(2)
    streams.ring({ org_id: org.org_id, change_id: 1 })
    await eventually(() => streams.size === 1, 'the end of one')
    expect(answers.map(({ destroyed }) => destroyed)).toEqual([true, false])
    await eventually(() => Buffer.concat(heard).includes(MESSAGE), 'the message')
  } finally {
    streams.end()
    slow.destroy()
    server.closeAllConnections()
    server.close()
  }
})

test('at the end of its process a stream says when to come back, and so does one that comes after that', async () => {
  streams = new LiveStreams(w.deps)
  const other = await world({ streams, testDatabase: { url: w.databaseUrl, drop: async () => {} } })
  try {
    const one = await listen(session, { v: await version() }, other)
    streams.end()
    await eventually(one.isOver, 'the end')
    expect(one.text()).toMatch(/retry: \d+\n\nretry: \d+\n\n$/)
    const late = await listen(session, {}, other)
    await eventually(late.isOver, 'the end')
    expect(late.text()).toMatch(/^retry: \d+\n\n$/)
  } finally {
    await other.close()
  }
})

test.each(['', '7', '7 x', '-7 1', `${'1'.repeat(16)} 1`])('a notification %p is none of ours', (payload) => {
  expect(readChange(payload)).toBeUndefined()
})
