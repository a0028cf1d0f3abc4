// Checks that are made and deleted again leave rows that agents are told of: there are so many a day.

import { createCheck } from '@dogwatch/domain/checks/create-or-edit'
import { importChecks } from '@dogwatch/domain/checks/import'
import { deleteCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { previewImport } from '@dogwatch/domain/checks/preview'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
beforeAll(async () => {
  w = await world()
  org = await w.org('free')
})
afterAll(() => w.close())

const ENTRY = { name: 'again', url: 'https://example.com/', interval_sec: 300 }
const actor = () => ({ person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null })

const make = () => createCheck(w.deps, { org_id: org.org_id, actor: actor() }, ENTRY, 'all')

async function importAsMember(): Promise<unknown> {
  const { token } = await previewImport(w.deps, org.org_id, [ENTRY])
  return importChecks(w.deps, org.org_id, [ENTRY], 'all', { actor: actor(), preview: token })
}

test('a member makes ten times as many checks in a day as the plan allows, and no more; deleting them makes no room', async () => {
  for (let n = 0; n < 10; n++) {
    for (const guid of await w.checks(
      org,
      Array.from({ length: 10 }, () => ({ interval_sec: 300 })),
    )) {
      await deleteCheck(w.deps, guid)
    }
  }
  const refusal = {
    kind: 'limited',
    message: 'this organisation can create at most 100 checks within a day; try again later',
  }
  await expect(make()).rejects.toMatchObject(refusal)
  await expect(importAsMember()).rejects.toMatchObject(refusal)
  expect(await w.rows('select from checks where org_id = $1 and not deleted', org.org_id)).toEqual([])
  // An operator still can, and another organisation has a day of its own.
  await w.checks(org, [{ interval_sec: 300 }])
  await w.checks(await w.org('free'), [{ interval_sec: 300 }])
  await w.rows("update checks set created_at = created_at - interval '1 day' where org_id = $1", org.org_id)
  await expect(make()).resolves.toMatchObject({ guid: expect.any(String) })
})
