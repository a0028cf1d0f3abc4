// Long answers are written in pieces, as fast as they are read; what validates requests is there before the first of them.
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { importChecks } from '@dogwatch/domain/checks/import'
import { createConfigurationToken } from '@dogwatch/domain/configuration/tokens'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js'
import { type ContractDocument, listRoutes } from '../../src/routes.ts'
import { compileValidators, contractValidator } from '../../src/validate.ts'
import { ACCOUNT, CONFIG, type Org, PREFIX, type World, world } from '../support/world.ts'

const DOCUMENTS: ContractDocument[] = [account, config, monitor]
const CHECKS = 40
const BODY = 'x'.repeat(20_000)

let w: World
let org: Org
let tokens: Record<string, string>
beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  const file = Array.from({ length: CHECKS }, (_, n) => {
    return { name: `check ${n}`, url: 'https://example.com/', interval_sec: 300, post_data: BODY }
  })
  await importChecks(w.deps, org.org_id, file, 'all')
  const wanted = { name: 'reader', scopes: ['read' as const, 'checks:secrets' as const] }
  const { key } = await w.monitor(org)
  tokens = {
    [CONFIG]: (await createConfigurationToken(w.deps, org.org_id, wanted)).token,
    [ACCOUNT]: await w.pat(org),
    [PREFIX]: key,
  }
})
afterAll(() => w.close())

const get = (prefix: string, path: string, headers = {}) =>
  w.http.get(`${prefix}${path}`).set('Authorization', `Bearer ${tokens[prefix]}`).set(headers)

describe.each([
  [CONFIG, '/checks?limit=500'],
  [ACCOUNT, '/checks'],
  [PREFIX, '/checks'],
])('%s%s', (prefix, path) => {
  test('is complete, and comes in pieces', async () => {
    const answer = await get(prefix, path, { 'Accept-Encoding': 'identity' })
    const body = answer.body as { checks: { post_data: string }[] } & { post_data: string }[]
    const checks = prefix === ACCOUNT ? body : body.checks
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(checks.map(({ post_data }) => post_data === BODY)).toEqual(Array.from({ length: CHECKS }, () => true))
    expect(answer.headers).toMatchObject({ 'transfer-encoding': 'chunked' })
  })

  test('answers HEAD without a body', async () => {
    const answer = await w.http.head(`${prefix}${path}`).set('Authorization', `Bearer ${tokens[prefix]}`)
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: undefined })
  })
})

test('a short answer says how long it is', async () => {
  const answer = await get(CONFIG, '/channels', { 'Accept-Encoding': 'identity' })
  expect(answer.headers).toHaveProperty('content-length')
})

test('every route has its validator before the first request, whatever type it names', async () => {
  const built = jest.spyOn(
    RequestValidator.prototype as unknown as {
      buildMiddleware(path: string, schema: unknown, type: unknown, key: string): unknown
    },
    'buildMiddleware',
  )
  // Copies, because validators are shared, and other files of this worker may have compiled those of the documents.
  for (const document of DOCUMENTS) contractValidator(structuredClone(document))
  await compileValidators()
  const before = built.mock.calls.length
  const keys = built.mock.calls.map(([, , , key]) => key)
  expect(keys.length).toBeGreaterThanOrEqual(DOCUMENTS.flatMap(listRoutes).length)
  expect(keys.filter((key) => key.startsWith('GET-') && !key.endsWith('-not_provided'))).toEqual([])
  for (const type of ['text/plain', 'application/json; n=1', 'application/json; n=2'])
    expect((await get(CONFIG, '/channels', { 'Content-Type': type })).status).toBe(200)
  expect((await w.http.post(`${CONFIG}/checks`).set('Authorization', `Bearer ${tokens[CONFIG]}`).send({})).status).toBe(
    403,
  )
  expect(built.mock.calls.length).toBe(before)
})
