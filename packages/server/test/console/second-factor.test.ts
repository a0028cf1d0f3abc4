// Two-step sign-in: authenticator apps, recovery codes, organisations that ask for a second factor, and the list of sessions.

import { removeSecondFactors, setPassword } from '@dogwatch/domain/people/edit'
import { hashPassword } from '@dogwatch/domain/people/person'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { Browser } from '../support/browser.ts'
import { deedsOf, faultsOf, faultyFields, memberOf } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

const PASSWORD = 'correct horse battery'
const PATH = '/account/second-factor'

let w: World
let org: Org
let email: string
let password_hash: string
beforeAll(async () => {
  w = await world()
  password_hash = await hashPassword(PASSWORD)
})
beforeEach(async () => {
  org = await w.org()
  const [row] = await w.rows('select email from people where person_id = $1', org.owner_id)
  email = String(row?.email)
  // Hashing takes a while: once is enough.
  await w.rows('update people set password_hash = $2 where person_id = $1', org.owner_id, password_hash)
  await w.rows('delete from rate_limits')
})
afterAll(() => w.close())

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: w.clock.now().getTime() })

const fresh = async () => new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))

/** Sets an app up, as a person does. */
async function enrol(browser: Browser): Promise<{ secret: string; codes: string[] }> {
  await browser.open(PATH)
  if (browser.all('#totp-secret').length === 0) await browser.submit(`${PATH}/begin`, { password: PASSWORD })
  const secret = browser.all('#totp-secret')[0]?.text.trim() ?? ''
  await browser.submit(`${PATH}/confirm`, { code: codeOf(secret) })
  expect(browser.text()).toContain('Two-step sign-in turned on')
  const codes = browser.all('#recovery-codes')[0]?.text.trim().split('\n') ?? []
  // The next code is a new one.
  w.clock.forward(30)
  return { secret, codes }
}

/** As far as a password leads. */
async function signIn(to = '/checks'): Promise<Browser> {
  const browser = new Browser(w.direct)
  await browser.open(`/sign-in?to=${encodeURIComponent(to)}`)
  await browser.submit('/sign-in', { email, password: PASSWORD })
  return browser
}

describe('codes are those of RFC 6238', () => {
  // Appendix B, the last six of its eight digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('at %i s', (sec, code) => {
    const secret = Secret.fromUTF8('12345678901234567890')
    expect(new TOTP({ secret }).generate({ timestamp: sec * 1000 })).toBe(code)
  })
})

describe('setting up an app', () => {
  test('asks for the password, shows a key and a QR code, and needs a first code', async () => {
    const [browser, other] = [await fresh(), await fresh()]
    await browser.open(PATH)
    await browser.submit(`${PATH}/begin`, { password: 'not this one at all' })
    expect([browser.page.status, faultsOf(browser)]).toEqual([400, ['Incorrect password. Try again.']])
    expect(faultyFields(browser)).toEqual({
      faults: { 'field-password': 'Incorrect password. Try again.' },
      first: ['field-password'],
    })
    await browser.submit(`${PATH}/begin`, { password: PASSWORD })
    expect(browser.all('svg.qr')).toHaveLength(1)
    await browser.submit(`${PATH}/confirm`, { code: '000000' })
    expect(faultsOf(browser)).toEqual(['This code is incorrect or already used. Wait for a new code and try again.'])
    expect(Object.keys(faultyFields(browser).faults)).toEqual(['code-confirm'])
    // Nothing has changed yet.
    expect((await signIn()).page.path).toBe('/checks')
    const { codes } = await enrol(browser)
    expect(new Set(codes).size).toBe(10)
    expect(codes.every((code) => /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/.test(code))).toBe(true)
    // Every other session has ended, this one goes on.
    expect((await other.open('/checks')).path).toMatch(/^\/sign-in/)
    expect((await browser.open('/checks')).path).toBe('/checks')
    // Neither the key nor the codes are shown again, and the database has hashes of the codes.
    await browser.open(PATH)
    expect(browser.all('#totp-secret, #recovery-codes')).toEqual([])
    expect(JSON.stringify(await w.rows('select * from recovery_codes'))).not.toContain(codes[0])
  })
})

describe('signing in', () => {
  test('asks for a code, and leads to the page that was asked for', async () => {
    const { secret } = await enrol(await fresh())
    const browser = await signIn('/heartbeats')
    expect(browser.text()).toContain('Two-step sign-in')
    await browser.submit('/sign-in/code', { code: '123456' })
    expect(faultsOf(browser)).toEqual(['This code is incorrect or already used. Wait for a new code and try again.'])
    await browser.submit('/sign-in/code', { code: codeOf(secret) })
    expect([browser.page.status, browser.page.path]).toEqual([200, '/heartbeats'])
  })

  test('takes no code twice, nor one before it, nor one that is too old', async () => {
    const { secret } = await enrol(await fresh())
    const code = codeOf(secret)
    const [first, second] = [await signIn(), await signIn()]
    await first.submit('/sign-in/code', { code })
    expect(first.page.path).toBe('/checks')
    await second.submit('/sign-in/code', { code })
    expect(second.page.status).toBe(400)
    w.clock.forward(90)
    await second.submit('/sign-in/code', { code })
    expect(second.page.status).toBe(400)
    await second.submit('/sign-in/code', { code: codeOf(secret) })
    expect(second.page.path).toBe('/checks')
  })

  test('the first step counts for ten minutes and once, and a new password ends it', async () => {
    const { secret } = await enrol(await fresh())
    const late = await signIn()
    w.clock.forward(601)
    await late.submit('/sign-in/code', { code: codeOf(secret) })
    expect(faultsOf(late)).toEqual(['This sign-in has expired. Sign in again.'])
    const changed = await signIn()
    await setPassword(w.deps, email, PASSWORD)
    await changed.submit('/sign-in/code', { code: codeOf(secret) })
    expect(changed.page.status).toBe(400)
    const twice = await signIn()
    const fields = Object.fromEntries(
      twice
        .all('form[action="/sign-in/code"] input')
        .map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? '']),
    )
    await twice.submit('/sign-in/code', { code: codeOf(secret) })
    expect(twice.page.path).toBe('/checks')
    w.clock.forward(30)
    const again = new Browser(w.direct)
    await again.open('/sign-in')
    const csrf = again.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await again.post('/sign-in/code', { ...fields, csrf, code: codeOf(secret) })
    expect(again.page.status).toBe(400)
  })

  test('a recovery code works once, however it is typed', async () => {
    const { codes } = await enrol(await fresh())
    const [code = ''] = codes
    const browser = await signIn()
    await browser.submit('/sign-in/code', { code: ` ${code.toUpperCase().replaceAll('-', ' ')}` })
    expect(browser.page.path).toBe('/checks')
    await browser.open(PATH)
    expect(browser.text()).toContain('9 recovery codes left.')
    const again = await signIn()
    await again.submit('/sign-in/code', { code })
    expect(again.page.status).toBe(400)
  })

  test('who guesses is stopped, and the right code with them', async () => {
    const { secret } = await enrol(await fresh())
    const browser = await signIn()
    const statuses: number[] = []
    // One try was used to set the app up.
    for (let i = 0; i < 9; i++) statuses.push((await browser.submit('/sign-in/code', { code: '123456' })).status)
    expect(new Set(statuses)).toEqual(new Set([400]))
    const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    const pending = browser.all('input[name=pending]')[0]?.getAttribute('value') ?? ''
    await browser.post('/sign-in/code', { csrf, pending, to: '/', code: codeOf(secret) })
    expect([browser.page.status, browser.page.headers.has('retry-after')]).toEqual([429, true])
  })

  test('a session without a second factor is none', async () => {
    await enrol(await fresh())
    const browser = await fresh()
    expect((await browser.open('/checks')).path).toMatch(/^\/sign-in/)
  })
})

describe('turning it off, and new codes', () => {
  test('needs a code, and then a password is enough', async () => {
    const browser = await fresh()
    const { secret, codes } = await enrol(browser)
    await browser.open(PATH)
    await browser.submit(`${PATH}/remove`, { code: '123456' })
    expect(browser.page.status).toBe(400)
    // Of the two forms, the one that was sent.
    const faults = { 'code-remove': 'This code is incorrect or already used. Wait for a new code and try again.' }
    expect(faultyFields(browser)).toEqual({ faults, first: ['code-remove'] })
    await browser.submit(`${PATH}/codes`, { code: codeOf(secret) })
    expect(browser.text()).toContain('New recovery codes')
    await browser.open(PATH)
    await browser.submit(`${PATH}/remove`, { code: codes[0] ?? '' })
    expect(browser.page.status).toBe(400)
    w.clock.forward(30)
    await browser.submit(`${PATH}/remove`, { code: codeOf(secret) })
    expect(browser.text()).toContain('Two-step sign-in turned off.')
    expect(await w.rows('select from recovery_codes where person_id = $1', org.owner_id)).toEqual([])
    expect((await signIn()).page.path).toBe('/checks')
  })

  test('sessions count as those with a second factor until the last one is removed: the app, or a passkey', async () => {
    const browser = await fresh()
    const { secret } = await enrol(browser)
    const counting = async () => {
      const rows = await w.rows('select has_second_factor from sessions where person_id = $1', org.owner_id)
      return rows.map(({ has_second_factor }) => has_second_factor)
    }
    for (const id of ['one', 'two']) {
      await w.rows(
        "insert into passkeys (credential_id, person_id, name, public_key, counter, transports, created_at) values ($1, $2, 'key', '', 0, '{}', now())",
        `${id}-${org.owner_id}`,
        org.owner_id,
      )
    }
    await browser.open(PATH)
    await browser.submit(`${PATH}/remove`, { code: codeOf(secret) })
    const after = [await counting()]
    for (const id of ['one', 'two']) {
      await browser.open('/account')
      await browser.submit('/account/passkeys/remove', { passkey: `${id}-${org.owner_id}`, password: PASSWORD })
      after.push(await counting())
    }
    expect(after).toEqual([[true], [true], [false]])
  })

  test('an operator takes a lost one away, which ends all sessions and is written down', async () => {
    const browser = await fresh()
    await enrol(browser)
    expect(await removeSecondFactors(w.deps, email)).toEqual({ email, authenticator_app: true, passkeys: 0 })
    expect((await browser.open('/checks')).path).toMatch(/^\/sign-in/)
    expect((await signIn()).page.path).toBe('/checks')
    const entries = await w.rows(
      "select action from audit_entries where org_id = $1 and actor = 'operator'",
      org.org_id,
    )
    expect(entries.map(({ action }) => action)).toContain('person.remove_second_factor')
  })
})

describe('an organisation that asks for a second factor', () => {
  test('leads members without one to set one up, and back', async () => {
    const owner = await fresh()
    await owner.open('/settings')
    await owner.submit('/settings/second-factor')
    expect(owner.page.status).toBe(400)
    const { secret } = await enrol(owner)
    await owner.open('/settings')
    await owner.submit('/settings/second-factor')
    expect(owner.text()).toContain('Two-step sign-in is now required for all members.')
    expect(await deedsOf(w, org)).toContain(
      `${email}: organisation.require_second_factor ${String((await w.rows('select name from organisations where org_id = $1', org.org_id))[0]?.name)}`,
    )
    const bob = await memberOf(w, org)
    await w.rows('update people set password_hash = $2 where person_id = $1', bob.person_id, password_hash)
    const browser = new Browser(w.direct, await openSession(w.deps, bob.person_id, org.org_id))
    await browser.open('/heartbeats')
    expect(browser.page.path).toBe(`${PATH}?to=${encodeURIComponent('/heartbeats')}`)
    expect(browser.text()).toContain('requires two-step sign-in')
    const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await browser.post('/checks/new', { csrf })
    expect(browser.page.status).toBe(403)
    await enrol(browser)
    await browser.open(`${PATH}?to=${encodeURIComponent('/heartbeats')}`)
    expect(browser.all('a[href="/heartbeats"]').map((link) => link.text.trim())).toContain('Continue')
    expect((await browser.open('/heartbeats')).path).toBe('/heartbeats')
    await owner.open('/settings')
    await owner.submit('/settings/second-factor')
    expect(owner.text()).toContain('Two-step sign-in is no longer required.')
    expect(secret).not.toBe('')
  })
})

describe('sessions', () => {
  test('are listed with browser and address, and end one by one or all at once', async () => {
    const here = await signIn()
    const user_agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
    const beginning = { address: '192.0.2.7', user_agent }
    const sessionOf = async () =>
      new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id, undefined, beginning))
    const [there, elsewhere] = [await sessionOf(), await sessionOf()]
    await here.open('/account')
    const rows = here
      .all('form[action="/account/sessions/end"]')
      .map((form) => form.closest('tr')?.structuredText ?? '')
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/Firefox on Linux[^]*192\.0\.2\.7/)
    expect(here.text()).toMatch(/\(this session\)[^]*127\.0\.0\.1/)
    await here.submit('/account/sessions/end')
    expect(here.text()).toContain('Session ended.')
    const out = async () =>
      [await there.open('/checks'), await elsewhere.open('/checks')].filter(({ path }) => path !== '/checks')
    expect(await out()).toHaveLength(1)
    await sessionOf()
    await here.open('/account')
    await here.submit('/account/sessions/end-others')
    expect(await out()).toHaveLength(2)
    expect((await here.open('/checks')).path).toBe('/checks')
  })

  test('of somebody else are not there', async () => {
    const bob = await memberOf(w, org)
    const here = await fresh()
    await fresh()
    const [{ hash } = { hash: '' }] = (await w.rows(
      "select translate(rtrim(encode(session_hash, 'base64'), '='), '+/', '-_') as hash from sessions where person_id = $1",
      bob.person_id,
    )) as { hash: string }[]
    await here.open('/account')
    await here.submit('/account/sessions/end', { session: hash })
    expect(here.page.status).toBe(404)
    expect((await bob.browser.open('/checks')).path).toBe('/checks')
  })
})
