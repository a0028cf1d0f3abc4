// Passkeys, by the virtual authenticator of a real browser; and the pages of an account that only forms lead to.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import type { CDPSession } from 'playwright-core'
import { hashPassword } from '../../src/domain/people/person.ts'
import { openSession } from '../../src/domain/people/sessions.ts'
import { openChromium } from '../support/chromium.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'
import { type Visitor, visitor, wear } from './visitor.ts'

const PASSWORD = 'correct horse battery'
const { browser, test, close } = await openChromium()

let w: World
let org: Org
let ann: Visitor
let keys: CDPSession
let authenticatorId: string
beforeAll(async () => {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  w = await world({ port, console: { public_url: origin } })
  org = await w.org()
  await w.rows('update people set password_hash = $2 where person_id = $1', org.owner_id, await hashPassword(PASSWORD))
  ann = await visitor(browser, origin, {
    session: await openSession(w.deps, org.owner_id, org.org_id),
    bringsAxe: true,
  })
  keys = await ann.context.newCDPSession(ann.page)
  await keys.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  ;({ authenticatorId } = await keys.send('WebAuthn.addVirtualAuthenticator', { options }))
})
afterAll(async () => {
  await close()
  await w.close()
})

async function freePort(): Promise<number> {
  const holder = createServer()
  await new Promise<void>((resolve) => void holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  await new Promise<void>((resolve) => void holder.close(() => resolve()))
  return port
}

const path = () => new URL(ann.page.url()).pathname
const main = () => ann.page.locator('main').innerText()

async function expectSound(name: string): Promise<void> {
  for (const look of [
    { scheme: 'light', width: 1440 },
    { scheme: 'dark', width: 360 },
  ] as const) {
    await wear(ann.page, look)
    expect({ name, look, axe: await ann.axe(), overflow: await ann.overflow() }).toEqual({
      name,
      look,
      axe: [],
      overflow: [],
    })
  }
  await ann.keep(`account/${name}`)
}

/** From the sign-in page to wherever a passkey leads. */
async function signIn(to: string): Promise<void> {
  // A page that is still open would go to the sign-in page by itself, as soon as it hears that its session is over.
  await ann.page.goto('about:blank')
  await ann.context.clearCookies({ name: 'dogwatch-session' })
  await ann.open(to)
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
}

describe('a passkey', () => {
  test('is added with the password, and named', async () => {
    await ann.open('/account')
    await ann.page.getByText('Add a passkey').click()
    await ann.page.getByLabel('Name').fill('my laptop')
    await ann.page.getByLabel('Your password').fill(PASSWORD)
    await ann.page.getByRole('button', { name: 'Add passkey' }).click()
    await eventually(async () => (await main()).includes('The passkey my laptop is added.'), 'the passkey')
    expect(await main()).toContain('my laptop, added')
    await ann.page.getByText('my laptop, added').click()
    await expectSound('account with a passkey')
  })

  test('signs in without a password, to the page that was asked for, and counts as a second factor', async () => {
    const sent: string[] = []
    ann.page.on('request', (request) => {
      if (request.url().endsWith('/sign-in/passkey/answer')) sent.push(request.postData() ?? '')
    })
    await signIn('/heartbeats')
    await eventually(() => path() === '/heartbeats', 'signed in')
    const sessions = await w.rows('select has_second_factor from sessions where person_id = $1', org.owner_id)
    expect(sessions).toContainEqual({ has_second_factor: true })
    const [passkey] = await w.rows('select counter, last_used_at from passkeys')
    expect(passkey).toMatchObject({ counter: expect.any(Number), last_used_at: expect.anything() })
    // The same answer again, from the same browser.
    await ann.context.clearCookies({ name: 'dogwatch-session' })
    const again = await ann.page.evaluate(async (body) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch('/sign-in/passkey/answer', { method: 'POST', body, headers })
      return { status: response.status, text: await response.text() }
    }, sent[0] ?? '')
    expect(again).toEqual({ status: 400, text: expect.stringContaining('took too long, or was done already') })
    ann.trouble()
  })

  test('does nothing when its owner is not verified, and says so', async () => {
    await keys.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await signIn('/heartbeats')
    await eventually(async () => (await main()).includes('Nothing was confirmed'), 'the refusal')
    await expectSound('asking for a passkey')
    await keys.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await ann.page.getByRole('button', { name: 'Use a passkey' }).click()
    await eventually(() => path() === '/heartbeats', 'signed in')
  })

  test('whose counter went back is refused', async () => {
    await w.rows('update passkeys set counter = 1000000')
    await signIn('/heartbeats')
    await eventually(async () => (await main()).includes('The passkey was not accepted'), 'the refusal')
    await w.rows('update passkeys set counter = 0')
    ann.trouble()
  })

  test('that was removed is not known', async () => {
    await signIn('/account')
    await eventually(() => path() === '/account', 'signed in')
    await ann.page.getByText('my laptop, added').click()
    const form = ann.page.locator('form[action="/account/passkeys/remove"]')
    await form.getByLabel('Your password').fill(PASSWORD)
    await form.getByRole('button', { name: 'Remove passkey' }).click()
    await eventually(async () => (await main()).includes('The passkey is removed.'), 'the removal')
    await signIn('/heartbeats')
    await eventually(async () => (await main()).includes('This passkey is not known here'), 'the refusal')
    ann.trouble()
  })
})

test('the pages on the way to two-step sign-in are sound', async () => {
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  await ann.context.addCookies([{ name: 'dogwatch-session', value: session, url: new URL(ann.page.url()).origin }])
  await ann.open('/account/second-factor')
  await ann.page.getByLabel('Your password').fill(PASSWORD)
  await ann.page.getByRole('button', { name: 'Set up app' }).click()
  const secret = await ann.page.locator('#totp-secret').innerText()
  await expectSound('setting up an app')
  const totp = new TOTP({ secret: Secret.fromBase32(secret.trim()) })
  await ann.page.getByRole('textbox', { name: 'Code' }).fill(totp.generate({ timestamp: w.clock.now().getTime() }))
  await ann.page.getByRole('button', { name: 'Turn on two-step sign-in' }).click()
  await ann.page.locator('#recovery-codes').waitFor()
  await expectSound('recovery codes')
  await ann.open('/account/second-factor')
  await expectSound('two-step sign-in')
  await ann.context.clearCookies({ name: 'dogwatch-session' })
  await ann.open('/sign-in')
  await expectSound('sign in')
  const [row] = await w.rows('select email from people where person_id = $1', org.owner_id)
  await ann.page.getByLabel('Email').fill(String(row?.email))
  await ann.page.getByLabel('Password').fill(PASSWORD)
  await ann.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await ann.page.getByRole('textbox', { name: 'Code' }).waitFor()
  await expectSound('entering a code')
})
