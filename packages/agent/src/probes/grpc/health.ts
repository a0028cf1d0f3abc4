// Writes and reads the messages of the standard health service of gRPC (grpc.health.v1).

export const CHECK_PATH = '/grpc.health.v1.Health/Check'

/** Codes of a call, by their numbers. */
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

const STATES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const

/** Returns the name of a code, or undefined if the text is no code. */
export function codeName(text: string): string | undefined {
  return /^\d{1,2}$/.test(text) ? CODES[Number(text)] : undefined
}

/** Returns the request for a service, with the prefix of its length. */
export function writeRequest(service: string): Buffer {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name])
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

/** Returns the state in a response, or undefined if it is not valid. The state is `UNKNOWN` if the field is absent. */
export function readState(bytes: Buffer): string | undefined {
  if (bytes.length < 5 || bytes[0] !== 0) return undefined
  const message = bytes.subarray(5)
  if (bytes.readUInt32BE(1) !== message.length) return undefined
  // The response has one field, whose value is below 128.
  if (message.length === 0) return STATES[0]
  return message.length === 2 && message[0] === 0x08 ? STATES[message[1] ?? 0] : undefined
}
