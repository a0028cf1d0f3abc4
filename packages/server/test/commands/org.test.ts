// dogwatch migrate, dogwatch org ...
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verify } from 'argon2'
import { type Operator, operator, usageFault } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

test('migrate brings an empty database to the present schema, and a second time finds nothing to do', async () => {
  const empty = await operator('dogwatch_plain')
  await empty.rows('drop schema public cascade')
  await empty.rows('create schema public')
  const first = (await empty.answer(['migrate'])) as { applied: string[]; partitions: unknown }
  expect(first.applied[0]).toBe('0281_organisations_and_people')
  expect(first.applied).toEqual([...first.applied].sort())
  expect(await empty.answer(['migrate'])).toMatchObject({ applied: [] })
  expect(await empty.answer(['org', 'list'])).toEqual([])
  await empty.close()
})

describe('org create', () => {
  const PASSWORD = 'correct horse battery staple'

  test('makes an org and its owner; the password is kept as argon2id and nowhere else', async () => {
    const made = (await o.answer(
      ['org', 'create', '--name', 'Blue Café', '--plan', 'solo', '--owner-email', 'Ann@example.com'].concat(
        '--owner-password-stdin',
      ),
      { input: `${PASSWORD}\n` },
    )) as { org_id: number; owner_id: number }
    expect(made).toEqual({ org_id: expect.any(Number), owner_id: expect.any(Number) })
    const [row] = await o.rows('select password_hash from people where person_id = $1', made.owner_id)
    expect(row?.password_hash).toMatch(/^\$argon2id\$/)
    expect(await verify(String(row?.password_hash), PASSWORD)).toBe(true)
    expect(await o.stored()).not.toContain('horse')
    expect(await o.answer(['org', 'list'])).toContainEqual({
      org_id: made.org_id,
      name: 'Blue Café',
      plan: 'solo',
      status_page_enabled: false,
      owner_email: 'Ann@example.com',
    })
  })

  test('an owner who exists already, in whatever case, owns both', async () => {
    const create = async (email: string) =>
      (await o.answer(['org', 'create', '--name', 'x', '--plan', 'team', '--owner-email', email])) as {
        org_id: number
        owner_id: number
      }
    const [one, other] = [await create('bob@example.com'), await create('BOB@example.com')]
    expect(other.owner_id).toBe(one.owner_id)
    expect(other.org_id).not.toBe(one.org_id)
    expect(await o.rows('select password_hash from people where person_id = $1', one.owner_id)).toEqual([
      { password_hash: null },
    ])
  })

  const refused: Record<string, [args: Record<string, string>, input: string | undefined, line: string]> = {
    'a plan that is none': [{ '--plan': 'gold' }, undefined, 'plan must be one of free, solo, double, team'],
    'a blank name': [{ '--name': ' ' }, undefined, 'name must not be blank'],
    'a name of two lines': [
      { '--name': 'a\nb' },
      undefined,
      'name must not contain control characters or invalid Unicode',
    ],
    'what is no address': [{ '--owner-email': 'ann' }, undefined, 'owner_email must be an email address'],
    'a short password': [{}, 'hunter2\n', 'password must be 10 to 1024 characters long'],
    'no password where one was said to come': [{}, '', 'password must be 10 to 1024 characters long'],
  }
  test.each(Object.entries(refused))('refuses %s, and makes nothing', async (_, [args, input, line]) => {
    const before = await o.stored()
    const all = { '--name': 'x', '--plan': 'free', '--owner-email': 'new@example.com', ...args }
    const flags = Object.entries(all).flat()
    if (input !== undefined) flags.push('--owner-password-stdin')
    expect(await o.refusal(['org', 'create', ...flags], { input: input ?? '' })).toBe(line)
    expect(await o.stored()).toBe(before)
  })
})

test('org set-plan moves an org; an unknown org and an unknown plan are refused', async () => {
  const id = String(await o.org('free'))
  expect(await o.answer(['org', 'set-plan', '--org', id, '--plan', 'double'])).toEqual({
    org_id: Number(id),
    plan: 'double',
  })
  expect(await o.refusal(['org', 'set-plan', '--org', '999999', '--plan', 'solo'])).toBe('no organisation with that id')
  expect(await o.refusal(['org', 'set-plan', '--org', id, '--plan', 'Solo'])).toMatch(/^plan must be one of /)
  expect(await o.rows('select plan from organisations where org_id = $1', id)).toEqual([{ plan: 'double' }])
})

test('org set-owner hands an org to another of its members, and to nobody else', async () => {
  const org_id = await o.org()
  const [member] = await o.rows(
    `with made as (insert into people (email) values ('carol@example.com') returning person_id)
     insert into memberships (org_id, person_id) select $1, person_id from made returning person_id`,
    org_id,
  )
  await o.rows("insert into people (email) values ('stranger@example.com')")
  const set = (email: string) => ['org', 'set-owner', '--org', String(org_id), '--email', email]
  for (const email of ['stranger@example.com', 'nobody@example.com']) {
    expect(await o.refusal(set(email))).toBe('email must belong to a member of the organisation')
  }
  await o.answer(set('CAROL@example.com'))
  expect(await o.rows('select person_id from memberships where org_id = $1 and is_owner', org_id)).toEqual([member])
  expect(await o.rows('select person_id from memberships where org_id = $1', org_id)).toHaveLength(2)
})

test('org set-status-page shows and hides it, unless the plan has none', async () => {
  const [solo, free] = [await o.org('solo'), await o.org('free')]
  const set = (org_id: number, to: string) => ['org', 'set-status-page', '--org', String(org_id), to]
  expect(await o.answer(set(solo, 'on'))).toEqual({ org_id: solo, status_page_enabled: true })
  expect(await o.rows('select title from status_pages where org_id = $1', solo)).toHaveLength(1)
  expect(await o.answer(set(solo, 'off'))).toEqual({ org_id: solo, status_page_enabled: false })
  expect(await o.refusal(set(free, 'on'))).toBe('status pages are not included in the free plan')
  expect(await usageFault(o, set(solo, 'maybe'))).toContain('It must be on or off.')
})

test('org suspend, resume and delete say what comes of it, and org list shows it', async () => {
  const org_id = await o.org()
  const org = ['--org', String(org_id)]
  const listed = async () =>
    ((await o.answer(['org', 'list'])) as { org_id: number }[]).find((one) => one.org_id === org_id)
  const suspended = (await o.answer(['org', 'suspend', ...org])) as { suspended_at: string }
  expect(suspended).toEqual({ org_id, suspended_at: expect.any(String) })
  expect(await usageFault(o, ['org', 'delete', ...org])).toBe('error: deleting an organisation needs --yes')
  const deleted = await o.answer(['org', 'delete', ...org, '--yes'])
  expect(deleted).toEqual({ ...suspended, delete_at: expect.any(String) })
  expect(await listed()).toMatchObject(deleted as object)
  expect(await o.answer(['org', 'resume', ...org])).toEqual({ org_id, suspended: false })
  expect(await listed()).not.toHaveProperty('suspended_at')
  expect(await o.refusal(['org', 'suspend', '--org', '99999'])).toBe('no organisation with that id')
})

test('user delete refuses the owner of an organisation', async () => {
  const made = ['org', 'create', '--name', 'Theirs', '--plan', 'team', '--owner-email', 'own@example.com']
  const { org_id } = (await o.answer(made)) as { org_id: number }
  await o.answer(['member', 'add', '--org', String(org_id), '--email', 'leaver@example.com'])
  expect(await o.refusal(['user', 'delete', '--email', 'own@example.com'])).toBe(
    `the user owns organisation ${org_id} (Theirs); transfer or delete the organisation first`,
  )
  expect(await o.answer(['user', 'delete', '--email', 'leaver@example.com'])).toEqual({
    email: 'leaver@example.com',
    person_id: expect.any(Number),
  })
})

describe('bounds for safety', () => {
  test('org set-max-monitors sets a number, none, or that of the plan', async () => {
    const org = String(await o.org())
    const set = (count: string) => o.answer(['org', 'set-max-monitors', count, '--org', org])
    expect(await set('7')).toEqual({ org_id: Number(org), max_monitors: 7 })
    expect(await o.rows('select max_monitors from organisations where org_id = $1', org)).toEqual([{ max_monitors: 7 }])
    expect(await set('unlimited')).toMatchObject({ max_monitors: 'unlimited' })
    expect(await set('default')).toMatchObject({ max_monitors: 'default' })
    expect(await o.rows('select max_monitors from organisations where org_id = $1', org)).toEqual([
      { max_monitors: null },
    ])
    const { code, err } = await o.run(['org', 'set-max-monitors', '0', '--org', org])
    expect([code, err]).toEqual([2, expect.stringContaining('unlimited or default')])
  })

  test('api-token create is refused in one line when the organisation has as many as it may', async () => {
    const create = ['api-token', 'create', '--org', String(await o.org()), '--api-tokens-per-org', '1']
    await o.answer(create)
    expect(await o.refusal(create)).toBe(
      'an organisation can have up to 1 API tokens; revoke a token to create another',
    )
  })
})

test('org set-limits sets the limits of a file by hand, keeps the others, and refuses what is none', async () => {
  const id = String(await o.org('solo'))
  const set = (limits: unknown) => ({
    args: ['org', 'set-limits', '--org', id, '--file', '-'],
    given: { input: JSON.stringify(limits) },
  })
  const { args, given } = set({ max_checks: 0, min_interval_sec: 5, channel_kinds: ['slack', 'email'] })
  expect(await o.answer(args, given)).toMatchObject({
    org_id: Number(id),
    plan: 'custom',
    limits: { max_checks: 0, min_interval_sec: 5, channel_kinds: ['email', 'slack'], max_heartbeats: 5 },
  })
  expect(await o.rows('select plan from organisations where org_id = $1', id)).toEqual([{ plan: 'custom' }])
  const refused: [limits: unknown, line: RegExp][] = [
    [[], /^the limits must be one JSON object$/],
    [{ max_cheques: 3 }, /^max_cheques is not a limit; the limits are max_checks, /],
    [{ toString: 3 }, /^toString is not a limit/],
    [{ max_checks: '3' }, /^max_checks must be a number$/],
    [{ max_checks: -1 }, /^max_checks must be a whole number from 0 to 1000000$/],
    [{ allows_status_page: 1 }, /^allows_status_page must be a boolean$/],
    [{ channel_kinds: ['pigeon'] }, /^channel_kinds must be an array that contains only /],
  ]
  const lines = await Promise.all(refused.map(([limits]) => o.refusal(set(limits).args, set(limits).given)))
  for (const [i, line] of lines.entries()) expect(line).toMatch(refused[i]?.[1] ?? /none/)
})
