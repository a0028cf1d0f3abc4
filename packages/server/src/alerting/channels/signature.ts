// The signature of a webhook, as Standard Webhooks has it.
import { createHmac } from 'node:crypto'

const ENCODED = 'whsec_'

/** `v1,<base64>` over id, time (seconds since the Unix epoch) and body. A `whsec_` secret is base64, any other UTF-8. */
export function sign(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith(ENCODED)
    ? Buffer.from(secret.slice(ENCODED.length), 'base64')
    : Buffer.from(secret, 'utf8')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
