import { expect, test } from '@jest/globals'
import { logFormat, logText, textLog } from './log-text.ts'

const TIME = new Date(2026, 10, 28, 9, 5, 7).getTime()
const line = (facts: object): string => `${JSON.stringify({ level: 30, time: TIME, ...facts })}\n`

test('a line says time, level, message and facts', () => {
  expect(logText(line({ pid: 7, hostname: 'h', role: 'all', waited_ms: 20, note: 'two words', msg: 'ready' }))).toBe(
    '09:05:07 INFO  ready role=all waited_ms=20 note="two words"\n',
  )
  expect(logText(line({ level: 40, event: 'disk_failed', code: 'EIO', free: null, in: ['a', 'b'] }))).toBe(
    '09:05:07 WARN  disk failed code=EIO free=null in=["a","b"]\n',
  )
})

test('an error says its message in the line, and its stack below', () => {
  const err = {
    name: 'Error',
    message: 'no room',
    code: 'ENOSPC',
    stack: 'Error: no room\n    at a (b.ts:1:2)\n    at c',
  }
  expect(logText(line({ level: 50, err, msg: 'a chore failed', chore: 'prune' }))).toBe(
    '09:05:07 ERROR a chore failed chore=prune name=Error message="no room" code=ENOSPC\n' +
      '      at a (b.ts:1:2)\n      at c\n',
  )
  expect(logText(line({ err: 'gone', msg: 'm' }))).toBe('09:05:07 INFO  m err=gone\n')
})

test('what a stranger wrote neither moves the cursor nor looks like another line or fact', () => {
  const text = logText(line({ path: '/\u001B[2J\u009B1m\u202E', agent: 'x=1 ok=yes', msg: 'a\nb' }))
  expect(text).toBe('09:05:07 INFO  a\\u{a}b path=/\\u{1b}[2J\\u{9b}1m\\u{202e} agent="x=1 ok=yes"\n')
})

test('a line that is no JSON stays as it is', () => {
  expect(logText('dogwatch: ready\n')).toBe('dogwatch: ready\n')
  const written: string[] = []
  textLog({ write: (text: string) => written.push(text) }).write(line({ msg: 'm' }))
  expect(written).toEqual(['09:05:07 INFO  m\n'])
})

test('people who watch a terminal read text, and everything else reads JSON, unless a setting says otherwise', () => {
  expect([logFormat(undefined, true), logFormat(undefined, false), logFormat(undefined, undefined)]).toEqual([
    'text',
    'json',
    'json',
  ])
  expect([logFormat('json', true), logFormat('text', false)]).toEqual(['json', 'text'])
})
