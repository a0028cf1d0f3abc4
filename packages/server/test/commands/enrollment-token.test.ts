// dogwatch enrollment-token ...

import { authenticateEnrollment } from '@dogwatch/domain/monitors/authenticate'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Operator, operator, usageFault } from './operator.ts'

let o: Operator
let org: string
beforeAll(async () => {
  o = await operator()
  org = String(await o.org())
})
afterAll(() => o.close())

const create = async (...args: string[]) =>
  (await o.answer(['enrollment-token', 'create', ...args])) as { token: string; expires_at: string }

/** How long the newest token works. */
const lifetime = async () => {
  const [row] = await o.rows(`select org_id, extract(epoch from expires_at - created_at)::integer as sec
    from enrollment_tokens order by created_at desc limit 1`)
  return row
}

test('a token of an org works for 24 hours, one of the shared fleet for one; only the hash is kept', async () => {
  const own = await create('--org', org)
  expect(await lifetime()).toEqual({ org_id: Number(org), sec: 86_400 })
  const shared = await create('--shared')
  expect(await lifetime()).toEqual({ org_id: null, sec: 3600 })
  for (const { token, expires_at } of [own, shared]) {
    expect(looksLikeToken('enroll', token)).toBe(true)
    expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(await o.stored()).not.toContain(token)
  }
  expect(await authenticateEnrollment(o.deps, own.token)).toMatchObject({ org_id: Number(org), created_by: null })
  expect(await authenticateEnrollment(o.deps, shared.token)).toMatchObject({ org_id: null, created_by: null })
})

test('--ttl-sec shortens it, and with --shared goes no further than an hour', async () => {
  await create('--shared', '--ttl-sec', '3600')
  expect(await lifetime()).toEqual({ org_id: null, sec: 3600 })
  await create('--org', org, '--ttl-sec', '1')
  expect(await lifetime()).toEqual({ org_id: Number(org), sec: 1 })
  const before = await o.stored()
  expect(await o.refusal(['enrollment-token', 'create', '--shared', '--ttl-sec', '3601'])).toBe(
    'ttl_sec must be a whole number from 1 to 3600',
  )
  expect(await o.refusal(['enrollment-token', 'create', '--org', org, '--ttl-sec', '0'])).toMatch(
    /^ttl_sec must be a whole number from 1 to /,
  )
  expect(await o.stored()).toBe(before)
})

test('either --org or --shared: both or neither is a usage fault', async () => {
  const before = await o.stored()
  for (const args of [['--org', org, '--shared'], []]) {
    expect(await usageFault(o, ['enrollment-token', 'create', ...args])).toBe('error: use either --org or --shared')
  }
  expect(await usageFault(o, ['enrollment-token', 'create', '--shared', '--ttl-sec', '1h'])).toContain(
    'It must be a whole number.',
  )
  expect(await o.stored()).toBe(before)
})

test('an org that does not exist is refused', async () => {
  expect(await o.refusal(['enrollment-token', 'create', '--org', '999999'])).toBe('no organisation with that id')
})

test('a revoked token ends at once; revoking it again changes nothing, and an unknown one is refused', async () => {
  const { token } = await create('--org', org)
  expect(await o.answer(['enrollment-token', 'revoke', '--token', token])).toEqual({ revoked: true })
  await expect(authenticateEnrollment(o.deps, token)).rejects.toMatchObject({ kind: 'unauthenticated' })
  const before = await o.stored()
  expect(await o.answer(['enrollment-token', 'revoke', '--token', token])).toEqual({ revoked: true })
  expect(await o.refusal(['enrollment-token', 'revoke', '--token', 'nonsense'])).toBe('no such enrollment token')
  expect(await o.stored()).toBe(before)
})
