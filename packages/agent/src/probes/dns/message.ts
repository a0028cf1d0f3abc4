// Writes DNS queries, and reads the responses to them (RFC 1035).
import { recordData, typeName } from './record-data.ts'
import { WireReader } from './wire.ts'

export interface Question {
  /** Name without a final dot. Empty for the root. */
  name: string
  type: number
  /** Whether the query asks the server to find the answer at other servers. */
  wantsRecursion: boolean
  /** Whether the query asks the server to say if it verified the answer by DNSSEC. */
  wantsAd: boolean
}

export interface DnsRecord {
  /** Name that the record is about, with a final dot. */
  name: string
  type: number
  ttl: number
  data: string
}

export interface DnsResponse {
  rcode: string
  flags: readonly string[]
  isTruncated: boolean
  answers: DnsRecord[]
  authorities: DnsRecord[]
}

const CLASS_IN = 1
const TYPE_OPT = 41
/**
 * Maximum size of responses over UDP that the query requests, in bytes. A response of this size needs only one packet on any
 * network.
 */
const UDP_MAX_BYTES = 1232
const HEADER_BYTES = 12

const QR = 0x8000
const OPCODE = 0x7800
const TC = 0x0200
const RD = 0x0100
const AD = 0x0020
const FLAGS: readonly (readonly [number, string])[] = [
  [0x0400, 'aa'],
  [TC, 'tc'],
  [RD, 'rd'],
  [0x0080, 'ra'],
  [AD, 'ad'],
]

export function writeQuery(id: number, { name, type, wantsRecursion, wantsAd }: Question): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE((wantsRecursion ? RD : 0) | (wantsAd ? AD : 0), 2)
  // The query contains one question, and one record about the maximum size of responses.
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(1, 10)
  return Buffer.concat([header, writeQuestion(name, type), writeSize()])
}

function writeQuestion(name: string, type: number): Buffer {
  const labels = name === '' ? [] : name.split('.')
  const parts = labels.map((label) => Buffer.from(`${String.fromCodePoint(label.length)}${label}`, 'latin1'))
  const end = Buffer.alloc(5)
  end.writeUInt16BE(type, 1)
  end.writeUInt16BE(CLASS_IN, 3)
  return Buffer.concat([...parts, end])
}

function writeSize(): Buffer {
  const record = Buffer.alloc(11)
  record.writeUInt16BE(TYPE_OPT, 1)
  record.writeUInt16BE(UDP_MAX_BYTES, 3)
  return record
}

const RCODES = [
  ...['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'],
  ...['YXDOMAIN', 'YXRRSET', 'NXRRSET', 'NOTAUTH', 'NOTZONE'],
]

/**
 * Reads a response. Returns undefined if the message does not fit the query, because another machine may have sent it. Throws
 * WireFault if the response is not valid.
 */
export function readResponse(bytes: Buffer, id: number, question: Question): DnsResponse | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return undefined
  const flags = bytes.readUInt16BE(2)
  if ((flags & QR) === 0 || (flags & OPCODE) !== 0) return undefined
  const reader = new WireReader(bytes, 4)
  const [questions, answers, authorities, additionals] = [reader.u16(), reader.u16(), reader.u16(), reader.u16()]
  const code = flags & 0xf
  // A server that could not read the query does not repeat the question in its response.
  if (questions === 0 && code === 0) return undefined
  for (let n = 0; n < questions; n += 1) {
    const [name, type, dnsClass] = [reader.name(), reader.u16(), reader.u16()]
    if (n > 0 || type !== question.type || dnsClass !== CLASS_IN || !isSameName(name, question.name)) return undefined
  }
  const isTruncated = (flags & TC) !== 0
  const response = {
    flags: FLAGS.flatMap(([bit, word]) => ((flags & bit) === 0 ? [] : word)),
    isTruncated,
    // The records of a truncated response can end anywhere.
    answers: isTruncated ? [] : readRecords(reader, answers),
    authorities: isTruncated ? [] : readRecords(reader, authorities),
  }
  const upper = isTruncated ? 0 : extendedCode(reader, additionals)
  const rcode = (upper << 4) | code
  return { ...response, rcode: RCODES[rcode] ?? `RCODE${rcode}` }
}

function isSameName(name: string, asked: string): boolean {
  return name.toLowerCase() === `${asked.toLowerCase()}.`
}

function readRecords(reader: WireReader, count: number): DnsRecord[] {
  const records: DnsRecord[] = []
  for (let n = 0; n < count; n += 1) {
    const [name, type, dnsClass, ttl] = [reader.name(), reader.u16(), reader.u16(), reader.u32()]
    const data = reader.part(reader.u16())
    if (dnsClass === CLASS_IN) records.push({ name, type, ttl, data: recordData(type, data) })
  }
  return records
}

/** Returns the upper bits of the response code, which are in the record about the size of messages (RFC 6891). */
function extendedCode(reader: WireReader, count: number): number {
  for (let n = 0; n < count; n += 1) {
    reader.name()
    const type = reader.u16()
    reader.u16()
    const ttl = reader.u32()
    reader.take(reader.u16())
    if (type === TYPE_OPT) return ttl >>> 24
  }
  return 0
}

/** Returns a record as a line of a zone file. */
export function recordLine({ name, type, ttl, data }: DnsRecord): string {
  return `${name} ${ttl} IN ${typeName(type)} ${data}`
}
