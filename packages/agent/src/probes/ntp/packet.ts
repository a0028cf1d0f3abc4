// Writes the requests of NTP clients, and reads the responses (RFC 5905).

export interface NtpResponse {
  /** Warning of a leap second. 3 means that the clock of the server is not synchronised. */
  leap: number
  /** Distance of the server from a reference clock. 0 means that the server refuses the request, or does not know the time. */
  stratum: number
  /** Reason for a refusal, or name of the reference clock, if it is readable. */
  reference: string
  /** Times at which the server received the request and sent the response, in milliseconds since the Unix epoch. */
  received_ms: number
  sent_ms: number
}

const PACKET_BYTES = 48
const VERSION = 4
const MODE_CLIENT = 3
const MODE_SERVER = 4
const SENT_AT = 40
const ORIGIN_AT = 24
export const COOKIE_BYTES = 8

/**
 * Returns a request. The server repeats the cookie, which is sent in place of our time, so that the request does not reveal our
 * time.
 */
export function writeNtpRequest(cookie: Buffer): Buffer {
  const packet = Buffer.alloc(PACKET_BYTES)
  packet.writeUInt8((VERSION << 3) | MODE_CLIENT, 0)
  cookie.copy(packet, SENT_AT, 0, COOKIE_BYTES)
  return packet
}

/** Reads a packet. Returns undefined if it does not respond to the request with this cookie. */
export function readNtpResponse(packet: Buffer, cookie: Buffer): NtpResponse | undefined {
  if (packet.length < PACKET_BYTES || !packet.subarray(ORIGIN_AT, ORIGIN_AT + COOKIE_BYTES).equals(cookie))
    return undefined
  const first = packet.readUInt8(0)
  if ((first & 7) !== MODE_SERVER) return undefined
  const stratum = packet.readUInt8(1)
  return {
    leap: first >> 6,
    stratum,
    reference: stratum <= 1 ? packet.toString('latin1', 12, 16).replaceAll(/[^A-Za-z0-9]/g, '') : '',
    received_ms: timeAt(packet, 32),
    sent_ms: timeAt(packet, SENT_AT),
  }
}

/** Seconds from the NTP epoch, 1900, to the Unix epoch. */
const EPOCH_SEC = 2_208_988_800
/** Number of seconds in an era of NTP. A time in the first half of an era counts as one from 2036 on. */
const ERA_SEC = 2 ** 32

function timeAt(packet: Buffer, at: number): number {
  const seconds = packet.readUInt32BE(at)
  const era = seconds < ERA_SEC / 2 ? ERA_SEC : 0
  return (seconds + era - EPOCH_SEC) * 1000 + (packet.readUInt32BE(at + 4) * 1000) / 2 ** 32
}
