// Signing in by OpenID Connect, at a real provider.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addMember } from '@dogwatch/domain/organisations/members'
import { setPassword, switchPerson } from '@dogwatch/domain/people/edit'
import type { Provider } from '@dogwatch/domain/people/provider'
import { openSession } from '@dogwatch/domain/people/sessions'
import { MOST_QUERY_CHARS, OpenIdProvider, ProviderRefused } from '@dogwatch/runtime/openid'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { expectBurst } from '../../../api/test/support/burst.ts'
import { Browser } from '../support/browser.ts'
import { faultsOf } from '../support/console.ts'
import { CLIENT, openIdProvider, type TestProvider } from '../support/openid-provider.ts'
import { type Org, type World, world } from '../support/world.ts'

const PASSWORD = 'correct horse battery'
const RETURN = 'http://dogwatch.example/sign-in/provider/return'

let there: TestProvider
let w: World
let org: Org
let provider: Provider
let count = 0
beforeAll(async () => {
  there = await openIdProvider(RETURN)
  provider = {
    name: 'Acme',
    openid: new OpenIdProvider({ ...CLIENT, issuer: there.issuer, redirect_uri: RETURN }),
    allowed_domains: [],
    required_groups: [],
    groups_claim: 'groups',
  }
  w = await world({ console: { sign_up: 'invited', provider } })
})
beforeEach(async () => {
  org = await w.org()
  there.account = { sub: `subject-${++count}`, email: `ann-${count}@example.com`, email_verified: true }
  there.nonce = undefined
  Object.assign(provider, { allowed_domains: [], required_groups: [] })
  await w.rows('delete from rate_limits')
})
afterAll(async () => {
  await w.close()
  await there.close()
})

const emailOf = () => there.account.email ?? ''

/** A member with the address that the provider knows. */
async function member(): Promise<{ person_id: number }> {
  return addMember(w.deps, org.org_id, emailOf())
}

/** Where the button leads, without following it out of our own site. */
async function begin(to = '/'): Promise<{ address: string; cookie: string }> {
  const response = await fetch(`${w.direct}/sign-in/provider?to=${encodeURIComponent(to)}`, { redirect: 'manual' })
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return { address: response.headers.get('location') ?? '', cookie }
}

async function comeBack(
  { search }: URL,
  cookie: string,
): Promise<{ status: number; to: string; text: string; session: string }> {
  const response = await fetch(`${w.direct}/sign-in/provider/return${search}`, {
    redirect: 'manual',
    headers: { cookie },
  })
  const [, session = ''] = /dogwatch-session=([^;]+)/.exec(response.headers.getSetCookie().join('\n')) ?? []
  return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text(), session }
}

async function signIn(to = '/') {
  const { address, cookie } = await begin(to)
  return comeBack(await there.visit(address), cookie)
}

test('the sign-in page has a button, which leads to the provider with a challenge, a state and a nonce', async () => {
  const browser = new Browser(w.direct)
  await browser.open('/sign-in?to=%2Fheartbeats')
  expect(browser.all('a[href="/sign-in/provider?to=%2Fheartbeats"]').map((link) => link.text.trim())).toEqual([
    'Sign in with Acme',
  ])
  const { address } = await begin()
  const query = Object.fromEntries(new URL(address).searchParams)
  expect(query).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', redirect_uri: RETURN })
  expect([query.state, query.nonce, query.code_challenge].every((one) => /^[\w-]{43}$/.test(one ?? ''))).toBe(true)
})

test('a member with a verified address comes in, to the page that was asked for, and keeps their account when the address changes', async () => {
  const { person_id } = await member()
  const first = await signIn('/heartbeats')
  expect([first.status, first.to]).toEqual([303, '/heartbeats'])
  const browser = new Browser(w.direct, first.session)
  await browser.open('/account')
  expect(browser.text()).toContain(emailOf())
  expect(browser.text()).toContain('You can sign in with Acme.')
  there.account = { ...there.account, email: 'married@example.com' }
  await signIn()
  expect(await w.rows("select from people where email = 'married@example.com'")).toEqual([])
  expect(await w.rows('select from sessions where person_id = $1', person_id)).toHaveLength(2)
})

test("a link to another of one's organisations survives the way through the provider, and one of strangers stays unknown", async () => {
  const [other, foreign] = [await w.org(), await w.org()]
  await member()
  await addMember(w.deps, other.org_id, emailOf())
  for (const [{ org_id, owner_id }, status] of [
    [org, 200],
    [other, 200],
    [foreign, 404],
  ] as const) {
    const [guid = ''] = await w.checks({ org_id, owner_id }, [{}], 'none')
    const came = await signIn(`/checks/${guid}`)
    expect(came.to).toBe(`/checks/${guid}`)
    expect((await new Browser(w.direct, came.session).open(came.to)).status).toBe(status)
  }
})

test('an account that is disabled stays outside', async () => {
  await member()
  await switchPerson(w.deps, emailOf(), false)
  const { status, text } = await signIn()
  expect([status, text]).toEqual([400, expect.stringContaining('This account is disabled')])
})

describe('what is not ours is refused', () => {
  const line = /Acme did not confirm the sign-in/

  test('a state that another browser began', async () => {
    await member()
    const [victim, thief] = [await begin(), await begin()]
    const back = await there.visit(victim.address)
    expect(await comeBack(back, thief.cookie)).toMatchObject({
      status: 400,
      session: '',
      text: expect.stringMatching(line),
    })
    expect((await comeBack(back, '')).text).toContain('started in another browser')
  })

  test('a code that was used', async () => {
    await member()
    const { address, cookie } = await begin()
    const back = await there.visit(address)
    expect((await comeBack(back, cookie)).status).toBe(303)
    // The visit is over; and with a fresh one, its state is another.
    expect((await comeBack(back, cookie)).text).toContain('has expired')
    const next = await begin()
    back.searchParams.set('state', new URL(next.address).searchParams.get('state') ?? '')
    expect(await comeBack(back, next.cookie)).toMatchObject({
      status: 400,
      session: '',
      text: expect.stringMatching(line),
    })
  })

  test('a wrong nonce', async () => {
    await member()
    there.nonce = 'of another visit'
    expect(await signIn()).toMatchObject({ status: 400, session: '', text: expect.stringMatching(line) })
  })

  test('a code that belongs to another challenge', async () => {
    await member()
    const [victim, thief] = [await begin(), await begin()]
    const back = await there.visit(victim.address)
    back.searchParams.set('state', new URL(thief.address).searchParams.get('state') ?? '')
    expect(await comeBack(back, thief.cookie)).toMatchObject({
      status: 400,
      session: '',
      text: expect.stringMatching(line),
    })
  })

  test('a visit of more than ten minutes', async () => {
    await member()
    const { address, cookie } = await begin()
    const back = await there.visit(address)
    w.clock.forward(601)
    expect((await comeBack(back, cookie)).text).toContain('has expired')
  })
})

describe('who may come in', () => {
  test.each([
    ['of another domain', { email: 'eve@example.org' }, 'Email addresses at example.org cannot be used to sign in'],
    ['whose address is not verified', { email_verified: false }, 'our email address is not verified at'],
  ])('nobody %s, where domains are set', async (_, differing, text) => {
    Object.assign(provider, { allowed_domains: ['example.com'] })
    await member()
    Object.assign(there.account, differing)
    expect(await signIn()).toMatchObject({ status: 400, session: '', text: expect.stringContaining(text) })
  })

  test('members of one of the groups, where groups are set', async () => {
    Object.assign(provider, { required_groups: ['ops', 'sre'] })
    await member()
    expect((await signIn()).text).toContain('is not in a group that can sign in to this server')
    there.account = { ...there.account, groups: ['sales', 'sre'] }
    expect((await signIn()).status).toBe(303)
  })

  test('nobody new without an invitation; with one, they get an account and may join', async () => {
    expect((await signIn()).text).toContain('Ask the owner of an organisation for an invitation')
    await w.rows(
      `insert into invitations (org_id, token_hash, email, invited_by, created_at, expires_at)
       values ($1, $2, $3, $4, now(), '2027-01-01')`,
      org.org_id,
      Buffer.from(emailOf()),
      emailOf(),
      org.owner_id,
    )
    const { status, session } = await signIn()
    expect(status).toBe(303)
    expect((await new Browser(w.direct, session).open('/')).path).toBe('/organisations')
  })

  test('the proved address of an account with a password links the two', async () => {
    const { person_id } = await member()
    await setPassword(w.deps, emailOf(), PASSWORD)
    expect((await signIn()).status).toBe(303)
    expect(await w.rows('select person_id from provider_accounts where person_id = $1', person_id)).toHaveLength(1)
  })

  test('an address that somebody only claimed links nothing, until its account is linked by its password', async () => {
    const { person_id } = await member()
    await setPassword(w.deps, emailOf(), PASSWORD)
    await w.rows('update people set claimed_at = now() where person_id = $1', person_id)
    expect((await signIn()).text).toContain('Sign in with its password and link it with Acme under Account')
    const browser = new Browser(w.direct, await openSession(w.deps, person_id, org.org_id))
    await browser.open('/account')
    await browser.submit('/account/provider/link', { password: 'not this one at all' })
    expect(faultsOf(browser)).toEqual(['Incorrect password. Try again.'])
    await browser.submit('/account/provider/link', { password: PASSWORD })
    const address =
      browser
        .all('a')
        .find((link) => link.text.includes('Continue with Acme'))
        ?.getAttribute('href') ?? ''
    const { pathname, search } = await there.visit(address.replaceAll('&amp;', '&'))
    await browser.open(pathname + search)
    expect(browser.text()).toContain('Acme linked to your account.')
    expect((await signIn()).status).toBe(303)
    await browser.submit('/account/provider/unlink', { password: PASSWORD })
    expect((await signIn()).status).toBe(400)
  })

  test('a person with an authenticator app is asked for a code as well', async () => {
    const { person_id } = await member()
    const secret = Secret.fromUTF8('12345678901234567890')
    await w.rows(
      'insert into totp_secrets (person_id, secret, created_at, confirmed_at) values ($1, $2, now(), now())',
      person_id,
      Buffer.from(secret.bytes),
    )
    const { address, cookie } = await begin('/heartbeats')
    const { search } = await there.visit(address)
    const browser = new Browser(w.direct)
    browser.keep(cookie)
    await browser.open(`/sign-in/provider/return${search}`)
    expect(browser.text()).toContain('Two-step sign-in')
    const code = new TOTP({ secret }).generate({ timestamp: w.clock.now().getTime() })
    await browser.submit('/sign-in/code', { code })
    expect(browser.page.path).toBe('/heartbeats')
  })
})

describe('a provider that does not answer', () => {
  const away = async (issuer: string) => {
    const openid = new OpenIdProvider({ ...CLIENT, issuer, redirect_uri: RETURN }, { timeout_ms: 300 })
    const before = provider.openid
    Object.assign(provider, { openid })
    try {
      const response = await fetch(`${w.direct}/sign-in/provider`, { redirect: 'manual' })
      return { status: response.status, text: await response.text() }
    } finally {
      Object.assign(provider, { openid: before })
    }
  }
  const line = 'Acme is not responding. Try again or sign in with your password.'

  test('is said in a line, when nobody listens', async () => {
    expect(await away('http://127.0.0.1:1')).toEqual({ status: 400, text: expect.stringContaining(line) })
  })

  test.each([
    ['sends without end', 'x'.repeat(64 * 1024)],
    ['says nothing', undefined],
  ])('and when it %s', async (_, chunk) => {
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        if (chunk !== undefined && !res.destroyed) res.write(chunk, () => setImmediate(more))
      }
      more()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    expect(await away(`http://127.0.0.1:${port}`)).toEqual({ status: 400, text: expect.stringContaining(line) })
    server.closeAllConnections()
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  })
})

// The last one: what it uses up, a process remembers.
test('visits have a limit by address: each is a row for some minutes', async () => {
  const visit = async (): Promise<number> =>
    (await fetch(`${w.direct}/sign-in/provider`, { redirect: 'manual' })).status
  await expectBurst(visit, { burst: 30, refill_sec: 10, status: 303 })
})

test('a way back that is longer than any request is refused before it is read', async () => {
  const openid = new OpenIdProvider({ ...CLIENT, issuer: 'http://nobody.example', redirect_uri: RETURN })
  const visit = { state: 'x', nonce: 'x', verifier: 'x'.repeat(43) }
  await expect(openid.claimsOf('a'.repeat(MOST_QUERY_CHARS + 1), visit)).rejects.toThrow(ProviderRefused)
})
