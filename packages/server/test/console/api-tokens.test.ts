// Personal access tokens: minted by the owner, shown once, revoked.

import { DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import { createOrganisation } from '@dogwatch/domain/organisations/organisation'
import { createPersonalToken, revokeOwnPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { findViewer, openImpersonation, openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { adminOf, deedsOf, faultsOf, memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { ACCOUNT, type Org, type World, world } from '../support/world.ts'

const lines: unknown[] = []
let w: World
let org: Org
let alice: Somebody
beforeAll(async () => {
  const note = (...given: unknown[]) => void lines.push(given)
  w = await world({ log: { info: note, warn: note, error: note, debug: note, fatal: note, trace: note } as never })
})
beforeEach(async () => {
  org = await w.org()
  alice = await ownerOf(w, org)
})
afterAll(() => w.close())

async function mint(name = 'nightly report'): Promise<string> {
  await alice.browser.open('/settings/api-tokens')
  await alice.browser.submit('/settings/api-tokens', { name })
  return alice.browser.all('#token')[0]?.text.trim() ?? ''
}

const reads = async (token: string) =>
  (await w.http.get(`${ACCOUNT}/settings`).set('Authorization', `Bearer ${token}`)).status

test('a token reads the org through the account API', async () => {
  const token = await mint()
  expect(token).toMatch(/^dogwatch_pat_/)
  const { body } = await w.http.get(`${ACCOUNT}/members`).set('Authorization', `Bearer ${token}`)
  expect(body).toMatchObject([{ email: alice.email }])
})

test('its text is on the page that made it and nowhere else', async () => {
  const token = await mint()
  expect(alice.browser.page.status).toBe(200)
  expect(alice.browser.page.headers.get('cache-control')).toBe('no-store')
  expect(alice.browser.page.headers.getSetCookie().join()).not.toContain('dogwatch_pat_')
  await alice.browser.open('/settings/api-tokens')
  expect(alice.browser.page.html).not.toContain('dogwatch_pat_')
  const secret = token.slice('dogwatch_pat_'.length)
  for (const table of ['personal_access_tokens', 'audit_entries', 'sessions']) {
    const rows = await w.rows(`select t::text as text from ${table} t`)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(secret)
  }
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test('the list says what each is for, whose, since when, and whether it works', async () => {
  await mint('nightly report')
  w.clock.forward(3600)
  await mint('<b>billing</b>')
  const cells = alice.browser.all('tbody tr').map((row) => row.querySelectorAll('td').map((cell) => cell.text.trim()))
  expect(cells).toEqual([
    ['<b>billing</b>', alice.email, 'just now, 13:00', 'Revoke token'],
    ['nightly report', alice.email, '1 h ago, 12:00', 'Revoke token'],
  ])
  expect(alice.browser.page.html).not.toContain('<b>billing')
  expect(alice.browser.text()).toContain('Tokens can read channel destinations and secrets in plain text')
})

test('a revoked token works no more, and the other does', async () => {
  const [first, second] = [await mint('first'), await mint('second')]
  await alice.browser.open('/settings/api-tokens')
  const [, revokeFirst = ''] = alice.browser
    .all('form[action$="/revoke"]')
    .map((form) => form.getAttribute('action') ?? '')
  await alice.browser.submit(revokeFirst)
  // Who sees the page of before presses the button again: nothing changes, and nothing is told.
  const [row] = await w.rows(
    'select token_id from personal_access_tokens where org_id = $1 and name = $2',
    org.org_id,
    'first',
  )
  const by = { person_id: alice.person_id, email: alice.email, impersonator_email: null }
  await revokeOwnPersonalToken(w.deps, org.org_id, Number(row?.token_id), by)
  expect([await reads(first), await reads(second)]).toEqual([401, 200])
  expect(alice.browser.text()).toMatch(/Revoked\s+just now/)
  expect(await deedsOf(w, org)).toEqual([
    `${alice.email}: api_token.create first`,
    `${alice.email}: api_token.create second`,
    `${alice.email}: api_token.revoke first`,
  ])
})

test.each([
  ['no name', '', '“Name” must not be blank.'],
  ['a name that is too long', 'x'.repeat(101), '“Name” must be 100 characters or fewer.'],
])('%s is refused', async (_, name, line) => {
  expect(await mint(name)).toBe('')
  expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, [line]])
})

test('an admin in the owner’s place makes none', async () => {
  const admin = await adminOf(w)
  const itself = await findViewer(w.deps, await openSession(w.deps, admin.person_id))
  if (!itself) throw new Error('the admin has no session')
  const browser = new Browser(w.direct, await openImpersonation(w.deps, itself, alice.person_id))
  await browser.open('/settings/api-tokens')
  expect(browser.text()).toContain('You cannot create tokens while logged in as')
  const csrf = browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  await browser.post('/settings/api-tokens', { csrf, name: 'mine' })
  expect([browser.page.status, browser.page.html.includes('dogwatch_pat_')]).toEqual([403, false])
  expect(browser.text()).toContain('You cannot do this while you are logged in as another user.')
  expect(await w.rows('select from personal_access_tokens where org_id = $1', org.org_id)).toEqual([])
})

test('a member who asks past the page gets none', async () => {
  const bob = await memberOf(w, org)
  const by = { ...bob, impersonator_email: null }
  await expect(createPersonalToken(w.deps, org.org_id, { name: 'mine', by })).rejects.toMatchObject({
    kind: 'forbidden',
  })
})

test('an organisation and a person have a bounded number of tokens, which the page says; revoked ones do not count', async () => {
  const other = await createOrganisation(w.deps, { name: 'other', plan: 'team', owner_email: alice.email })
  w.deps.bounds = { ...DEFAULT_BOUNDS, tokens_per_org: 3, tokens_per_person: 4 }
  try {
    const made = await Promise.allSettled([1, 2, 3, 4, 5].map(() => createPersonalToken(w.deps, org.org_id)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await mint()).toBe('')
    const line = 'An organisation can have up to 3 API tokens. Revoke a token to create another.'
    expect([alice.browser.page.status, faultsOf(alice.browser)]).toEqual([400, [line]])
    await createPersonalToken(w.deps, other.org_id)
    await expect(createPersonalToken(w.deps, other.org_id)).rejects.toMatchObject({
      kind: 'invalid',
      message: 'you can have up to 4 API tokens across all organisations; revoke a token to create another',
    })
    await alice.browser.submit(alice.browser.all('form[action$="/revoke"]')[0]?.getAttribute('action') ?? '')
    expect(await mint()).toMatch(/^dogwatch_pat_/)
  } finally {
    delete w.deps.bounds
  }
})

test('of the tokens that were revoked the list has the last fifty, behind those that work', async () => {
  await createPersonalToken(w.deps, org.org_id, { name: 'works' })
  await w.rows(
    `insert into personal_access_tokens (token_hash, org_id, person_id, name, created_at, revoked_at)
     select sha256(('old ' || n || $1::bigint)::bytea), $1::bigint, $2::bigint, 'old ' || n, now(), now() from generate_series(1, 200) n`,
    org.org_id,
    alice.person_id,
  )
  w.deps.bounds = { ...DEFAULT_BOUNDS, tokens_per_org: 1 }
  await alice.browser.open('/settings/api-tokens')
  delete w.deps.bounds
  const names = alice.browser.all('tbody tr').map((row) => row.querySelector('td')?.text)
  expect([names.length, names[0], names[1], names.at(-1)]).toEqual([51, 'works', 'old 200', 'old 151'])
})
