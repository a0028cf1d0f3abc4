// Ten thousand definitions with hostile targets and fields: every refusal is a line that names the field, and no answer is a 5xx. SEED=n
// makes other ones, DEFINITIONS=n as many. `npm run prove -- hostile` also runs those that are accepted.

import { readCheck } from '@dogwatch/domain/checks/check'
import { DomainError } from '@dogwatch/domain/errors'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dice, seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { hostileDefinition } from '../support/hostile-definitions.ts'
import { type World, world } from '../support/world.ts'

const COUNT = Number(process.env.DEFINITIONS ?? 10_000)
const [REQUESTS, AT_ONCE] = [10, 100]

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const FAULT = /^check\.[a-z_]{2,30}(?:\[(?:\d{1,2}|"[^\n]{0,400}")\](?:\.(?:on|at|is|value))?)? [a-z][^\n]{5,400}$/

function refusalOf(entry: unknown): string | undefined {
  try {
    readCheck('check', entry)
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

test('hostile definitions are refused in a line that names the field', () => {
  const d = dice(seedFromEnvironment())
  const lines = Array.from({ length: COUNT }, () => refusalOf(hostileDefinition(d)))
  const refused = lines.filter((line) => line !== undefined)
  tell('hostile definitions', { refused: refused.length, accepted: COUNT - refused.length })
  expect(refused.filter((line) => !FAULT.test(line)).slice(0, 3)).toEqual([])
  expect(refused.length).toBeGreaterThan(COUNT / 4)
  expect(refused.length).toBeLessThan(COUNT)
})

test('a server refuses them without a 5xx, and stores nothing', async () => {
  const d = dice(seedFromEnvironment() + 1)
  const org = await w.org()
  const ask = configurator(w, await configToken(w, org))
  for (let sent = 0; sent < REQUESTS; sent++) {
    const bodies = Array.from({ length: AT_ONCE }, () => hostileDefinition(d))
    const changes = bodies.map((body, index) => ({ action: 'put', kind: 'check', key: `k${index}`, body }))
    const { status, text } = await ask('post', '/bulk', { changes })
    expect([sent, status, text.includes('\n')]).toEqual([sent, 400, false])
    expect(text).toMatch(/^changes\[\d{1,3}\]\.body\.[a-z_]+/)
  }
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
})
