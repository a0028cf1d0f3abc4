// Definitions are sent whole to whoever reads or runs them: an organisation may have so many bytes of them, and no more.

import { createCheck, editCheck } from '@dogwatch/domain/checks/create-or-edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { previewImport } from '@dogwatch/domain/checks/preview'
import { setPlan } from '@dogwatch/domain/organisations/organisation'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())
beforeEach(async () => {
  org = await w.org('free')
})

const KIB_64 = 65_536
const entry = (post_data: string) => ({ name: 'shop', url: 'https://example.com/', interval_sec: 300, post_data })
const by = () => ({
  org_id: org.org_id,
  actor: { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null },
})
const make = (post_data: string) => createCheck(w.deps, by(), entry(post_data), 'all')
/** Of the free plan: 256 KiB, and 16 for each of its ten checks. */
const REFUSAL = /^the free plan allows 416 KiB for all check definitions together, but this change would need \d+ KiB;/

test('a few checks may be large, and not all of them', async () => {
  for (let n = 0; n < 6; n++) await make('x'.repeat(KIB_64))
  await expect(make('x'.repeat(KIB_64))).rejects.toThrow(REFUSAL)
  await make('')
  const file = Array.from({ length: 2 }, () => entry('x'.repeat(KIB_64)))
  await expect(importChecks(w.deps, org.org_id, file)).rejects.toThrow(REFUSAL)
})

test('characters count as long as they are written', async () => {
  await make('\u0001'.repeat(KIB_64))
  await expect(make('\u0001'.repeat(KIB_64))).rejects.toThrow(REFUSAL)
})

test('what is beyond the limit after a downgrade may shrink, and not grow', async () => {
  await setPlan(w.deps, org.org_id, 'team')
  const guids: string[] = []
  for (let n = 0; n < 8; n++) guids.push((await make('x'.repeat(KIB_64))).guid)
  await setPlan(w.deps, org.org_id, 'free')
  const [guid = ''] = guids
  await editCheck(w.deps, by(), guid, entry('x'.repeat(100)), 'all')
  await expect(editCheck(w.deps, by(), guid, entry('x'.repeat(1000)), 'all')).rejects.toThrow(REFUSAL)
})

test('a file with far more checks than the plan allows is refused unread', async () => {
  const file = Array.from({ length: 21 }, () => 'no check')
  const line = 'the free plan allows 10 checks, but the file contains 21'
  await expect(previewImport(w.deps, org.org_id, file)).rejects.toThrow(line)
  await expect(importChecks(w.deps, org.org_id, file)).rejects.toThrow(line)
  await expect(previewImport(w.deps, org.org_id, file.slice(1))).rejects.toThrow('[0] must be an object')
})
