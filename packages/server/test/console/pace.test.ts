// A person has one budget of pages, from however many addresses they come.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSession } from '../../src/domain/people/sessions.ts'
import { requestFrom } from '../support/from-address.ts'
import { type Org, type World, world } from '../support/world.ts'

/** Nothing comes back while the test runs. */
const RATE = { per_sec: 1 / 3600, burst: 3 }

let w: World
beforeAll(async () => {
  w = await world({ address_limit: RATE })
})
afterAll(() => w.close())

async function pagesOf(
  org: Org,
): Promise<(address: string, path?: string) => Promise<{ status: number; body: string }>> {
  const cookie = `dogwatch-session=${await openSession(w.deps, org.owner_id, org.org_id)}`
  return (address, path = '/checks') => requestFrom(address, `${w.direct}${path}`, { headers: { cookie } })
}

test('pages and forms of one person are counted together, and others have their own', async () => {
  const [greedy, honest] = [await w.org(), await w.org()]
  const ask = await pagesOf(greedy)
  for (const host of [1, 2, 3]) expect((await ask(`127.0.4.${host}`)).status).toBe(200)
  const refused = await ask('127.0.4.4')
  expect(refused.status).toBe(429)
  expect(refused.body).toContain('You asked for too many pages in a short time')
  // Another session of the same person brings nothing.
  expect((await (await pagesOf(greedy))('127.0.4.5', '/settings')).status).toBe(429)
  expect((await (await pagesOf(honest))('127.0.4.6')).status).toBe(200)
})
