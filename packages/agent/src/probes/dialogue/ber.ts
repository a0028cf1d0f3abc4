// Writes and reads the few forms of BER that LDAP needs: elements with a tag of one byte and a definite length.

/** Element with its tag and its content. */
export interface BerElement {
  tag: number
  content: Buffer
}

export const TAGS = { integer: 0x02, text: 0x04, enumerated: 0x0a, boolean: 0x01, sequence: 0x30, set: 0x31 } as const

/** Writes an element. Its content is less than 64 KiB long. */
export function element(tag: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

/** Writes an element with a number of one byte. */
export function numeric(tag: number, value: number): Buffer {
  return element(tag, Buffer.from([value]))
}

/** Error for bytes that are not a valid element of BER. */
export class BerFault extends Error {}

/** Reads the first element, and its whole length. Returns undefined if it is not complete. */
export function readElement(bytes: Buffer): { element: BerElement; length: number } | undefined {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) return undefined
  const count = first < 0x80 ? 0 : first & 0x7f
  // Greater lengths exceed every limit, and the indefinite form is invalid here.
  if (first === 0x80 || count > 4) throw new BerFault()
  if (bytes.length < 2 + count) return undefined
  const length = count === 0 ? first : bytes.readUIntBE(2, count)
  const start = 2 + count
  if (bytes.length < start + length) return undefined
  return { element: { tag, content: bytes.subarray(start, start + length) }, length: start + length }
}

/** Reads the elements that a content consists of. */
export function elementsIn(content: Buffer): BerElement[] {
  const elements: BerElement[] = []
  for (let at = 0; at < content.length; ) {
    const next = readElement(content.subarray(at))
    if (!next) throw new BerFault()
    elements.push(next.element)
    at += next.length
  }
  return elements
}
