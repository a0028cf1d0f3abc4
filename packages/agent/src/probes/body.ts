// Reads the body of an answer, decoded, and no more of it than is judged.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

export const BODY_MAX_BYTES = 1024 * 1024

export interface BodyReader {
  onDone: (text: string) => void
  /** The body is not in the encoding that it is said to be in. */
  onUndecodable: () => void
}

/** Ends when the answer does or the cap is reached. An answer that breaks off ends with the response's error. */
export function readBody(response: IncomingMessage, { onDone, onUndecodable }: BodyReader): void {
  const chunks: Buffer[] = []
  let left = BODY_MAX_BYTES
  const done = (): void => onDone(decodeText(chunks, response.headers['content-type']))
  const collect = (chunk: Buffer): boolean => {
    if (left === 0) return true
    chunks.push(chunk.subarray(0, left))
    left -= Math.min(left, chunk.length)
    if (left === 0) done()
    return left === 0
  }
  const encoding = response.headers['content-encoding']?.trim().toLowerCase()
  if (!encoding || !(encoding in DECODERS)) {
    response.on('data', collect)
    response.on('end', done)
    return
  }
  decodeWhile(response, DECODERS[encoding] as MakeDecoder, { collect, done, onUndecodable })
}

type MakeDecoder = (first: Buffer) => Transform

const DECODERS: Readonly<Record<string, MakeDecoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  // Some send what is called deflate without the header of zlib, whose low bits are the method, 8.
  deflate: (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()),
}

interface Decoding {
  /** True when it has enough. */
  collect: (chunk: Buffer) => boolean
  done: () => void
  onUndecodable: () => void
}

function decodeWhile(response: IncomingMessage, make: MakeDecoder, decoding: Decoding): void {
  let decoder: Transform | undefined
  response.on('data', (chunk: Buffer) => {
    decoder ??= started(make(chunk), response, decoding)
    if (!decoder.write(chunk)) response.pause()
  })
  response.on('end', () => {
    // Nothing at all is no fault: a 204 may claim an encoding.
    if (decoder) decoder.end()
    else decoding.done()
  })
}

function started(decoder: Transform, response: IncomingMessage, { collect, done, onUndecodable }: Decoding): Transform {
  decoder.on('drain', () => response.resume())
  // A little of what was received may still unfold to a lot.
  decoder.on('data', (chunk: Buffer) => collect(chunk) && decoder.destroy())
  decoder.on('end', done)
  decoder.on('error', onUndecodable)
  return decoder
}

function decodeText(chunks: readonly Buffer[], contentType: string | undefined): string {
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]
  if (!charset || /^utf-?8$/i.test(charset)) return bytes.toString()
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString()
  }
}
