// Writes echo requests, reads the replies, and summarises their times.

export const TOKEN_BYTES = 16
const HEADER_BYTES = 8
const REQUEST = { 4: 8, 6: 128 }
const REPLY = { 4: 0, 6: 129 }

/** Returns an echo request. The kernel sets the identifier and the checksum. */
export function writeEcho(family: 4 | 6, sequence: number, token: Buffer): Buffer {
  const echo = Buffer.alloc(HEADER_BYTES + TOKEN_BYTES)
  echo.writeUInt8(REQUEST[family], 0)
  echo.writeUInt16BE(sequence, 6)
  token.copy(echo, HEADER_BYTES, 0, TOKEN_BYTES)
  return echo
}

/** Returns the sequence number of the reply to one of our requests, or undefined for other messages. */
export function readEcho(family: 4 | 6, message: Buffer, token: Buffer): number | undefined {
  if (message.length < HEADER_BYTES + TOKEN_BYTES || message.readUInt8(0) !== REPLY[family]) return undefined
  return message.subarray(HEADER_BYTES, HEADER_BYTES + TOKEN_BYTES).equals(token) ? message.readUInt16BE(6) : undefined
}

export interface EchoSummary {
  /** Share of the requests without a reply, in percent. */
  loss: number
  /** Median of the times of round trips, in milliseconds. */
  latency_ms: number
  /** Mean difference between consecutive round trips. */
  jitter_ms: number
}

/** Summarises round trips in the order of their requests. There must be at least one. */
export function summarise(sent: number, trips_ms: readonly number[]): EchoSummary {
  const sorted = trips_ms.toSorted((one, other) => one - other)
  const [low = 0, high = low] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  const steps = trips_ms.slice(1).map((trip, n) => Math.abs(trip - (trips_ms[n] ?? trip)))
  const jitter = steps.length === 0 ? 0 : steps.reduce((sum, step) => sum + step, 0) / steps.length
  return {
    loss: rounded(100 * (1 - trips_ms.length / sent)),
    latency_ms: rounded((low + high) / 2),
    jitter_ms: rounded(jitter),
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
