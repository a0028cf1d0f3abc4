// Reads the parts of a DNS message. Names can refer to earlier names, but only backwards, so reading always ends.

/** Fault of a message that is not valid DNS. */
export class WireFault extends Error {}

const NAME_MAX_BYTES = 255
const IS_POINTER = 0xc0
/** Maximum number of references to earlier names within one name. Real servers need one or two. */
const JUMPS_MAX = 16

export class WireReader {
  readonly #bytes: Buffer
  #at: number
  readonly #end: number

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    if (end > bytes.length) throw new WireFault('the message is too short')
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  u8(): number {
    return this.take(1).readUInt8()
  }

  u16(): number {
    return this.take(2).readUInt16BE()
  }

  u32(): number {
    return this.take(4).readUInt32BE()
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#end) throw new WireFault('the message is too short')
    const taken = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return taken
  }

  rest(): Buffer {
    return this.take(this.#end - this.#at)
  }

  /** Returns a reader of the next bytes, whose names can refer to the whole message. */
  part(length: number): WireReader {
    const at = this.#at
    this.take(length)
    return new WireReader(this.#bytes, at, at + length)
  }

  /** Reads a name in the form of zone files, with a final dot. */
  name(): string {
    const labels: string[] = []
    let length = 1
    let at = this.#at
    let lowest = at
    let jumps = 0
    for (;;) {
      const size = this.#byteAt(at)
      if (size === 0) break
      if (size >= IS_POINTER) {
        const target = ((size & ~IS_POINTER) << 8) | this.#byteAt(at + 1)
        if (target >= lowest) throw new WireFault('a name refers to a later name')
        if (jumps === 0) this.#at = at + 2
        jumps += 1
        if (jumps > JUMPS_MAX) throw new WireFault('a name has too many references')
        lowest = target
        at = target
        continue
      }
      length += size + 1
      if (size > 63 || length > NAME_MAX_BYTES) throw new WireFault('a name is too long')
      if (at + 1 + size > this.#bytes.length) throw new WireFault('the message is too short')
      labels.push(labelText(this.#bytes.subarray(at + 1, at + 1 + size)))
      at += size + 1
    }
    if (jumps === 0) this.#at = at + 1
    if (this.#at > this.#end) throw new WireFault('the message is too short')
    return `${labels.join('.')}.`
  }

  #byteAt(at: number): number {
    const byte = this.#bytes[at]
    if (byte === undefined) throw new WireFault('the message is too short')
    return byte
  }
}

const SPECIAL_IN_NAMES = new Set('."();@$\\')
const SPECIAL_IN_TEXTS = new Set('"\\')

function labelText(bytes: Buffer): string {
  return escaped(bytes, SPECIAL_IN_NAMES, 0x21)
}

/** Returns a text in quotes, in the form of zone files. */
export function quotedText(bytes: Buffer): string {
  return `"${escaped(bytes, SPECIAL_IN_TEXTS, 0x20)}"`
}

/** Escapes special characters and unprintable bytes. `lowest`: first printable byte. */
function escaped(bytes: Buffer, special: ReadonlySet<string>, lowest: number): string {
  let text = ''
  for (const byte of bytes) {
    const char = String.fromCodePoint(byte)
    if (special.has(char)) text += `\\${char}`
    else text += byte >= lowest && byte < 0x7f ? char : `\\${String(byte).padStart(3, '0')}`
  }
  return text
}
