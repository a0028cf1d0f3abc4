// Sealed text is read with the key that sealed it, and with no other.
import { expect, test } from '@jest/globals'
import { systemRandom } from './random.ts'
import { seal, sealingKey, unseal } from './sealed.ts'

const key = sealingKey('a secret', 'tests')

test('what was sealed is read with the same key', () => {
  for (const text of ['', 'ü', 'x'.repeat(10_000)]) expect(unseal(key, seal(key, text, systemRandom))).toBe(text)
})

test('another secret, another purpose or another byte reads nothing', () => {
  const sealed = seal(key, 'hidden', systemRandom)
  expect(sealed).not.toContain(Buffer.from('hidden').toString('base64').slice(0, 6))
  for (const other of [sealingKey('another secret', 'tests'), sealingKey('a secret', 'another')]) {
    expect(() => unseal(other, sealed)).toThrow()
  }
  const bytes = Buffer.from(sealed, 'base64')
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  expect(() => unseal(key, bytes.toString('base64'))).toThrow()
})
