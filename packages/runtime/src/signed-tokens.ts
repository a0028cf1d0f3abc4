// Makes signed tokens that need no row in the database, because they contain their subject and a signature:
// `dogwatch_act_<bytes and signature in base 62>`.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Purpose of a token. `act` acknowledges or mutes an incident. */
export type SignedKind = 'act'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Length of a signature in bytes. 128 bits cannot be guessed, and the link stays short enough for a text message. */
const MAC_BYTES = 16
const SHAPE = /^dogwatch_(act)_([0-9A-Za-z]{20,200})$/

/** Returns a signed token. Anyone who has the token can read its bytes. */
export function signedToken(kind: SignedKind, secret: Uint8Array, bytes: Uint8Array): string {
  return `dogwatch_${kind}_${base62(Buffer.concat([bytes, macOf(kind, secret, bytes)]))}`
}

/** Returns the bytes of a token that was made with this secret. Returns undefined for any other text. */
export function readSignedToken(kind: SignedKind, secret: Uint8Array, token: string): Buffer | undefined {
  const [, foundKind, text = ''] = SHAPE.exec(token) ?? []
  if (foundKind !== kind) return undefined
  const all = bytesOf(text)
  if (all === undefined || all.length <= MAC_BYTES) return undefined
  const [bytes, mac] = [all.subarray(0, -MAC_BYTES), all.subarray(-MAC_BYTES)]
  return timingSafeEqual(mac, macOf(kind, secret, bytes)) ? bytes : undefined
}

function macOf(kind: SignedKind, secret: Uint8Array, bytes: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`dogwatch:${kind}:`).update(bytes).digest().subarray(0, MAC_BYTES)
}

/** Encodes bytes in base 62. Adds a 1 in front, so that zeros at the start are kept. */
function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x01${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 62n) text = (BASE62[Number(rest % 62n)] ?? '') + text
  return text
}

/** Decodes a text of `base62`. Returns undefined for any other text. */
function bytesOf(text: string): Buffer | undefined {
  let value = 0n
  for (const character of text) value = value * 62n + BigInt(BASE62.indexOf(character))
  const hex = value.toString(16)
  if (!hex.startsWith('1') || hex.length % 2 === 0) return undefined
  const bytes = Buffer.from(hex.slice(1), 'hex')
  return base62(bytes) === text ? bytes : undefined
}
