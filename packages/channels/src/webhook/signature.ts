// Signs webhooks according to Standard Webhooks.
import { createHmac } from 'node:crypto'

/** Prefix of a base64 secret, and the number of bytes that receivers accept. */
const ENCODED = { prefix: 'whsec_', min_bytes: 24, max_bytes: 64 } as const

/** Returns `v1,<base64>` over id, time (seconds since the Unix epoch) and body. A `whsec_` secret is base64, any other UTF-8. */
export function sign(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith(ENCODED.prefix)
    ? Buffer.from(secret.slice(ENCODED.prefix.length), 'base64')
    : Buffer.from(secret, 'utf8')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** Returns the fault of a secret, or undefined. A secret without the prefix is always valid. */
export function secretFault(secret: string): string | undefined {
  const { prefix, min_bytes, max_bytes } = ENCODED
  if (!secret.startsWith(prefix)) return undefined
  const encoded = secret.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Receivers refuse base64 that differs from their own encoding.
  if (bytes.toString('base64') === encoded && bytes.length >= min_bytes && bytes.length <= max_bytes) return undefined
  return `must be ${prefix} followed by ${min_bytes} to ${max_bytes} bytes in padded base64`
}
