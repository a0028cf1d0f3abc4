// Passkeys, by the virtual authenticator of a real browser; and the pages of an account that only forms lead to.
import { hashPassword } from '@dogwatch/domain/people/person'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { openChromium } from '../support/chromium.ts'
import { type Org, type World, world } from '../support/world.ts'
import { type Visitor, visitor, wear } from './visitor.ts'

const PASSWORD = 'correct horse battery'
const { browser, test, close } = await openChromium()

let w: World
let origin: string
let org: Org
let ann: Visitor
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  w = await world({ port, console: { public_url: origin } })
})
beforeEach(async () => {
  org = await w.org()
  await w.rows('update people set password_hash = $2 where person_id = $1', org.owner_id, await hashPassword(PASSWORD))
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  ann = await visitor(browser, origin, { session, bringsAxe: true })
})
afterAll(async () => {
  await close()
  await w.close()
})

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

interface Authenticator {
  /** Whether its owner is verified when it is used. */
  verify(isUserVerified: boolean): Promise<unknown>
}

/** Adds an authenticator to the browser, and a passkey on it to the account. */
async function addPasskey(): Promise<Authenticator> {
  const keys = await ann.context.newCDPSession(ann.page)
  await keys.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await keys.send('WebAuthn.addVirtualAuthenticator', { options })
  await ann.open('/account')
  await ann.page.locator('summary', { hasText: 'Add passkey' }).click()
  await ann.page.getByLabel('Name').fill('my laptop')
  await ann.page.locator('form[action="/account/passkeys/new"]').getByLabel('Current password').fill(PASSWORD)
  await ann.press('Add passkey')
  await ann.page.getByText('Passkey “my laptop” added.').waitFor()
  return { verify: (isUserVerified) => keys.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }) }
}

/** Goes to the sign-in page that `to` leads to, and asks for a passkey there. */
async function askForPasskey(to: string): Promise<void> {
  await ann.forgetSession()
  await ann.open(to)
  await ann.press('Sign in with a passkey')
}

const arrivesAt = (path: string) => ann.page.waitForURL((url) => url.pathname === path)
const reads = (text: string) => ann.page.locator('main').getByText(text).waitFor()

describe('a passkey', () => {
  test('is added with the password, and named', async () => {
    await addPasskey()
    await ann.page.getByText('my laptop, added').click()
    await expectSound('account with a passkey')
  })

  test('signs in without a password, to the page that was asked for, and counts as a second factor', async () => {
    await addPasskey()
    const sent: string[] = []
    ann.page.on('request', (request) => {
      if (request.url().endsWith('/sign-in/passkey/answer')) sent.push(request.postData() ?? '')
    })
    await askForPasskey('/heartbeats')
    await arrivesAt('/heartbeats')
    const sessions = await w.rows('select has_second_factor from sessions where person_id = $1', org.owner_id)
    expect(sessions).toContainEqual({ has_second_factor: true })
    const [passkey] = await w.rows('select counter, last_used_at from passkeys where person_id = $1', org.owner_id)
    expect(passkey).toMatchObject({ counter: expect.any(Number), last_used_at: expect.anything() })
    // The same answer again, from the same browser.
    await ann.forgetSession()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
    const again = await ann.context.request.post('/sign-in/passkey/answer', { data: sent[0] ?? '', headers })
    expect(again.status()).toBe(400)
    expect(await again.text()).toContain('has expired')
  })

  test('does nothing when its owner is not verified, and says so', async () => {
    const { verify } = await addPasskey()
    await verify(false)
    await askForPasskey('/heartbeats')
    await reads('The passkey request was cancelled or timed out.')
    await expectSound('asking for a passkey')
    await verify(true)
    await ann.page.getByRole('button', { name: 'Continue with passkey' }).click()
    await arrivesAt('/heartbeats')
  })

  test('whose counter went back is refused', async () => {
    await addPasskey()
    await w.rows('update passkeys set counter = 1000000 where person_id = $1', org.owner_id)
    await askForPasskey('/heartbeats')
    await reads('The passkey was not accepted')
  })

  test('that was removed is not known', async () => {
    await addPasskey()
    await ann.page.getByText('my laptop, added').click()
    const form = ann.page.locator('form[action="/account/passkeys/remove"]')
    await form.getByLabel('Current password').fill(PASSWORD)
    await ann.press('Remove passkey')
    await reads('Passkey removed.')
    await askForPasskey('/heartbeats')
    await reads('This passkey is not linked to an account')
  })
})

test('the pages on the way to two-step sign-in are sound', async () => {
  await ann.open('/account/second-factor')
  await ann.page.getByLabel('Current password').fill(PASSWORD)
  await ann.press('Set up authenticator app')
  const secret = await ann.page.locator('#totp-secret').innerText()
  await expectSound('setting up an app')
  const totp = new TOTP({ secret: Secret.fromBase32(secret.trim()) })
  await ann.page.getByRole('textbox', { name: 'Code' }).fill(totp.generate({ timestamp: w.clock.now().getTime() }))
  await ann.press('Turn on two-step sign-in')
  await ann.page.locator('#recovery-codes').waitFor()
  await expectSound('recovery codes')
  await ann.open('/account/second-factor')
  await expectSound('two-step sign-in')
  await ann.forgetSession()
  await ann.open('/sign-in')
  await expectSound('sign in')
  const [row] = await w.rows('select email from people where person_id = $1', org.owner_id)
  await ann.page.getByLabel('Email').fill(String(row?.email))
  await ann.page.getByLabel('Password').fill(PASSWORD)
  await ann.press('Sign in')
  await ann.page.getByRole('textbox', { name: 'Code' }).waitFor()
  await expectSound('entering a code')
})
