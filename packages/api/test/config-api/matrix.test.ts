// Who may do what by the configuration API: each operation of the document with each scope and each kind of credential.

import { document, type operations } from '@dogwatch/contract/config'
import { SCOPES } from '@dogwatch/domain/configuration/scopes'
import { newToken } from '@dogwatch/runtime/tokens'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { configToken, configurator, type Method } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'
import { SAMPLES, type Sample } from './samples.ts'

interface Operation {
  operationId: keyof operations
  'x-scope': string
}
const OPERATIONS = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, 'x-scope': scope }]) => ({
    name: `${method} ${path}`,
    method: method as Method,
    path,
    operationId,
    scope,
  })),
)

/** Which scopes suffice for what the document asks for. */
function sufficientFor(scope: string): readonly string[] {
  const [subject, kind] = scope.split(':')
  if (scope === 'read') return SCOPES
  // It has addresses of people.
  if (scope === 'audit:read') return [scope]
  // Tokens that scrape have it, from before it had a scope of its own.
  if (scope === 'metrics:read') return ['read', 'write', scope, 'checks:read', 'checks:write']
  if (kind === 'read') return ['read', 'write', `${subject}:read`, `${subject}:write`, `${subject}:ack`]
  if (kind === 'ack') return ['write', `${subject}:write`, `${subject}:ack`]
  return ['write', `${subject}:write`]
}

let w: World
let org: Org
/** A token for each scope. */
const tokens = new Map<string, string>()
/** Credentials that are for something else, and texts that are none. */
let others: string[]
beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  for (const scope of SCOPES) tokens.set(scope, await configToken(w, org, { scopes: [scope] }))
  const { key } = await w.monitor(org)
  others = [await w.pat(org), key, newToken('cfg', w.deps.random), 'dogwatch_cfg_x', await w.token(org)]
})
afterAll(() => w.close())

function send(token: string, method: Method, path: string, { path: names = {}, query = {}, body }: Sample) {
  const filled = Object.entries(names).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
  const asked = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`
  return configurator(w, token)(method, `${filled}${asked}`, body)
}

describe.each(OPERATIONS)('$name', ({ method, path, operationId, scope }) => {
  test('is done for the scopes that suffice, and for no other', async () => {
    const refused = await SAMPLES[operationId](w, org)
    for (const [given, token] of tokens) {
      const isEnough = sufficientFor(scope).includes(given)
      const answer = await send(token, method, path, isEnough ? await SAMPLES[operationId](w, org) : refused)
      const seen = answer.status < 300 ? 'done' : `${answer.status} ${answer.text}`
      expect(`${given}: ${seen}`).toBe(`${given}: ${isEnough ? 'done' : `403 this operation needs the scope ${scope}`}`)
    }
  })

  test('finds nothing of another organisation', async () => {
    if (!path.includes('{')) return
    const sample = await SAMPLES[operationId](w, await w.org('team'))
    const before = await w.rows('select xmin::text, * from checks order by check_id')
    const answer = await send(tokens.get('write') ?? '', method, path, sample)
    expect(answer.status).toBe(404)
    expect(answer.text).toMatch(/^no \S+(?: \S+)? with that /)
    expect(await w.rows('select xmin::text, * from checks order by check_id')).toEqual(before)
  })

  test('refuses every other kind of credential alike', async () => {
    const sample = await SAMPLES[operationId](w, org)
    for (const token of others) {
      const answer = await send(token, method, path, sample)
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    }
  })
})
