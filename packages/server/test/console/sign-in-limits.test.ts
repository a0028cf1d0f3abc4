// Guessing passwords is bounded, and nobody can keep another from signing in.

import { SIGN_INS_TO } from '@dogwatch/domain/limits/rates'
import { RateLimiter } from '@dogwatch/domain/limits/spend'
import { setPassword } from '@dogwatch/domain/people/edit'
import { createPasswordReset } from '@dogwatch/domain/people/password'
import { signIn as enter } from '@dogwatch/domain/people/sign-in'
import { systemRandom } from '@dogwatch/runtime/random'
import { newToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { csrfToken } from '../../../console/src/csrf.ts'
import { type World, world } from '../support/world.ts'

const PASSWORD = 'correct horse battery'

let w: World
let email: string
let guest: string
let org_id: number
beforeAll(async () => {
  w = await world({ trust_proxy: ['127.0.0.1'] })
})
beforeEach(async () => {
  const { owner_id, ...org } = await w.org()
  org_id = org.org_id
  const [row] = await w.rows('select email from people where person_id = $1', owner_id)
  email = String(row?.email)
  await setPassword(w.deps, email, PASSWORD)
  guest = newToken('guest', w.deps.random)
})
afterAll(() => w.close())

/** Sends a form as a guest, from an address, with the cookie of a device if there is one. */
async function send(path: string, fields: Record<string, string>, from: string, device = ''): Promise<Response> {
  return fetch(w.direct + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `dogwatch-guest=${guest}; dogwatch-device=${device}`, 'x-forwarded-for': from },
    body: new URLSearchParams({ ...fields, csrf: csrfToken(guest, undefined, systemRandom) }),
  })
}
const signIn = (from: string, password = PASSWORD, device = '') => send('/sign-in', { email, password }, from, device)
const deviceIn = (response: Response) =>
  /^dogwatch-device=([^;]+)/.exec(
    response.headers.getSetCookie().find((line) => line.startsWith('dogwatch-device=')) ?? '',
  )?.[1] ?? ''

/** Guesses until it is refused, as somebody of many addresses. Most of it is spent beside the pages: each guess costs a hash. */
async function guessFromEverywhere(): Promise<void> {
  const limiter = new RateLimiter(w.deps)
  for (let i = 3; i < SIGN_INS_TO.burst; i++) await limiter.spend(SIGN_INS_TO, email)
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await signIn(`2001:db8:${guessers++}::1`, 'x')).status)
  expect(statuses).toEqual([400, 400, 400, 429])
}
let guessers = 1

test('one address gets ten guesses at one account, and its owner comes in from another', async () => {
  for (let i = 0; i < 10; i++) expect((await signIn('192.0.2.1', 'x')).status).toBe(400)
  const refused = await signIn('192.0.2.1')
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await signIn('192.0.2.2')).status).toBe(303)
})

test('all addresses together get some more, and then a device that signed in before is let in all the same', async () => {
  const device = deviceIn(await signIn('192.0.2.10'))
  expect(device).not.toBe('')
  await w.rows('delete from rate_limits')
  await guessFromEverywhere()
  expect((await signIn('192.0.2.11')).status).toBe(429)
  expect((await signIn('192.0.2.11', PASSWORD, device)).status).toBe(303)
})

test('a device that is known gets ten guesses, from wherever', async () => {
  const device = deviceIn(await signIn('192.0.2.20'))
  const statuses = []
  for (let i = 0; i < 12; i++) statuses.push((await signIn(`192.0.2.${21 + i}`, 'x', device)).status)
  expect(statuses).toEqual([...Array<number>(10).fill(400), 429, 429])
})

test('a device is known for the account that it signed in to, under its present password', async () => {
  const device = deviceIn(await signIn('192.0.2.40'))
  await w.rows('delete from rate_limits')
  await guessFromEverywhere()
  for (const other of [`${device}x`, device.replace(/.$/, ''), 'x.y', '']) {
    expect((await signIn('192.0.2.41', PASSWORD, other)).status).toBe(429)
  }
  await setPassword(w.deps, email, `${PASSWORD} anew`)
  expect((await signIn('192.0.2.41', `${PASSWORD} anew`, device)).status).toBe(429)
})

test('who sets a new password by a mail comes in while others guess', async () => {
  await guessFromEverywhere()
  const reset = await createPasswordReset(w.deps, email)
  const answered = await send(`/reset-password/${reset?.token}`, { password: `${PASSWORD} anew` }, '192.0.2.50')
  expect(answered.status).toBe(303)
  expect((await signIn('192.0.2.50', `${PASSWORD} anew`, deviceIn(answered))).status).toBe(303)
})

test('a browser in which a password is changed is known by the new one', async () => {
  const entered = await enter(w.deps, email, PASSWORD)
  if (entered.kind !== 'in') throw new Error('a code is asked for')
  const { session } = entered
  const wanted = `${PASSWORD} anew`
  const answered = await fetch(`${w.direct}/account/password`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `dogwatch-session=${session}` },
    body: new URLSearchParams({ present: PASSWORD, wanted, csrf: csrfToken(session, org_id, systemRandom) }),
  })
  expect(answered.status).toBe(303)
  await guessFromEverywhere()
  expect((await signIn('192.0.2.60', wanted, deviceIn(answered))).status).toBe(303)
})

test('an address has its limit however a database may fold its letters', async () => {
  email = `mimi-${email}`
  await guessFromEverywhere()
  for (const written of [email.toUpperCase(), email.replace('i', 'İ'), email.replaceAll('i', 'İ')]) {
    email = written
    expect([written, (await signIn('192.0.2.70', 'x')).status]).toEqual([written, 429])
  }
})

test('an address that nobody has is limited like one that somebody has', async () => {
  await guessFromEverywhere()
  email = `nobody-${email}`
  await guessFromEverywhere()
})

test('whoever has a whole /48 of IPv6 gets four times what one address gets', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 45; n++)
    statuses.push((await send('/sign-up', { email: '', password: '', org_name: '' }, `2001:db8:7:${n}::1`)).status)
  expect(statuses.indexOf(429)).toBe(40)
  expect((await send('/sign-up', { email: '', password: '', org_name: '' }, '2001:db8:8::1')).status).toBe(400)
})
