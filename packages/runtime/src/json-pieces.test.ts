import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isLongJson, jsonPieces, lazyList } from './json-pieces.ts'

async function piecesOf(value: unknown, indent?: number): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of jsonPieces(value, indent)) pieces.push(piece)
  return pieces
}

test('all pieces together are what JSON.stringify writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 2), async (value, indent) => {
      expect((await piecesOf(value, indent)).join('')).toBe(JSON.stringify(value, null, indent))
    }),
  )
  const odd = { gone: undefined, at: new Date(0), list: [undefined, () => 1, null], none: [], nothing: {} }
  expect((await piecesOf(odd)).join('')).toBe(JSON.stringify(odd))
})

test('items of a long list are made one piece ahead of the reader, and no more', async () => {
  let made = 0
  const items = Array.from({ length: 1000 }, () => 'x'.repeat(10_000))
  const list = lazyList(items, (text) => {
    made += 1
    return { text }
  })
  const pieces = jsonPieces({ checks: list, next: 'a' })
  await pieces.next()
  expect(made).toBeLessThan(20)
  await pieces.next()
  expect(made).toBeLessThan(40)
  expect(isLongJson({ checks: list })).toBe(true)
  expect(JSON.parse((await piecesOf({ checks: list })).join(''))).toEqual({ checks: items.map((text) => ({ text })) })
})

test('others have a turn behind each piece', async () => {
  let turns = 0
  let pieces = 0
  for await (const _ of jsonPieces(Array.from({ length: 50 }, () => 'x'.repeat(200_000)))) {
    setImmediate(() => (turns += 1))
    pieces += 1
  }
  expect({ pieces, turns }).toEqual({ pieces: 51, turns: 50 })
})

test('a short list is mapped at once', () => {
  expect(lazyList([1, 2], (n) => n + 1)).toEqual([2, 3])
  expect(isLongJson({ checks: [1, 2] })).toBe(false)
})
