// While a check is changed, everybody who changes one waits: what other checks of the organisation hold is not read meanwhile.
import { randomBytes } from 'node:crypto'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { createCheck, editCheck } from '@dogwatch/domain/checks/create-or-edit'
import { measureDefinitions } from '@dogwatch/domain/checks/definition-size'
import { readDeletions, restoreChecks, UNDO_MS } from '@dogwatch/domain/checks/deletions'
import { finishDeletions } from '@dogwatch/domain/checks/finish-deletions'
import { importChecks } from '@dogwatch/domain/checks/import'
import { wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { together } from '@dogwatch/domain/configuration/together'
import type { Deps } from '@dogwatch/domain/deps'
import { sumDefinitionBytes } from '@dogwatch/store/checks/checks'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { DefaultQueryExecutor, sql } from 'kysely'
import { liveOn } from '../retention/rows.ts'
import { type Org, type World, world } from '../support/world.ts'

const CHECKS = 40
/** So large that it is stored apart from its row, in pieces of 2 KB. */
const BODY = 32_768

let w: World
let org: Org
let guids: string[]
beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  guids = (
    await importChecks(
      w.deps,
      org.org_id,
      Array.from({ length: CHECKS }, () => entry(body())),
    )
  ).guids
})
afterAll(() => w.close())

const body = () => randomBytes((BODY / 4) * 3).toString('base64')
const entry = (post_data: string) => ({ name: 'shop', url: 'https://example.com/', interval_sec: 300, post_data })
const by = () => ({
  org_id: org.org_id,
  actor: { person_id: org.owner_id, email: 'owner@example.com', impersonator_email: null },
})

/** Counts the pieces of large values that a change reads, of whatever check. */
async function piecesReadBy(change: (inner: Deps) => Promise<unknown>): Promise<number> {
  return together(w.deps, async (inner, trx) => {
    await change(inner)
    const { rows } = await sql<{ pieces: number }>`
      select idx_tup_fetch::integer as pieces from pg_stat_xact_all_tables
      where relid = (select reltoastrelid from pg_class where oid = 'checks'::regclass)`.execute(trx)
    return rows[0]?.pieces ?? 0
  })
}

/** Half of what reading each check once would take. What is changed itself is read several times. */
const FEW = ((CHECKS / 2) * BODY) / 2000

describe('reads no definition of other checks:', () => {
  test('creating a check', async () => {
    expect(await piecesReadBy((inner) => createCheck(inner, by(), entry('small'), 'all'))).toBeLessThan(FEW)
  })

  test('editing a check', async () => {
    const edit = (inner: Deps) => editCheck(inner, by(), guids[0] ?? '', entry(body()), 'all')
    expect(await piecesReadBy(edit)).toBeLessThan(FEW)
  })

  test('importing one check that is there', async () => {
    const file = [{ ...entry(body()), guid: guids[1] }]
    expect(await piecesReadBy((inner) => importChecks(inner, org.org_id, file))).toBeLessThan(FEW)
  })

  test('bringing a deleted check back', async () => {
    const restore = async (inner: Deps) => {
      await changeChecks(inner, by(), [guids[2] ?? ''], { kind: 'delete' })
      const [deletion] = await readDeletions(inner, org.org_id)
      await restoreChecks(inner, by(), deletion?.batch_id ?? '')
    }
    expect(await piecesReadBy(restore)).toBeLessThan(FEW)
  })
})

/** Lists the statements that work sends. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent = jest.spyOn(DefaultQueryExecutor.prototype, 'executeQuery')
  try {
    await work()
    return sent.mock.calls.map(([{ sql }]) => sql)
  } finally {
    sent.mockRestore()
  }
}

describe('sends as many statements for many checks as for a few, until it is stored:', () => {
  // Every second one is there already.
  const fileOf = (count: number, url = 'https://example.com/') =>
    Array.from({ length: count }, (_, n) => ({
      ...(url === '' ? { name: 'shop', restricted: true, interval_sec: 300 } : entry('')),
      url,
      ...(n % 2 === 0 && { guid: guids[n] }),
    }))
  const statementsFor = async (file: object[]) => {
    let count = 0
    await together(w.deps, async (inner) => {
      count = (await statementsOf(() => importChecks(inner, org.org_id, file))).length
    })
    return count
  }

  test('an import', async () => {
    expect(await statementsFor(fileOf(20))).toBeLessThan((await statementsFor(fileOf(2))) + 3)
  })

  test('an import of private definitions', async () => {
    const few = await statementsFor(fileOf(2, ''))
    await importChecks(w.deps, org.org_id, fileOf(20))
    expect(await statementsFor(fileOf(20, ''))).toBeLessThan(few + 3)
  })
})

describe('what quotes a definition is looked for while nobody waits:', () => {
  test('when it is wiped', async () => {
    const { guid } = await createCheck(w.deps, by(), entry('secret'), 'none')
    await together(w.deps, async (inner) => {
      const sent = await statementsOf(() => wipeDefinition(inner, guid))
      expect(sent.filter((text) => /repeatable_answers|update (events|"audit_entries")/.test(text))).toEqual([])
    })
  })

  test('when its deletion is final', async () => {
    const { guid } = await createCheck(w.deps, by(), entry('secret'), 'none')
    await changeChecks(w.deps, by(), [guid], { kind: 'delete' })
    w.clock.forward(UNDO_MS / 1000 + 1)
    await liveOn(w)
    const sent = await statementsOf(() => finishDeletions(w.deps))
    const locked = sent.findIndex((text) => text.includes('sync_tick'))
    const rest = sent.slice(
      locked,
      sent.findIndex((text) => text.includes('delete from deleted_checks')),
    )
    expect(locked).toBeGreaterThan(0)
    expect(rest.filter((text) => text.includes('repeatable_answers'))).toEqual([])
    expect(sent.slice(0, locked).filter((text) => text.includes('repeatable_answers'))).toHaveLength(2)
  })
})

test('checks that are not measured are measured by a chore, and nobody is told that they changed', async () => {
  const sum = await sumDefinitionBytes(w.deps.database.people, org.org_id)
  const stamps = () => w.rows('select guid, updated_at::text from checks where org_id = $1 order by guid', org.org_id)
  const before = await stamps()
  await w.rows(`
    with measuring as (select set_config('dogwatch.is_measuring', 'yes', true))
    update checks set definition_bytes = null from measuring`)
  const older = await sumDefinitionBytes(w.deps.database.people, org.org_id)
  expect(await measureDefinitions(w.deps)).toBeGreaterThanOrEqual(CHECKS)
  const left = await w.rows('select guid from checks where definition_bytes is null')
  expect({ older, measured: await sumDefinitionBytes(w.deps.database.people, org.org_id), left }).toEqual({
    older: sum,
    measured: sum,
    left: [],
  })
  expect(await stamps()).toEqual(before)
})
