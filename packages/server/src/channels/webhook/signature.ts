// The signature of a webhook, as Standard Webhooks has it.
import { createHmac } from 'node:crypto'

/** Behind this a secret is base64, of as many bytes as receivers take. */
const ENCODED = { prefix: 'whsec_', min_bytes: 24, max_bytes: 64 } as const

/** `v1,<base64>` over id, time (seconds since the Unix epoch) and body. A `whsec_` secret is base64, any other UTF-8. */
export function sign(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith(ENCODED.prefix)
    ? Buffer.from(secret.slice(ENCODED.prefix.length), 'base64')
    : Buffer.from(secret, 'utf8')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/** What is wrong with a secret; what is not encoded is taken as it is. */
export function secretFault(secret: string): string | undefined {
  const { prefix, min_bytes, max_bytes } = ENCODED
  if (!secret.startsWith(prefix)) return undefined
  const encoded = secret.slice(prefix.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Receivers refuse what is not written as they would write it.
  if (bytes.toString('base64') === encoded && bytes.length >= min_bytes && bytes.length <= max_bytes) return undefined
  return `must be padded base64 of ${min_bytes} to ${max_bytes} bytes after ${prefix}`
}
