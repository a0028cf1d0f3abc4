import { textLog } from '@dogwatch/check-rules/log-text'
import { describe, expect, test } from '@jest/globals'
import { createLog, describeError, withoutSecrets } from './log.ts'

describe('what is logged holds no secret', () => {
  test.each([
    ['a password in a url', 'postgres://app:hunter2@db.example/x', 'postgres://app:...@db.example/x'],
    ['a password that holds an @', 'smtp://u:p@ss@mail.example', 'smtp://u:...@mail.example'],
    ['each url of several', 'a://b:c@d e://f:g@h', 'a://b:...@d e://f:...@h'],
    ['a url without a password', 'https://shop.example:8443/@me', 'https://shop.example:8443/@me'],
    ['one of our tokens', '/ping/dogwatch_beat_0aZ9/fail', '/ping/dogwatch_beat_.../fail'],
    ['a connection string', "host=db password='hun ter2' user=app", 'host=db password=... user=app'],
    ['a credential', 'Authorization: Bearer abc.def', 'Authorization: Bearer ...'],
  ])('%s', (_, given, want) => {
    expect(withoutSecrets(given)).toBe(want)
  })
})

test('text holds no secret that the JSON does not hold', () => {
  const lines: string[] = []
  const log = createLog('info', textLog({ write: (line) => lines.push(line) }))
  const err = new Error('no way to postgres://app:hunter2@db.example/x')
  log.error({ err, token: 'hunter2', at: { headers: ['hunter2'] }, path: '/ping/dogwatch_beat_0aZ9' }, 'a chore failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d ERROR a chore failed token=\[Redacted\] .*path=\/ping\/dogwatch_beat_\.\.\. /,
  )
  expect(lines[0]).toContain('message="no way to postgres://app:...@db.example/x"')
  expect(lines[0]).not.toContain('hunter2')
})

test('a long text is cut before anything is looked for in it, and says how long it was', () => {
  const text = withoutSecrets('a.'.repeat(50_000))
  expect(text.length).toBeLessThan(8_300)
  expect(text).toMatch(/\.\.\. \(100000 characters\)$/)
})

test('an error that carries what a stranger sent is described in bounded space', () => {
  const error = new Error('%'.repeat(1_000_000), { cause: new Error('b:'.repeat(500_000)) })
  expect(JSON.stringify(describeError(error)).length).toBeLessThan(40_000)
})
