// Encodes what a link in an alert says: its incident, its channel and its expiry. Uses as few bytes as possible, because text
// messages are paid by their length.
import { readSignedToken, signedToken } from '@dogwatch/runtime/signed-tokens'

export interface LinkContent {
  org_id: number
  channel_id: number
  /** UUID of the incident. */
  incident_id: string
  expires_at: Date
}

const VERSION = 1
const HOUR_MS = 3_600_000
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a link can name an incident. All ids that servers create are UUIDs. */
export function canBeLinked(incident_id: string): boolean {
  return UUID.test(incident_id)
}

/** Returns the signed token of a link. Rounds its expiry up to the next whole hour. */
export function linkToken(secret: Uint8Array, { org_id, channel_id, incident_id, expires_at }: LinkContent): string {
  const hours = Math.ceil(expires_at.getTime() / HOUR_MS)
  const bytes = Buffer.concat([
    Buffer.from([VERSION, ...varint(org_id), ...varint(channel_id), ...varint(hours)]),
    Buffer.from(incident_id.replaceAll('-', ''), 'hex'),
  ])
  return signedToken('act', secret, bytes)
}

/** Reads the token of a link. Returns undefined if the text is no link under this secret. */
export function readLinkToken(secret: Uint8Array, token: string): LinkContent | undefined {
  const bytes = readSignedToken('act', secret, token)
  if (bytes?.[0] !== VERSION) return undefined
  const [org_id, afterOrg] = readVarint(bytes, 1)
  const [channel_id, afterChannel] = readVarint(bytes, afterOrg)
  const [hours, at] = readVarint(bytes, afterChannel)
  const hex = bytes.subarray(at).toString('hex')
  const incident_id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return canBeLinked(incident_id)
    ? { org_id, channel_id, incident_id, expires_at: new Date(hours * HOUR_MS) }
    : undefined
}

/** Encodes a number with seven bits in each byte, the low ones first. The highest bit of a byte says that more bytes follow. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function readVarint(bytes: Uint8Array, from: number): [value: number, next: number] {
  let value = 0
  for (let at = from, unit = 1; ; at++, unit *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte % 128) * unit
    if (byte < 128) return [value, at + 1]
  }
}
