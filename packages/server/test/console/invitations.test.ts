// Members: asked in by the owner, joining by a link, removed, and made the owner.

import { createOrganisation, setPlan } from '@dogwatch/domain/organisations/organisation'
import { setPassword } from '@dogwatch/domain/people/edit'
import { forgetLeftovers } from '@dogwatch/domain/retention/prune'
import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { Browser } from '../support/browser.ts'
import { deedsOf, faultsOf, faultyFields, linkIn, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

const PASSWORD = 'correct horse battery'
const DAY = 86_400

let mail: MailServer
let mailer: Mailer | undefined
let w: World
let org: Org
let alice: Somebody
let guests = 0
beforeAll(async () => {
  mail = await mailServer()
  mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  w = await world({ console: { public_url: 'http://dogwatch.example', mailer } })
})
beforeEach(async () => {
  org = await w.org()
  alice = await ownerOf(w, org)
  mail.got.length = 0
})
afterAll(async () => {
  mailer?.close()
  await w.close()
  await mail.close()
})

const guest = () => `guest-${guests++}@example.com`

/** Invites an address and returns the path of the link that the mail brings. */
async function invite(email: string, by: Somebody = alice): Promise<string> {
  await by.browser.open('/settings/members')
  await by.browser.submit('/settings/members/invite', { email })
  expect(faultsOf(by.browser)).toEqual([])
  return linkIn(mail.got.at(-1))
}

async function refusal(email: string): Promise<string[]> {
  await alice.browser.open('/settings/members')
  await alice.browser.submit('/settings/members/invite', { email })
  expect(alice.browser.page.status).toBe(400)
  return faultsOf(alice.browser)
}

const members = async () =>
  (await w.rows('select person_id from memberships where org_id = $1', org.org_id)).map(({ person_id }) => person_id)
const withdrawals = () =>
  alice.browser.all('form[action$="/withdraw"]').map((form) => form.getAttribute('action') ?? '')

describe('an invitation', () => {
  test('comes by mail, and only there: whoever has its link signs up with that address', async () => {
    const email = guest()
    const link = await invite(email)
    expect(mail.got.map(({ to }) => to)).toEqual([[email]])
    expect(mail.got[0]?.raw).toContain(`From: dogwatch@example.com`)
    expect(alice.browser.text()).toContain(`Invitation sent to ${email}.`)
    expect(alice.browser.page.html).not.toContain('dogwatch_invite_')
    await alice.browser.open('/settings/members')
    expect(alice.browser.page.html).not.toContain('dogwatch_invite_')
    expect(alice.browser.text()).toContain(email)
    const rows = await w.rows('select i::text as text from invitations i where org_id = $1', org.org_id)
    expect(JSON.stringify(rows)).not.toContain(link.slice(-40))
    expect(await deedsOf(w, org)).toEqual([`${alice.email}: invitation.create ${email}`])
  })

  test('lets a stranger sign up and join at once', async () => {
    const email = guest()
    const link = await invite(email)
    const stranger = new Browser(w.direct)
    await stranger.open(link)
    await stranger.submit(link, { password: 'short' })
    expect([stranger.page.status, faultsOf(stranger)]).toEqual([400, ['Password must be 10 to 1024 characters long.']])
    await stranger.submit(link, { password: PASSWORD })
    expect(stranger.page.path).toBe('/')
    await stranger.open('/settings/members')
    expect(stranger.text()).toContain(email)
    expect(stranger.all('main form')).toEqual([])
    expect(await members()).toHaveLength(2)
    expect(await deedsOf(w, org)).toContain(`${email}: member.join ${email}`)
  })

  test('leads who has an account through signing in, and back to it', async () => {
    const carol = await ownerOf(w, await w.org())
    await setPassword(w.deps, carol.email, PASSWORD)
    const link = await invite(carol.email.toUpperCase())
    const browser = new Browser(w.direct)
    await browser.open(link)
    await browser.submit(link, { password: PASSWORD })
    expect(faultsOf(browser)).toEqual(['This address already has an account. Sign in to accept the invitation.'])
    await browser.open(browser.all('a.button')[0]?.getAttribute('href') ?? '')
    await browser.submit('/sign-in', { email: carol.email, password: PASSWORD })
    expect(browser.page.path).toBe(link)
    await browser.submit(link)
    expect(browser.page.path).toBe('/')
    await browser.open('/settings/members')
    expect(browser.text()).toContain(alice.email)
    expect(await members()).toContain(carol.person_id)
  })

  test('does no costly work for who has an account: a bad password is not even looked at', async () => {
    const link = await invite(guest())
    const stranger = new Browser(w.direct)
    await stranger.open(link)
    const { email } = await memberOf(w, org)
    await w.rows('update invitations set email = $1 where org_id = $2', email, org.org_id)
    await stranger.submit(link, { password: 'short' })
    expect(faultsOf(stranger)).toEqual(['This address already has an account. Sign in to accept the invitation.'])
  })

  test('is for that address alone', async () => {
    const link = await invite(guest())
    const mallory = await ownerOf(w, await w.org())
    await mallory.browser.open(link)
    expect(mallory.browser.text()).toContain(`you are signed in as ${mallory.email}.`)
    const csrf = mallory.browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await mallory.browser.post(link, { csrf })
    expect([mallory.browser.page.status, faultsOf(mallory.browser)[0]]).toEqual([
      400,
      expect.stringMatching(/^This invitation is for guest-/),
    ])
    expect(await members()).toEqual([alice.person_id])
  })

  test('works once, not after it was withdrawn, not after another to the same address, not after seven days', async () => {
    const gone = async (link: string) => {
      const { status } = await new Browser(w.direct).open(link)
      expect({ link, status }).toEqual({ link, status: 404 })
    }
    const used = await invite(guest())
    const stranger = new Browser(w.direct)
    await stranger.open(used)
    await stranger.submit(used, { password: PASSWORD })
    await gone(used)

    const email = guest()
    const replaced = await invite(email)
    const withdrawn = await invite(email)
    await gone(replaced)
    await alice.browser.open('/settings/members')
    expect(withdrawals()).toHaveLength(1)
    await alice.browser.submit(withdrawals()[0] ?? '')
    await gone(withdrawn)

    const old = await invite(email)
    w.clock.forward(7 * DAY - 1)
    expect((await new Browser(w.direct).open(old)).status).toBe(200)
    w.clock.forward(1)
    await gone(old)
    await liveOn(w)
    await forgetLeftovers(w.deps)
    expect(await w.rows('select from invitations where org_id = $1', org.org_id)).toEqual([])
    await gone('/invitations/dogwatch_invite_0')
  })

  test.each([
    ['an address that is none', () => 'nobody', '“Email” must be an email address.'],
    ['nothing', () => '', '“Email” must not be blank.'],
    ['a member', () => alice.email, /is already a member\.$/],
  ])('to %s is refused', async (_, address, line) => {
    const [fault] = await refusal(address())
    expect(fault).toMatch(line)
    expect(mail.got).toEqual([])
  })

  test('is not for members to make', async () => {
    const bob = await memberOf(w, org)
    await bob.browser.open('/settings/members')
    expect(bob.browser.all('main form')).toEqual([])
  })
})

test.each(['/invitations/dogwatch_invite_0', '/reset-password/dogwatch_reset_0'])(
  'links cannot be tried without end: %s',
  async (path) => {
    const other = await world()
    try {
      const guesser = new Browser(other.direct)
      await guesser.open('/sign-in')
      const csrf = guesser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
      const seen: number[] = []
      while (seen.length < 60 && seen.at(-1) !== 429) {
        seen.push((await guesser.post(path, { csrf, password: PASSWORD })).status)
      }
      expect([...new Set(seen)]).toEqual([404, 429])
      expect(seen.length).toBeGreaterThan(30)
      expect(Number(guesser.page.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await other.close()
    }
  },
)

describe('when mail does not work', () => {
  test('the link is there to be handed over, and the page says why', async () => {
    const other = await world()
    try {
      const owner = await ownerOf(other, await other.org())
      await owner.browser.open('/settings/members')
      await owner.browser.submit('/settings/members/invite', { email: 'guest@example.com' })
      expect(owner.browser.text()).toContain('This server cannot send email. Share this link with guest@example.com.')
      const link = new URL(owner.browser.all('#invitation-link')[0]?.text.trim() ?? '').pathname
      expect((await new Browser(other.direct).open(link)).status).toBe(200)
      // Whoever invites has the link, and may sign up with an address that is not theirs.
      const inviter = new Browser(other.direct)
      await inviter.open(link)
      await inviter.submit(link, { password: PASSWORD })
      const acme = { name: 'Acme', plan: 'team', owner_email: 'guest@example.com' }
      await expect(createOrganisation(other.deps, acme)).rejects.toThrow(/never verified/)
    } finally {
      await other.close()
    }
  })

  test('a refused mail is told, and no secret is logged', async () => {
    const lines: unknown[] = []
    const refusing = await mailServer({ onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')) })
    const its = createMailer({ smtp_url: `smtp://u:hunter22@127.0.0.1:${refusing.port}`, mail_from: 'd@example.com' })
    const note = (...given: unknown[]) => void lines.push(given)
    const log = { ...w.deps.log, info: note, warn: note, error: note }
    const other = await world({ log, console: { public_url: 'http://dogwatch.example', mailer: its } })
    try {
      const owner = await ownerOf(other, await other.org())
      await owner.browser.open('/settings/members')
      await owner.browser.submit('/settings/members/invite', { email: 'guest@example.com' })
      expect(owner.browser.text()).toContain('Share this link instead.')
      expect(JSON.stringify(lines)).toContain('an invitation could not be sent')
      expect(JSON.stringify(lines)).not.toMatch(/hunter22|dogwatch_invite_/)
    } finally {
      its?.close()
      await other.close()
      await refusing.close()
    }
  })
})

describe('a member who is removed', () => {
  test('loses tokens and sessions for that org at once, and for good', async () => {
    const bob = await memberOf(w, org)
    const token = await w.pat(org)
    // As if Bob had owned it when he minted the token.
    await w.rows('update personal_access_tokens set person_id = $1 where org_id = $2', bob.person_id, org.org_id)
    const reads = async () => (await w.http.get(`${ACCOUNT}/settings`).set('Authorization', `Bearer ${token}`)).status
    expect(await reads()).toBe(200)

    await alice.browser.open('/settings/members')
    await alice.browser.submit(`/settings/members/${bob.person_id}/remove`)
    expect(alice.browser.text()).not.toContain(bob.email)
    expect(await reads()).toBe(401)
    await bob.browser.open('/settings')
    expect(bob.browser.page.path).toBe('/organisations')

    const link = await invite(bob.email)
    await bob.browser.open(link)
    await bob.browser.submit(link)
    expect(await members()).toContain(bob.person_id)
    expect(await reads()).toBe(401)
    expect(await deedsOf(w, org)).toEqual([
      `${alice.email}: member.remove ${bob.email}`,
      `${alice.email}: invitation.create ${bob.email}`,
      `${bob.email}: member.join ${bob.email}`,
    ])
  })

  test('is never the owner', async () => {
    await alice.browser.open('/settings/members')
    const csrf = alice.browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
    await alice.browser.post(`/settings/members/${alice.person_id}/remove`, { csrf })
    expect(alice.browser.page.status).toBe(400)
    expect(alice.browser.text()).toContain('The owner cannot be removed. Transfer ownership first.')
    expect(await members()).toEqual([alice.person_id])
  })
})

test('the org is handed over to a member by its owner, who knows the password', async () => {
  const bob = await memberOf(w, org)
  await setPassword(w.deps, alice.email, PASSWORD)
  alice = await ownerOf(w, org)
  const handOver = async (password: string) => {
    await alice.browser.open('/settings/members')
    await alice.browser.submit(`/settings/members/${bob.person_id}/hand-over`, { password })
  }
  await handOver('not this one')
  expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, ['Incorrect password. Try again.']])
  const field = `password-${bob.person_id}`
  expect(faultyFields(alice.browser)).toEqual({ faults: { [field]: 'Incorrect password. Try again.' }, first: [field] })
  expect(alice.browser.all('details.part[open]')).toHaveLength(1)
  await handOver(PASSWORD)
  expect(alice.browser.page.path).toBe('/settings/members')
  expect(alice.browser.all('main form')).toEqual([])
  const [owner] = await w.rows('select person_id from memberships where org_id = $1 and is_owner', org.org_id)
  expect(owner).toEqual({ person_id: bob.person_id })
  await bob.browser.open('/settings/members')
  expect(bob.browser.all('form[action$="/remove"]')).toHaveLength(1)
  expect(await deedsOf(w, org)).toEqual([`${alice.email}: organisation.hand_over ${bob.email}`])
})

test('an owner without a password hands the org over within ten minutes of signing in', async () => {
  const bob = await memberOf(w, org)
  const hands = async () => {
    await alice.browser.open('/settings/members')
    expect(alice.browser.all('main input[type=password]')).toEqual([])
    await alice.browser.submit(`/settings/members/${bob.person_id}/hand-over`)
  }
  w.clock.forward(601)
  await hands()
  const too_late = 'This change requires a recent sign-in. Sign out, sign in again and repeat the change within 10 min.'
  expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, [too_late]])
  alice = await ownerOf(w, org)
  await hands()
  expect(alice.browser.page.path).toBe('/settings/members')
  const [owner] = await w.rows('select person_id from memberships where org_id = $1 and is_owner', org.org_id)
  expect(owner).toEqual({ person_id: bob.person_id })
})

describe('the places of the plan', () => {
  test.each([
    ['free', 1],
    ['solo', 1],
    ['double', 2],
  ])('%s: %i, open invitations counted', async (plan, places) => {
    org = await w.org(plan)
    alice = await ownerOf(w, org)
    const invited = Array.from({ length: places - 1 }, guest)
    for (const email of invited) await invite(email)
    const some = places === 1 ? '1 member' : `${places} members`
    const line = `The ${plan} plan allows ${some}, including pending invitations. Remove a member, withdraw an invitation or change the plan.`
    expect(await refusal(guest())).toEqual([line])
    // The same address again takes no place more.
    for (const email of invited) await invite(email)
    expect(await refusal(guest())).toEqual([line])
  })

  test('team has as many as are asked', async () => {
    for (let i = 0; i < 4; i++) await invite(guest())
    expect(withdrawals()).toHaveLength(4)
  })

  test('an invitation that is withdrawn or over gives its place back', async () => {
    org = await w.org('double')
    alice = await ownerOf(w, org)
    await invite(guest())
    await refusal(guest())
    await alice.browser.submit(withdrawals()[0] ?? '')
    await invite(guest())
    await refusal(guest())
    w.clock.forward(7 * DAY)
    await invite(guest())
  })

  test('a plan that became smaller meanwhile has none for who was invited', async () => {
    const link = await invite(guest())
    await setPlan(w.deps, org.org_id, 'solo')
    const stranger = new Browser(w.direct)
    await stranger.open(link)
    await stranger.submit(link, { password: PASSWORD })
    expect([stranger.page.status, faultsOf(stranger)[0]]).toEqual([
      400,
      expect.stringMatching(/ already has 1 member, the maximum of its plan\. Ask its owner to change the plan\.$/),
    ])
    expect(await members()).toEqual([alice.person_id])
  })

  test('of two invitations at once for one place, one is made', async () => {
    org = await w.org('double')
    const owners = [await ownerOf(w, org), await ownerOf(w, org)]
    for (const { browser } of owners) await browser.open('/settings/members')
    await Promise.all(owners.map(({ browser }) => browser.submit('/settings/members/invite', { email: guest() })))
    expect(owners.map(({ browser }) => browser.page.status).sort()).toEqual([200, 400])
  })
})

test('an invitation that the email queue refuses is not reported as sent', async () => {
  const silent = await mailServer({ onConnect: () => {}, closeTimeout: 100 })
  const busy = createMailer({ smtp_url: `smtp://127.0.0.1:${silent.port}`, mail_from: 'dogwatch@example.com' })
  const other = await world({ console: { public_url: 'http://dogwatch.example', mailer: busy } })
  try {
    const own = await other.org()
    const { browser } = await ownerOf(other, own)
    const MOST_OF_ONE_SENDER = 22
    for (let n = 0; n < MOST_OF_ONE_SENDER; n++) {
      const mailed = busy?.send(
        { to: guest(), subject: 's', text: 't' },
        { kind: 'invitation', sender: String(own.org_id) },
      )
      mailed?.catch(() => {})
    }
    await browser.open('/settings/members')
    await browser.submit('/settings/members/invite', { email: 'guest@example.com' })
    expect(browser.text()).toContain('We could not email guest@example.com because the email queue is full.')
    expect(browser.text()).not.toContain('Invitation sent')
  } finally {
    busy?.close()
    await other.close()
    await silent.close()
  }
})
