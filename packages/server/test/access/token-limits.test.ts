// The account API's limits by token.

import { document } from '@dogwatch/contract/account'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { closed } from '../../../api/test/support/closed-document.ts'
import { ACCOUNT, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ account_api: { contract: closed(document), validateResponses: true } })
})
afterAll(() => w.close())

const get = (path: string, token: string) => w.http.get(`${ACCOUNT}${path}`).set('Authorization', `Bearer ${token}`)
const burst = async (path: string, token: string, n: number) =>
  (await Promise.all(Array.from({ length: n }, () => get(path, token)))).map(({ status }) => status)
/** Uses up what the token may ask for: however slow the machine is, there is an end of it. */
const refuse = async (token: string) => {
  while (!(await burst('/checks', token, 40)).includes(429));
}
const count = (statuses: number[], status: number) => statuses.filter((one) => one === status).length

test('a token has 20 requests at once and then about 5 a second, whatever the route; another token is not touched', async () => {
  const org = await w.org()
  const [token, other] = [await w.pat(org), await w.pat(org)]
  const begun = performance.now()
  const statuses = [...(await burst('/checks', token, 15)), ...(await burst('/settings', token, 15))]
  const most = 20 + Math.ceil(((performance.now() - begun) / 1000) * 5) + 1
  expect(count(statuses, 200)).toBeGreaterThanOrEqual(20)
  expect(count(statuses, 200)).toBeLessThanOrEqual(most)
  expect(count(statuses, 200) + count(statuses, 429)).toBe(30)
  expect((await get('/checks', other)).status).toBe(200)
})

test('a refusal is text with a Retry-After of whole seconds, before any look at what was asked for', async () => {
  const token = await w.pat(await w.org())
  await refuse(token)
  const refused = await get('/checks/nonsense/results?after=nonsense', token)
  expect({ status: refused.status, text: refused.text }).toEqual({ status: 429, text: 'rate limit exceeded' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(Number.isInteger(Number(refused.headers['retry-after']))).toBe(true)
})

test('an export besides that passes twice, and then once a minute', async () => {
  const org = await w.org()
  const token = await w.pat(org)
  expect(await burst('/export', token, 4).then((statuses) => statuses.sort())).toEqual([200, 200, 429, 429])
  const refused = await get('/export', token)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  // The other routes go on, and so does another token's export.
  expect((await get('/checks', token)).status).toBe(200)
  expect((await get('/export', await w.pat(org))).status).toBe(200)
})

test('exports count against the token limit too', async () => {
  const token = await w.pat(await w.org())
  await refuse(token)
  expect((await get('/export', token)).status).toBe(429)
})
