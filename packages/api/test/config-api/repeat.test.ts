// Requests with an Idempotency-Key, repeated, at once and with other bodies, in whatever order: each is carried out once.

import { updateAnswersWiped } from '@dogwatch/store/accounts/repeatable-answers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { configToken, configurator } from '../support/config-api.ts'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

interface Request {
  key: string
  path: '/checks' | '/bulk'
  name: string
}

const REQUEST = fc.record<Request>({
  key: fc.constantFrom('k1', 'k2'),
  path: fc.constantFrom('/checks', '/bulk'),
  name: fc.constantFrom('a', 'b'),
})
/** What is sent at once, and then what is sent after it was answered. */
const ROUNDS = fc.array(fc.array(REQUEST, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })

function bodyOf({ path, name }: Request): object {
  const check = { name, url: 'https://example.com/', interval_sec: 60 }
  // Without a key of its own, each time that it is carried out makes another check.
  if (path === '/checks') return check
  return { changes: [{ action: 'put', kind: 'check', key: `${name}-1`, body: check }] }
}

test('answers that are sealed are left alone when those about a check are blanked', async () => {
  const org = await w.org()
  const ask = configurator(w, await configToken(w, org))
  const send = () => ask('post', '/enrollment-tokens', {}, { 'Idempotency-Key': 'sealed' })
  const first = await send()
  const [kept] = await w.rows('select body from repeatable_answers where org_id = $1', org.org_id)
  const guid = String(kept?.body).slice(0, 8)
  await updateAnswersWiped(w.deps.database.people, { org_id: org.org_id, guids: [guid] }, ['url'])
  expect([first.status, (await send()).text]).toEqual([201, first.text])
})

test('each key stands for one request, which is carried out once and answered alike', async () => {
  const property = fc.asyncProperty(ROUNDS, async (rounds) => {
    const org = await w.org()
    const ask = configurator(w, await configToken(w, org))
    const known = new Map<string, { asked: string; text: string }>()
    for (const round of rounds) {
      const answers = await Promise.all(
        round.map(async (request) => {
          const answer = await ask('post', request.path, bodyOf(request), { 'Idempotency-Key': request.key })
          return { request, asked: JSON.stringify([request.path, request.name]), answer }
        }),
      )
      for (const { request, asked, answer } of answers) {
        if (answer.status < 300) {
          const before = known.get(request.key)
          if (before) expect({ asked, text: answer.text }).toEqual(before)
          known.set(request.key, { asked, text: answer.text })
        }
      }
      for (const { request, asked, answer } of answers) {
        if (answer.status < 300) continue
        expect([answer.status, answer.text]).toEqual([
          409,
          'this idempotency-key was already used for a different request',
        ])
        expect(known.get(request.key)?.asked).not.toBe(asked)
      }
    }
    const made = [...known.values()].map(({ asked }) => JSON.parse(asked) as [string, string])
    // The same name in bulk is the same check.
    const bulk = new Set(made.filter(([path]) => path === '/bulk').map(([, name]) => name))
    const single = made.filter(([path]) => path === '/checks')
    expect(await w.rows('select from checks where org_id = $1', org.org_id)).toHaveLength(bulk.size + single.length)
  })
  await fc.assert(property, { numRuns: 6 })
})

test('a request whose answer cannot be kept is not carried out, and one that was carried out keeps its answer', async () => {
  const org = await w.org()
  const ask = configurator(w, await configToken(w, org))
  const check = { name: 'a', url: 'https://example.com/', interval_sec: 60 }
  const first = await ask('post', '/checks', check, { 'Idempotency-Key': 'k1' })
  // As if answers of 32 MiB had been kept a moment ago.
  await w.rows(
    `insert into rate_limits values ($1, now() + interval '1 day') on conflict (key) do update set tat = excluded.tat`,
    `answers:${org.org_id}`,
  )
  const second = await ask('post', '/checks', { ...check, name: 'b' }, { 'Idempotency-Key': 'k2' })
  expect([second.status, second.text]).toEqual([
    429,
    expect.stringMatching(/^nothing was changed, because the stored responses .*32 MiB/),
  ])
  expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  const repeat = await ask('post', '/checks', check, { 'Idempotency-Key': 'k1' })
  expect([first.status, repeat.text]).toEqual([201, first.text])
  expect(await w.rows('select name from checks where org_id = $1', org.org_id)).toEqual([{ name: 'a' }])
  expect((await ask('post', '/checks', { ...check, name: 'c' })).status).toBe(201)
})
