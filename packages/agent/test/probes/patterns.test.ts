// Patterns see all of what is judged, however long that takes, and keep no other check waiting.
import { expect, test } from '@jest/globals'
import { Lane } from '../../src/matching/pattern-lane.ts'
import { search } from '../../src/matching/pattern-search.ts'
import { OwnTrouble } from '../../src/process/own-trouble.ts'
import { run, verdict } from '../support/checks.ts'
import { heldUp } from '../support/held-up.ts'
import { lettersOf } from '../support/letters.ts'
import { ok, serveHttp } from '../support/servers.ts'

const MIB = 1024 ** 2
/** Takes ten seconds and more for a mebibyte of these letters. */
const SLOW = 'a[ab]{900}[cd]'
const TOO_COSTLY = { success: false, error: 'config: the pattern is too costly for this body' }
const letters = lettersOf(MIB)

const serve = (body: string) => serveHttp((_req, res) => res.end(body))
const asks = (match_mode: string, match_string: string) => ({ match_mode, match_string, timeout_sec: 60 })

test.each([
  ['<title>[^<]*Shop[^<]*</title>', '<title>My Shop</title>'],
  ['(?i)(error|fatal|panic|exception){1,30} code', ' error code'],
  ['ERR-\\d{3}-[A-Z]{20,40}|MAINTENANCE', ' MAINTENANCE'],
  [`(?:${'x'.repeat(900)}|end$)`, 'end'],
])('what stands at the end of the longest body is seen: %s', async (pattern, end) => {
  const url = await serve('-'.repeat(MIB - end.length) + end)
  expect(await verdict(url, asks('regex', pattern))).toBe('ok 200')
  expect(await verdict(url, asks('not_regex', pattern))).toBe('match 200')
  const without = await serve('-'.repeat(MIB))
  expect(await verdict(without, asks('regex', pattern))).toBe('match 200')
  expect(await verdict(without, asks('not_regex', pattern))).toBe('ok 200')
})

test('a pattern that takes too long is a fault of the check, whatever is asked for and whether it is inverted', async () => {
  const found = await run(await serve(letters), { ...asks('not_regex', SLOW), invert_result: true })
  expect(found).toMatchObject(TOO_COSTLY)
})

test('a pattern that makes a large program is compiled where nobody waits, and one that is none is told', async () => {
  const url = await serve('abc')
  expect(await verdict(url, asks('regex', `${'[a-c]{900}'.repeat(3)}|abc`))).toBe('ok 200')
  for (const none of [`${'a'.repeat(900)}(`, 'a(']) {
    const { error } = await run(url, asks('regex', none))
    expect(error).toBe('config: the match_string is not a valid regular expression (RE2 syntax)')
  }
})

test.each([
  [
    '((a*)*' + 'b'.repeat(980) + '){1000}',
    /^config: the match_string must be a simpler regular expression with smaller repeat counts; /,
  ],
  [`abc|${'a'.repeat(1001)}`, /^config: the match_string must be a regular expression of at most 1000 characters$/],
])('a pattern that is too large is compiled nowhere: %#', async (pattern, words) => {
  const found = await run('http://127.0.0.1:9/', asks('regex', pattern))
  expect(found).toMatchObject({ success: false, kind: 'config', error: expect.stringMatching(words) })
})

test('while slow patterns are looked for, other checks get on: also those with patterns', async () => {
  const [slow, fine] = [await serve(letters), await serveHttp(ok)]
  const long = await serve('-'.repeat(MIB))
  let verdicts: string[] = []
  let [slowDone, slowDoneBefore] = [0, 0]
  expect(await run(slow, asks('regex', SLOW))).toMatchObject(TOO_COSTLY)
  const longest = await heldUp(async () => {
    const slowly = Array.from({ length: 2 }, async () => {
      await run(slow, asks('regex', SLOW))
      slowDone += 1
    })
    verdicts = await Promise.all([
      verdict(fine, { match_string: 'well', timeout_sec: 60 }),
      verdict(long, asks('not_regex', '<b>[^<]*</b>')),
    ])
    slowDoneBefore = slowDone
    await Promise.all(slowly)
  })
  expect(verdicts).toEqual(['ok 200', 'ok 200'])
  expect(slowDoneBefore).toBeLessThan(2)
  // Either of them in this thread would take ten seconds.
  expect(longest).toBeLessThan(1000)
})

test('a quick pattern that waits for a slow one is not taken for slow itself', async () => {
  const stop = new AbortController()
  const slow = (signal?: AbortSignal) =>
    search({ pattern: SLOW.replace('900', '899'), text: letters, left_ms: 60_000, signal })
  const quick = () => search({ pattern: 'a[ab]b', text: 'aab', left_ms: 60_000 })
  expect(await Promise.all([slow(), quick()])).toEqual(['too_costly', true])
  const again = slow(stop.signal)
  const first = await Promise.race([again.then(() => 'slow'), quick().then(() => 'quick')])
  stop.abort(new Error('enough'))
  await again.catch(() => undefined)
  expect(first).toBe('quick')
})

test('what had no turn in its time has no result', async () => {
  const lane = new Lane()
  const question = { pattern: SLOW, text: letters }
  const job = { left_ms: 60_000, budget_ms: 500 }
  const first = lane.ask(question, job)
  const late = lane.ask(question, { ...job, left_ms: 10 })
  await expect(late).rejects.toBeInstanceOf(OwnTrouble)
  expect(await first).toBe('too_costly')
})

test('a search ends when its run is ended', async () => {
  const stop = new AbortController()
  const searching = search({ pattern: SLOW, text: letters, left_ms: 60_000, signal: stop.signal })
  const reason = new Error('stopping')
  stop.abort(reason)
  await expect(searching).rejects.toBe(reason)
})
