// Makes the secret tokens that people and agents use: `dogwatch_<kind>_<random><checksum>`.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from './random.ts'

/** Kind of a token. Some are for programs, some for the browser's pages, and others for links in emails. */
export type TokenKind =
  | 'pat' // personal access token
  | 'cfg' // configuration token
  | 'key' // API key of a monitor
  | 'enroll' // enrollment token
  | 'beat' // heartbeat
  | 'session'
  | 'guest' // before a session
  | 'pending' // between the steps of a sign-in
  | 'invite'
  | 'inviteread'
  | 'reset'
  | 'signup'
  | 'confirm'
  | 'setup' // in the link of a fresh server
  | 'unsubscribe'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
// Number of base 62 characters for 256 bits. 62^43 > 2^256 and 62^6 > 2^32, so secret and checksum always have the same
// length.
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const SHAPE =
  /^dogwatch_(pat|cfg|key|enroll|beat|session|guest|pending|invite|inviteread|reset|signup|confirm|setup|unsubscribe)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

export function newToken(kind: TokenKind, random: Random): string {
  const secret = base62(BigInt(`0x${Buffer.from(random(SECRET_BYTES)).toString('hex')}`), SECRET_LENGTH)
  return `dogwatch_${kind}_${secret}${checksum(kind, secret)}`
}

/** Whether a text has the form and checksum of a token of the given kind. This does not prove that the token exists. */
export function looksLikeToken(kind: TokenKind, text: string): boolean {
  const [, foundKind, secret, sum] = SHAPE.exec(text) ?? []
  return foundKind === kind && secret !== undefined && sum === checksum(kind, secret)
}

/** Returns the hash of a token for the database. A 256-bit random secret needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function checksum(kind: TokenKind, secret: string): string {
  return base62(BigInt(crc32(`${kind}_${secret}`)), CHECKSUM_LENGTH)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = (BASE62[Number(rest % 62n)] ?? '') + text
  return text
}
