// Makes identifiers from random bytes alone.
import type { Random } from './random.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** Returns twelve characters of lower-case Crockford base32: 60 random bits. */
export function newMonitorId(random: Random): string {
  return Array.from(random(12), (byte) => CROCKFORD[byte & 31]).join('')
}

/** Returns a lower-case UUID of version 4. */
export function newGuid(random: Random): string {
  const bytes = Buffer.from(random(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Returns ten characters of lower-case Crockford base32, for the address of a status page that reveals nothing. */
export function newSlug(random: Random): string {
  return Array.from(random(10), (byte) => CROCKFORD[byte & 31]).join('')
}

/** Returns an id of a request, for the log and the response. */
export function newRequestId(random: Random): string {
  return `r-${Buffer.from(random(8)).toString('hex')}`
}

/** Returns an id of a process, unique among the server's processes that share a database. */
export function newProcessId(random: Random): string {
  return `p-${Buffer.from(random(8)).toString('hex')}`
}
