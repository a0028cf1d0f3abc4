// A person's own account: the password, the sessions, and the way back in when the password is forgotten.

import { handOver } from '@dogwatch/domain/organisations/members'
import { setPassword, switchPerson } from '@dogwatch/domain/people/edit'
import { changePassword, createPasswordReset, resetPassword } from '@dogwatch/domain/people/password'
import { hashPassword } from '@dogwatch/domain/people/person'
import { findViewer, openSession } from '@dogwatch/domain/people/sessions'
import { signIn } from '@dogwatch/domain/people/sign-in'
import { forgetLeftovers } from '@dogwatch/domain/retention/prune'
import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { Browser } from '../support/browser.ts'
import { faultsOf, faultyFields, linkIn, memberOf } from '../support/console.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

const OLD = 'correct horse battery'
const NEW = 'staple and some more'

let mail: MailServer
let mailer: Mailer | undefined
let w: World
let org: Org
let email: string
beforeAll(async () => {
  mail = await mailServer()
  mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  w = await world({ console: { public_url: 'http://dogwatch.example', mailer } })
})
beforeEach(async () => {
  org = await w.org()
  email = await emailOf(org.owner_id)
  mail.got.length = 0
})
afterAll(async () => {
  mailer?.close()
  await w.close()
  await mail.close()
})

async function emailOf(person_id: number): Promise<string> {
  const [row] = await w.rows('select email from people where person_id = $1', person_id)
  return String(row?.email)
}

const signedIn = async () => new Browser(w.direct, await openSession(w.deps, org.owner_id))
const isOut = async (browser: Browser) => (await browser.open('/account')).path.startsWith('/sign-in')

describe('changing the password', () => {
  beforeEach(() => setPassword(w.deps, email, OLD))

  test('signs out everywhere else, and the new one is what counts', async () => {
    const [here, there] = [await signedIn(), await signedIn()]
    await here.open('/account')
    await here.submit('/account/password', { present: OLD, wanted: NEW })
    expect(here.text()).toContain('Password changed.')
    expect([await isOut(here), await isOut(there)]).toEqual([false, true])
    await expect(signIn(w.deps, email, OLD)).rejects.toMatchObject({ kind: 'unauthenticated' })
    await signIn(w.deps, email, NEW)
  })

  test.each([
    [
      'the present one is wrong',
      { present: 'something else', wanted: NEW },
      'Incorrect password. Try again.',
      { 'field-present': 'Incorrect password. Try again.' },
    ],
    [
      'the new one is short',
      { present: OLD, wanted: 'too short' },
      '“New password” must be 10 to 1024 characters long.',
      { 'field-wanted': 'Must be 10 to 1024 characters long.' },
    ],
    [
      'both are wrong',
      { present: 'something else', wanted: 'too short' },
      expect.stringContaining('Fix 2 problems'),
      { 'field-present': 'Incorrect password. Try again.', 'field-wanted': 'Must be 10 to 1024 characters long.' },
    ],
  ])('is refused when %s, at its field', async (_, fields, line, faults) => {
    const [here, there] = [await signedIn(), await signedIn()]
    await here.open('/account')
    await here.submit('/account/password', fields)
    expect([here.page.status, faultsOf(here)]).toEqual([400, [line]])
    expect(faultyFields(here)).toEqual({ faults, first: [Object.keys(faults)[0]] })
    expect(await isOut(there)).toBe(false)
    await signIn(w.deps, email, OLD)
  })

  test('guessing the present one is stopped', async () => {
    const here = await signedIn()
    await here.open('/account')
    for (let i = 0; i < 10; i++) {
      await here.submit('/account/password', { present: `guess ${i}`, wanted: NEW })
      expect(here.page.status).toBe(400)
    }
    await here.submit('/account/password', { present: OLD, wanted: NEW })
    expect(here.page.status).toBe(429)
    await signIn(w.deps, email, OLD)
  })
})

describe('a password that is proved while it is changed', () => {
  const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  /** Changes the password of alice, who is held until `commit`, as `user set-password` would. */
  async function changing() {
    const client = new pg.Client({ connectionString: w.databaseUrl })
    await client.connect()
    await client.query('begin')
    const changed = await hashPassword(NEW)
    await client.query('update people set password_hash = $2 where person_id = $1', [org.owner_id, changed])
    await client.query('delete from sessions where person_id = $1', [org.owner_id])
    return {
      commit: async () => {
        await client.query('commit')
        await client.end()
      },
    }
  }
  /** Until it waits for what is held, or is through. */
  async function started<T>(work: Promise<T>): Promise<Promise<T>[]> {
    let isOver = false
    const over = () => (isOver = true)
    work.then(over, over)
    const waits = async () => (await w.rows(WAITING)).length > 0
    await eventually(async () => isOver || (await waits()), 'it waits, or is through')
    return [work]
  }
  beforeEach(() => setPassword(w.deps, email, OLD))

  test('opens no session', async () => {
    const { commit } = await changing()
    const [session] = await started(signIn(w.deps, email, OLD))
    await commit()
    await expect(session).rejects.toMatchObject({ kind: 'unauthenticated' })
    expect(await w.rows('select from sessions where person_id = $1', org.owner_id)).toEqual([])
  })

  test('hands nothing over', async () => {
    const heir = await memberOf(w, org)
    const viewer = await findViewer(w.deps, await openSession(w.deps, org.owner_id))
    if (!viewer) throw new Error('no session')
    const { commit } = await changing()
    const wanted = { org_id: org.org_id, person_id: heir.person_id, password: OLD }
    const [handed] = await started(handOver(w.deps, viewer, wanted))
    await commit()
    await expect(handed).rejects.toMatchObject({ message: 'incorrect password; try again' })
  })

  test('of two links that are used at once, one sets the password, and the other is gone with it', async () => {
    const tokens = [await createPasswordReset(w.deps, email), await createPasswordReset(w.deps, email)]
    const { commit } = await changing()
    const settling = Promise.allSettled(tokens.map((one) => resetPassword(w.deps, one?.token ?? '', OLD)))
    await eventually(async () => (await w.rows(WAITING)).length === 2, 'both wait')
    await commit()
    const settled = await settling
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { kind: 'missing' } })
  })

  test('of two changes at once, the second finds it changed', async () => {
    const viewer = await findViewer(w.deps, await openSession(w.deps, org.owner_id))
    if (!viewer) throw new Error('no session')
    const change = (wanted: string) => changePassword(w.deps, viewer, { present: OLD, wanted })
    const settled = await Promise.allSettled([change(`${NEW} 1`), change(`${NEW} 2`)])
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

test('the cookie of a session is renewed with it', async () => {
  const headers = { cookie: `dogwatch-session=${await openSession(w.deps, org.owner_id)}` }
  const cookies = async () => (await fetch(`${w.direct}/organisations`, { headers })).headers.getSetCookie()
  expect(await cookies()).toEqual([])
  w.clock.forward(20 * 86_400)
  expect(await cookies()).toEqual([
    expect.stringMatching(/^dogwatch-session=dogwatch_session_.*; Max-Age=2592000; HttpOnly/),
  ])
  expect(await cookies()).toEqual([])
})

test('signing out everywhere ends every session', async () => {
  const [here, there] = [await signedIn(), await signedIn()]
  await here.open('/account')
  await here.submit('/account/sign-out-everywhere')
  expect(here.text()).toContain('Signed out on all devices.')
  expect([await isOut(here), await isOut(there)]).toEqual([true, true])
})

describe('a forgotten password', () => {
  const ask = async (address: string) => {
    const stranger = new Browser(w.direct)
    await stranger.open('/reset-password')
    await stranger.submit('/reset-password', { email: address })
    return stranger
  }
  const askAndRead = async (address = email) => {
    const before = mail.got.length
    await ask(address)
    await eventually(() => mail.got.length > before, 'a mail with a link')
    return linkIn(mail.got.at(-1))
  }

  test('is set anew by a link in a mail, which ends every session', async () => {
    await setPassword(w.deps, email, OLD)
    const elsewhere = await signedIn()
    const link = await askAndRead(email.toUpperCase())
    expect(mail.got.map(({ to, from }) => ({ to, from }))).toEqual([{ to: [email], from: 'dogwatch@example.com' }])
    expect(await isOut(elsewhere)).toBe(false)
    const stranger = new Browser(w.direct)
    await stranger.open(link)
    await stranger.submit(link, { password: NEW })
    expect([stranger.page.path, stranger.text()]).toEqual([
      '/sign-in',
      expect.stringContaining('Password changed. Sign in with your new password.'),
    ])
    expect(await isOut(elsewhere)).toBe(true)
    await signIn(w.deps, email, NEW)
    await expect(signIn(w.deps, email, OLD)).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('a link works once, and takes the other links with it', async () => {
    const [first, second] = [await askAndRead(), await askAndRead()]
    expect(first).not.toBe(second)
    const stranger = new Browser(w.direct)
    await stranger.open(first)
    await stranger.submit(first, { password: NEW })
    for (const link of [first, second]) {
      await stranger.open(link)
      expect([stranger.page.status, stranger.text()]).toEqual([404, expect.stringContaining('invalid or has expired')])
    }
  })

  test('of two that use a link at once, one sets the password', async () => {
    const link = await askAndRead()
    const browsers = [new Browser(w.direct), new Browser(w.direct)]
    for (const one of browsers) await one.open(link)
    const pages = await Promise.all(browsers.map((one, i) => one.submit(link, { password: `${NEW} ${i}` })))
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  test('a password that is too short leaves the link as it was', async () => {
    const link = await askAndRead()
    const stranger = new Browser(w.direct)
    await stranger.open(link)
    await stranger.submit(link, { password: 'short' })
    expect(stranger.page.status).toBe(400)
    await stranger.submit(link, { password: NEW })
    expect(stranger.page.path).toBe('/sign-in')
  })

  test('a link ends after an hour, and is forgotten', async () => {
    const link = await askAndRead()
    w.clock.forward(3599)
    const stranger = new Browser(w.direct)
    expect((await stranger.open(link)).status).toBe(200)
    w.clock.forward(1)
    expect((await stranger.open(link)).status).toBe(404)
    await liveOn(w)
    await forgetLeftovers(w.deps)
    expect(await w.rows('select from password_resets where person_id = $1', org.owner_id)).toEqual([])
  })

  test('an unknown address, a disabled person and a known one get the same page', async () => {
    const disabled = await emailOf((await w.org()).owner_id)
    await switchPerson(w.deps, disabled, false)
    const texts = []
    for (const address of ['nobody@example.com', disabled, 'nu\0ll@example.com', email]) {
      const { page } = await ask(address)
      texts.push({ status: page.status, html: page.html.replaceAll(/value="[^"]*"/g, '') })
    }
    expect(new Set(texts.map((one) => JSON.stringify(one))).size).toBe(1)
    await eventually(() => mail.got.length > 0, 'the mail to the known one')
    expect(mail.got.flatMap(({ to }) => to)).toEqual([email])
  })

  test('only the hash of a link is stored', async () => {
    const secret = (await askAndRead()).split('/').at(-1) ?? ''
    expect(secret).toMatch(/^dogwatch_reset_/)
    const rows = await w.rows('select r::text as text from password_resets r where person_id = $1', org.owner_id)
    expect(JSON.stringify(rows)).not.toContain(secret.slice(15))
  })
})

describe('when the mail server does not answer', () => {
  test('the page comes all the same, as for an unknown address', async () => {
    let hasGivenUp = false
    const onClose = () => void (hasGivenUp = true)
    const silent = await mailServer({ onConnect: () => {}, onClose, closeTimeout: 100 })
    const slow = createMailer({ smtp_url: `smtp://127.0.0.1:${silent.port}`, mail_from: 'dogwatch@example.com' })
    const other = await world({ console: { public_url: 'http://dogwatch.example', mailer: slow } })
    try {
      const { owner_id } = await other.org()
      const [row] = await other.rows('select email from people where person_id = $1', owner_id)
      const stranger = new Browser(other.direct)
      await stranger.open('/reset-password')
      await stranger.submit('/reset-password', { email: String(row?.email) })
      expect(stranger.text()).toContain('we sent a reset link')
      // A page that waits for the mail comes after the mailer has given up.
      expect(hasGivenUp).toBe(false)
      await eventually(async () => (await other.rows('select from password_resets')).length > 0, 'the link is made')
    } finally {
      slow?.close()
      await other.close()
      await silent.close()
    }
  })
})

test('without mail the page says whom to ask', async () => {
  const other = await world()
  try {
    const stranger = new Browser(other.direct)
    await stranger.open('/reset-password')
    expect(stranger.text()).toContain('This server cannot send email')
    expect(stranger.text()).toContain('dogwatch user set-password')
    expect(stranger.all('main form')).toEqual([])
  } finally {
    await other.close()
  }
})
