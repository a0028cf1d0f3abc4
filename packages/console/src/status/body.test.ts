import { gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { type Body, bodyOf, bytesOf, readPlain } from './body.ts'

async function* of(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces
}

async function plainText(body: Body): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of readPlain(body)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('a body is the same plain and compressed', async () => {
  const body = await bodyOf(of('<p>', 'ä', '</p>'))
  expect(await plainText(body)).toBe('<p>ä</p>')
  expect(gunzipSync(body.gzipped).toString()).toBe('<p>ä</p>')
})

test('of a long body only the compressed form is kept', async () => {
  const pieces = Array.from({ length: 30 }, (_, n) => `${n}${'x'.repeat(100_000)}`)
  const body = await bodyOf(of(...pieces))
  expect(bytesOf(body)).toBeLessThan(100_000)
  expect(await plainText(body)).toBe(pieces.join(''))
})

test('equal texts have one validator, however they are divided', async () => {
  const [one, other] = [await bodyOf(of('ab', 'c')), await bodyOf(of('a', 'bc'))]
  expect(one.etag).toBe(other.etag)
  expect((await bodyOf(of('abd'))).etag).not.toBe(one.etag)
})
