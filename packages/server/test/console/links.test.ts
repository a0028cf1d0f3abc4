// Links from alerts: they survive the sign-in, and lead to the organisation that they belong to.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { addMember } from '@dogwatch/domain/organisations/members'
import { renameOrganisation } from '@dogwatch/domain/organisations/organisation'
import { setPassword } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { returnPath } from '../../../console/src/return-path.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { Browser } from '../support/browser.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let acme: Org
let other: Org
let foreign: Org
let email: string
let person_id: number
/** Of `acme`, one of each kind. */
let paths: Record<string, string>
beforeAll(async () => {
  w = await world()
  ;[acme, other, foreign] = [await w.org(), await w.org(), await w.org()]
  email = 'carol@example.com'
  ;({ person_id } = await addMember(w.deps, other.org_id, email))
  await addMember(w.deps, acme.org_id, email)
  await setPassword(w.deps, email, PASSWORD)
  paths = await thingsOf(acme)
})
afterAll(() => w.close())

const PASSWORD = 'correct horse battery'

async function thingsOf(org: Org): Promise<Record<string, string>> {
  const [check = ''] = await w.checks(org, [{}], 'none')
  const heartbeat = await createHeartbeat(w.deps, org.org_id, {
    name: 'job',
    interval_sec: 60,
    grace_sec: 5,
    resend_interval_sec: 0,
    show_on_status_page: false,
  })
  const channel = await createChannel(w.deps, org.org_id, { kind: 'email', name: 'mail', email: 'a@b.example' })
  const monitor = await w.monitor(org)
  return {
    check: `/checks/${check}`,
    'edit of a check': `/checks/${check}/edit`,
    heartbeat: `/heartbeats/${heartbeat.guid}`,
    channel: `/channels/${channel.id}`,
    monitor: `/monitors/${monitor.id}`,
  }
}

/** Signed in, and looking at `other`. */
const carol = async () => new Browser(w.direct, await openSession(w.deps, person_id, other.org_id))
const selected = async () =>
  (
    await w.rows('select org_id from sessions where person_id = $1 order by created_at desc, session_hash', person_id)
  ).map(({ org_id }) => org_id)

test.each(['check', 'edit of a check', 'heartbeat', 'channel', 'monitor'])(
  'a link to a %s survives the sign-in, and shows its organisation',
  async (kind) => {
    const browser = new Browser(w.direct)
    await browser.open(paths[kind] ?? '')
    expect(browser.page.path).toBe(`/sign-in?to=${encodeURIComponent(paths[kind] ?? '')}`)
    // There is room for ten guesses.
    if (kind === 'check') await browser.submit('/sign-in', { email, password: 'not this one at all' })
    await browser.submit('/sign-in', { email, password: PASSWORD })
    expect([browser.page.status, browser.page.path]).toEqual([200, paths[kind]])
  },
)

describe('the headers of an answer fit into 4 KiB, as much as proxies take', () => {
  const headOf = async (target: string, cookie = '') => {
    const socket = connect(Number(new URL(w.direct).port), '127.0.0.1')
    const head = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`
    socket.write(head, 'latin1')
    return (await text(socket)).split('\r\n\r\n')[0] ?? ''
  }

  test.each(['"', '%', '<', 'x'])('of a redirect to the sign-in page, after a link full of %s', async (character) => {
    const head = await headOf(`/checks?${character.repeat(1000)}`)
    expect(head).toMatch(/^HTTP\/1\.1 303 /)
    expect(head.length).toBeLessThan(4096)
  })

  test('with a notice that holds a long name', async () => {
    const session = await openSession(w.deps, person_id, other.org_id)
    const kennel = await w.org()
    await addMember(w.deps, kennel.org_id, email)
    await renameOrganisation(w.deps, kennel.org_id, '\u{1f436}'.repeat(200))
    const [check] = await w.checks(kennel, [{}], 'none')
    const head = await headOf(`/checks/${check}?${'x'.repeat(950)}`, `dogwatch-session=${session}`)
    expect(head).toMatch(/^HTTP\/1\.1 303 /)
    expect(head).toContain(encodeURIComponent('Switched to \u{1f436}'))
    expect(head.length).toBeLessThan(4096)
  })
})

test('a link keeps its query through the sign-in', async () => {
  const browser = new Browser(w.direct)
  await browser.open(`${paths.check}?range=7d&x=%22`)
  await browser.submit('/sign-in', { email, password: PASSWORD })
  expect(browser.page.path).toBe(`${paths.check}?range=7d&x=%22`)
})

test('whoever is signed in already is sent on at once', async () => {
  const browser = await carol()
  await browser.open(`/sign-in?to=${encodeURIComponent('/heartbeats')}`)
  expect(browser.page.path).toBe('/heartbeats')
})

test('a link into another organisation of mine switches to it, says so, and only once', async () => {
  await w.rows('delete from sessions')
  const browser = await carol()
  await browser.open(paths.check ?? '')
  expect(browser.page).toMatchObject({ status: 200, path: paths.check })
  const [named] = await w.rows('select name from organisations where org_id = $1', acme.org_id)
  expect(browser.page.html).toContain(`Switched to ${String(named?.name)} to open this link.`)
  expect(await selected()).toEqual([acme.org_id])
  await browser.open(paths.heartbeat ?? '')
  expect(browser.page.html).not.toContain('to open this link')
})

test('a form of the organisation that was shown before is refused after the switch', async () => {
  const browser = await carol()
  await browser.open('/heartbeats/new')
  const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  await browser.open(paths.check ?? '')
  await browser.post('/heartbeats/new', { csrf, name: 'x', interval_sec: '60', grace_sec: '5' })
  expect(browser.page.status).toBe(403)
})

test('a link into an organisation that is not mine is the same 404 as an unknown one', async () => {
  const theirs = await thingsOf(foreign)
  const browser = await carol()
  for (const [path, unknown] of [
    [theirs.check, '/checks/11111111-1111-4111-8111-111111111111'],
    [theirs.heartbeat, '/heartbeats/11111111-1111-4111-8111-111111111111'],
    [theirs.monitor, '/monitors/zzzzzzzzzzzz'],
    [theirs.channel, '/channels/999999'],
  ] as const) {
    await browser.open(path ?? '')
    const [status, text] = [browser.page.status, browser.text()]
    await browser.open(unknown)
    expect([status, text]).toEqual([404, browser.text()])
  }
})

describe('what nobody opened by themselves switches nothing', () => {
  test.each([
    ['an image or a script', 'GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['a frame', 'GET', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['a prefetch', 'GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['a HEAD', 'HEAD', {}],
  ] as const)('%s', async (_, method, headers) => {
    await w.rows('delete from sessions')
    const session = await openSession(w.deps, person_id, other.org_id)
    const response = await fetch(`${w.direct}${paths.check}`, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: `dogwatch-session=${session}`, ...headers },
    })
    expect(response.status).toBe(404)
    expect(await selected()).toEqual([other.org_id])
  })
})

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/%2F/evil.example',
  '/%2fevil.example',
  '/%5Cevil.example',
  '/..//evil.example',
  '/checks/..//evil.example',
  '/checks/%2e%2e//evil.example',
  'https://evil.example/checks',
  'http:checks',
  'javascript:alert(1)',
  '/checks@evil.example',
  '/.evil.example',
  ' /checks',
  '/checks/a/b/c/d',
  '/checks/a%2Fb',
  '/nowhere',
  '/sign-out',
  '/organisations/switch',
  '/reset-password/abc',
  `/checks?${'x'.repeat(2000)}`,
  '',
])('nobody is sent to %j after signing in', async (to) => {
  const browser = new Browser(w.direct)
  await browser.open(`/sign-in?to=${encodeURIComponent(to)}`)
  expect(browser.all('input[name=to]')[0]?.getAttribute('value')).toBe('/')
})

test.each(['//evil.example', '/%5Cevil.example'])('nor by a form that somebody changed to %j', async (to) => {
  const browser = new Browser(w.direct)
  await browser.open('/sign-in')
  await browser.submit('/sign-in', { to, email, password: PASSWORD })
  expect(browser.page.path).toBe('/')
})

test('whatever text is given, what is returned to is a page of ours', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '//',
    '%2f',
    '%5c',
    '..',
    '.',
    '@',
    ':',
    '?',
    '#',
    'evil.example',
    'checks',
    'a',
    '\t',
    ' ',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      for (const one of [given, `/${given}`, `/checks${given}`, `/checks/${given}`]) {
        const to = returnPath(one, ROUTES)
        if (to === undefined) continue
        expect(new URL(to, 'https://dogwatch.example').origin).toBe('https://dogwatch.example')
        expect(to).toMatch(/^\/(?:$|[a-z?])/)
        expect(returnPath(to, ROUTES)).toBe(to)
      }
    }),
    { numRuns: 1000 },
  )
})
