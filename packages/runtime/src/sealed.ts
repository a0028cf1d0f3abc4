// Encrypts texts so that only the holder of a secret can read them, such as a stored response that contains a token.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Random } from './random.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Returns an encryption key for a purpose, derived from a secret. The key reveals neither the secret nor its hash. */
export function sealingKey(secret: string, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest()
}

export function seal(key: Buffer, text: string, random: Random): string {
  const iv = random(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Decrypts a text. Throws if it was encrypted with another key, or changed since. */
export function unseal(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
