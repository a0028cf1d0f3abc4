// A large form costs as much as some tens of pages: a person sends a few at once.

import { openSession } from '@dogwatch/domain/people/sessions'
import { systemRandom } from '@dogwatch/runtime/random'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { expectBurst } from '../../../api/test/support/burst.ts'
import { csrfToken } from '../../../console/src/csrf.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ address_limit: { per_sec: 1000, burst: 1000 } })
})
afterAll(() => w.close())

async function importerOf(org: Org): Promise<(chars: number) => Promise<{ status: number; text: string }>> {
  const session = await openSession(w.deps, org.owner_id, org.org_id)
  return (chars) =>
    w.http
      .post('/checks/import')
      .set('Cookie', `dogwatch-session=${session}`)
      .type('form')
      .send({ csrf: csrfToken(session, org.org_id, systemRandom), who: 'keep', file: 'x'.repeat(chars) })
}

test('large forms of one person are counted beside their pages, and nobody else pays for them', async () => {
  const greedy = await importerOf(await w.org())
  let refused = { status: 0, text: '' }
  const send = async (): Promise<number> => {
    refused = await greedy(100_000)
    return refused.status
  }
  await expectBurst(send, { burst: 10, refill_sec: 5, status: 400 })
  expect({ status: refused.status, isTold: refused.text.includes('too many large forms') }).toEqual({
    status: 429,
    isTold: true,
  })
  expect((await greedy(1000)).status).toBe(400)
  expect((await (await importerOf(await w.org()))(100_000)).status).toBe(400)
})
