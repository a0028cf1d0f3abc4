// Rows that are deleted for their age pass the gate of deletions (domain/retention/gate.ts): a clock that is ahead for a moment erases
// nothing. The gate alone makes times of type GatedTime, and a statement that deletes by time takes one, or stands here with its reason.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { readHouse, type Source, sourceOf } from '../../../../scripts/testing/laws.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))

/** Declarations of the store that delete and compare times, and why they need not pass the gate. */
const UNGATED = new Map([
  ['store/accounts/pending-sign-ins.ts deletePending', 'uses up one sign-in that is going on, by its token'],
  ['store/checks/deletions.ts restoreDeletedChecks', 'a person undoes a deletion'],
  ['store/checks/unjudged.ts takeUnjudged', 'takes what it judges in the same transaction'],
  ['store/maintenance/spans.ts cutSpans', 'ends a window: deletes what has not begun, because a person says so'],
  ['store/maintenance/spans.ts deleteSpansFrom', 'plans a window again: deletes what has not begun'],
  ['store/maintenance/spans.ts endSpans', 'ends a window: deletes what begins at this instant'],
  ['store/processes/availability.ts TOUCH', 'a process that is alive writes its row again with its next report'],
  ['store/processes/clock-set-back.ts bringBackToNow', 'deletes what is later than now, which a wrong clock recorded'],
  ['store/processes/moved-times.ts moveBack', 'deletes days that are later than today, which a wrong clock recorded'],
  ['store/processes/rate-limits.ts deleteFullBuckets', 'a bucket without a row is full: one burst more, once'],
  ['store/status-histories.ts deleteOldHistories', 'a cache: the next visitor has it computed again'],
])

const DELETES = /\bdelete from\b|\bdelete(?:From|Some)\(/
const COMPARES =
  /[<>]=?\s*(?:\(?\$\{\w+\}::timestamptz|\$\d+::timestamptz|\$\{most\}|now\(\)|clock_timestamp\(\)|database_time\(\))|'[<>]=?', sql<string>|\binterval '/

/** Names the declarations of a source that delete rows by a time that did not pass the gate. */
function findUngated({ path, text }: Source): string[] {
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const parts = code.split(/^(?=(?:export )?(?:async )?(?:function|const|interface|type|class) )/m)
  return parts.flatMap((part) => {
    const name = /^(?:export )?(?:async )?(?:function|const|class) (\w+)/.exec(part)?.[1]
    const isGated = /\bGatedTime\b|\bPruner?\b/.test(part)
    return name && !isGated && DELETES.test(part) && COMPARES.test(part) ? [`${path} ${name}`] : []
  })
}

const sources = readHouse(PACKAGES)
const store = sources.filter(({ path }) => path.startsWith('store/'))

test('every deletion by age passes the gate', () => {
  expect(store.length).toBeGreaterThan(100)
  expect(store.flatMap(findUngated).sort()).toEqual([...UNGATED.keys()].sort())
})

test('the gate alone makes times for deletions', () => {
  const makers = sources.filter(({ text }) => /\bgatedTime\(|\bas GatedTime\b/.test(text)).map(({ path }) => path)
  expect(makers.sort()).toEqual(['domain/retention/gate.ts', 'domain/retention/prune.ts', 'store/gated-time.ts'])
})

test('the law finds what breaks it, and nothing else', () => {
  const old = 'await sql`delete from spans where ends_at < ${before}::timestamptz`.execute(db)'
  const found = [
    sourceOf('a.ts', `export async function deleteOld(db: Db, before: string) {\n  ${old}\n}\n`),
    sourceOf('b.ts', `export async function deleteOld(db: Db, before: GatedTime) {\n  ${old}\n}\n`),
    sourceOf(
      'c.ts',
      "export async function remove(db: Db) {\n  await db.deleteFrom('spans').where('id', '=', id).execute()\n}\n",
    ),
    sourceOf(
      'd.ts',
      "export async function forget(db: Db) {\n  await db.deleteFrom('s').where('at', '<', sql<string>`x`).execute()\n}\n",
    ),
  ].flatMap(findUngated)
  expect(found).toEqual(['a.ts deleteOld', 'd.ts forget'])
})
