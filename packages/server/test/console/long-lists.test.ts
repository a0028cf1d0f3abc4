// Every list that an organisation can make long comes a hundred rows a page, and no row is lost between the pages.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { adminOf, ownerOf, type Somebody } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

const ROWS = 250
const PAGE_ROWS = 100

let w: World
let org: Org
let alice: Somebody
let admin: Somebody
beforeAll(async () => {
  w = await world()
  org = await w.org()
  alice = await ownerOf(w, org)
  admin = await adminOf(w)
  const now = w.clock.now().toISOString()
  const fill = (sql: string) => w.rows(`${sql} from generate_series(1, ${ROWS}) n`, org.org_id, now)
  const monitor =
    "insert into monitors (id, org_id, name, region, country, city, enrolled_at, key_hash, enrolled_by) select 'm' || lpad(n::text, 11, '0')"
  await fill(
    `${monitor}, $1::bigint, 'own ' || n, 'r', 'c', 'c', $2::timestamptz, sha256(('own' || n)::bytea), ${alice.person_id}`,
  )
  await fill(
    `insert into people (email) select 'member' || n || '@' || $1::bigint || '.example' where $2::text is not null`
      .replace(' where $2::text is not null', ', $2::timestamptz')
      .replace('(email)', '(email, created_at)'),
  )
  await w.rows(
    `insert into memberships (org_id, person_id) select $1, person_id from people where email like 'member%'`,
    org.org_id,
  )
  await fill(
    "insert into enrollment_tokens (token_hash, org_id, created_at, expires_at) select sha256(n::text::bytea), $1::bigint, $2::timestamptz, $2::timestamptz + interval '1 day'",
  )
  await fill(
    `insert into invitations (org_id, token_hash, email, invited_by, created_at, expires_at) select $1::bigint, sha256(n::text::bytea), 'guest' || n || '@example.com', ${alice.person_id}, $2::timestamptz, $2::timestamptz + interval '1 day'`,
  )
  await fill(
    "insert into notification_channels (org_id, name, kind, destination, created_at) select $1::bigint, 'channel ' || n, 'ntfy', jsonb_build_object('ntfy_topic', 'topic' || n), $2::timestamptz",
  )
  await w.rows(
    `insert into monitors (id, org_id, name, region, country, city, enrolled_at)
     select 's' || lpad(n::text, 11, '0'), null, 'shared ' || n, 'r', 'c', 'c', $1 from generate_series(1, ${ROWS}) n`,
    now,
  )
})
afterAll(() => w.close())

/** What a list is of, on which page, who opens it, and how its rows are found. */
const LISTS: Record<string, [path: () => string, name: string, who: () => Somebody, row: RegExp]> = {
  'own monitors': [() => '/monitors', 'page', () => alice, /own \d+(?=<)/g],
  'shared monitors': [() => '/monitors', 'shared', () => alice, /shared \d+(?=<)/g],
  'enrollment tokens': [() => '/monitors/new', 'page', () => alice, /name="token_hash" value="\w+"/g],
  members: [() => '/settings/members', 'page', () => alice, /View created items: member\d+@/g],
  invitations: [() => '/settings/members', 'invitations', () => alice, /Withdraw invitation for guest\d+@/g],
  'what a member made': [
    () => `/settings/members/${alice.person_id}/made`,
    'page',
    () => alice,
    /Reset monitor: own \d+(?=")/g,
  ],
  channels: [() => '/channels', 'page', () => alice, /channel \d+(?=<\/a>)/g],
  'monitors of an organisation, for admins': [() => `/admin/orgs/${org.org_id}`, 'monitors', () => admin, /own \d+ /g],
  'members of an organisation, for admins': [
    () => `/admin/orgs/${org.org_id}`,
    'members',
    () => admin,
    /Log in as member\d+@/g,
  ],
  'the shared fleet, for admins': [() => '/admin/fleet', 'page', () => admin, /Retire shared \d+(?=")/g],
}

describe('a long list', () => {
  test.each(Object.entries(LISTS))('%s', async (_, [path, name, who, row]) => {
    const { browser } = who()
    const seen: string[] = []
    let next: string | undefined = path()
    let pages = 0
    while (next !== undefined) {
      await browser.open(next)
      expect(browser.page.status).toBe(200)
      const rows = new Set(browser.page.html.match(row))
      expect(rows.size).toBeLessThanOrEqual(PAGE_ROWS)
      seen.push(...rows)
      pages++
      const links = browser.all('a[rel=next]').map((link) => link.getAttribute('href') ?? '')
      next = links.find((href) => href.includes(`?${name}=`))
    }
    expect([new Set(seen).size, seen.length, pages]).toEqual([ROWS, ROWS, 3])
  })
})

test('what is no page is the first, and one beyond the last is empty', async () => {
  for (const page of ['0', '-1', 'x', '1e9', '9999999']) {
    await alice.browser.open(`/monitors?page=${page}`)
    expect([page, alice.browser.page.html.includes('own 1<')]).toEqual([page, true])
  }
  await alice.browser.open('/monitors?page=77')
  expect(alice.browser.page.status).toBe(200)
  expect(alice.browser.all('a[rel=prev]').map((link) => link.getAttribute('href'))).toEqual(['/monitors?page=76'])
})
