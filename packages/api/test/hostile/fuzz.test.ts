// Whatever comes, the answer is one of those declared, in one line, and tells nothing. SEED=n sends other requests,
// REQUESTS=n as many.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { brokenRequest, type Credentials, hostileRequest, toBytes } from '../support/hostile-requests.ts'
import { exchange } from '../support/raw-http.ts'
import { faultOf } from '../support/refusals.ts'
import { type World, world } from '../support/world.ts'

const seed = seedFromEnvironment()
/** Each time the same ones, unless a seed is given. */
const COUNT = Number(process.env.REQUESTS ?? 1500)

let w: World
let port: number
let credentials: Credentials
beforeAll(async () => {
  // The documents are about the APIs; what pages answer is tried in test/console and test/browser.
  w = await world()
  port = Number(new URL(w.url).port)
  const org = await w.org()
  const { id, key } = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{}], [id])
  credentials = { key, guid, token: await w.token(org) }
})
afterAll(() => w.close())

test('no request that is HTTP gets an answer that the document does not declare', async () => {
  const seen: Record<number, number> = {}
  const property = fc.asyncProperty(hostileRequest(credentials), async (request) => {
    const { answers, rest, isStuck } = await exchange(port, [toBytes(request)], { isHead: request.method === 'HEAD' })
    expect({ stuck: isStuck, answers: answers.length }).toEqual({ stuck: false, answers: 1 })
    if (request.method !== 'HEAD') expect(rest.toString()).toBe('')
    for (const answer of answers) {
      expect(faultOf(answer, request, [credentials.key, credentials.token])).toBeUndefined()
      seen[answer.status] = (seen[answer.status] ?? 0) + 1
    }
  })
  await fc.assert(property, { seed, numRuns: COUNT, endOnFailure: true })
  tell('hostile requests', seen)
  // The generator reaches behind the gates.
  for (const status of [200, 400, 401, 404, 405])
    expect({ status, seen: seen[status] ?? 0 }).not.toEqual({ status, seen: 0 })
})

test('what is no HTTP gets a plain answer or none, and the server goes on', async () => {
  const seen: Record<number, number> = {}
  const property = fc.asyncProperty(brokenRequest(credentials), async (request) => {
    const { answers } = await exchange(port, [toBytes(request)], { patience_ms: 150 })
    for (const answer of answers) {
      expect(faultOf(answer, request, [credentials.key, credentials.token])).toBeUndefined()
      seen[answer.status] = (seen[answer.status] ?? 0) + 1
    }
    const { answers: pings } = await exchange(port, [toBytes(ping())])
    expect(pings).toMatchObject([{ status: 200 }])
  })
  await fc.assert(property, { seed, numRuns: Math.ceil(COUNT / 10), endOnFailure: true })
  tell('broken requests', seen)
})

function ping() {
  const headers = [['Authorization', `Bearer ${credentials.key}`]] as const
  return { method: 'GET', target: '/monitor-api/v1/ping', headers, body: Buffer.alloc(0) }
}
