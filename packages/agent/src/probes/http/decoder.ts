// Undoes the content encodings of a body, one after another, as its parts arrive.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

type MakeDecoder = (first: Buffer) => Transform

const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map<string, MakeDecoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // Some servers send deflate data without the header of zlib, whose low bits are the method, 8.
  ['deflate', (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw())],
])

/** Maximum number of encodings. Each costs memory and time. */
const ENCODINGS_MAX = 3
const NAME = /^[\w.+-]{1,32}$/

/** Decoders of a body, in the order of decoding, or the name of an unknown encoding. */
export type Encodings = { decoders: readonly MakeDecoder[]; unknown?: string }

/** Reads a `Content-Encoding`, which names the encodings in the order of their application. */
export function readEncodings(header = ''): Encodings {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const unknown = names.find((name) => !DECODERS.has(name))
  if (unknown !== undefined)
    return { decoders: [], unknown: NAME.test(unknown) ? unknown : 'an encoding with an invalid name' }
  if (names.length > ENCODINGS_MAX) return { decoders: [], unknown: `more than ${ENCODINGS_MAX} encodings in a row` }
  return { decoders: names.toReversed().flatMap((name) => DECODERS.get(name) ?? []) }
}

/**
 * Maximum length of the data between two decoders, in bytes. A mebibyte of text never needs more, and a malicious encoding could
 * expand without end.
 */
const BETWEEN_MAX_BYTES = 2 * 1024 * 1024

interface Events {
  onData: (chunk: Buffer) => void
  /** Called when the decoder accepts more input. */
  onDrain: () => void
  onEnd: () => void
  onError: () => void
}

/** A chain of decoders. Each decoder is created with its first input, which shows the variant of deflate that the target uses. */
export class Decoder {
  readonly #decoders: readonly MakeDecoder[]
  readonly #events: Events
  readonly #stages: Transform[] = []
  #between = 0

  constructor(decoders: readonly MakeDecoder[], events: Events) {
    this.#decoders = decoders
    this.#events = events
  }

  /** Writes a chunk of the body. Returns false if the caller should wait for `onDrain` before the next chunk. */
  write(chunk: Buffer): boolean {
    return this.#write(0, chunk)
  }

  end(last: Buffer | undefined): void {
    this.#stages[0]?.end(last)
  }

  /** Calls back once the decoder has passed on everything it can from its input, even if the input was cut off. */
  flush(onFlushed: () => void, stage = 0): void {
    const one = this.#stages[stage]
    if (one) one.write(Buffer.alloc(0), () => this.flush(onFlushed, stage + 1))
    else onFlushed()
  }

  pause(): void {
    this.#stages.at(-1)?.pause()
  }

  resume(): void {
    this.#stages.at(-1)?.resume()
  }

  destroy(): void {
    for (const stage of this.#stages) stage.destroy()
  }

  #write(stage: number, chunk: Buffer): boolean {
    return (this.#stages[stage] ?? this.#start(stage, chunk)).write(chunk)
  }

  #start(stage: number, first: Buffer): Transform {
    const make = this.#decoders[stage]
    if (!make) throw new Error(`there is no decoder ${stage}`)
    const { onData, onDrain, onEnd, onError } = this.#events
    const started = make(first)
    this.#stages[stage] = started
    const isLast = stage === this.#decoders.length - 1
    started.on('drain', stage === 0 ? onDrain : () => this.#stages[stage - 1]?.resume())
    started.on('data', isLast ? onData : (chunk: Buffer) => this.#handOn(stage, chunk))
    started.on('end', isLast ? onEnd : () => this.#endNext(stage))
    started.on('error', onError)
    return started
  }

  #handOn(stage: number, chunk: Buffer): void {
    this.#between += chunk.length
    if (this.#between > BETWEEN_MAX_BYTES) {
      this.destroy()
      this.#events.onError()
    } else if (!this.#write(stage + 1, chunk)) this.#stages[stage]?.pause()
  }

  #endNext(stage: number): void {
    const next = this.#stages[stage + 1]
    // An empty body is no fault.
    if (next) next.end()
    else this.#events.onEnd()
  }
}
