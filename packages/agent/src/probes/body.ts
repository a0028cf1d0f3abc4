// Reads the decoded body of an answer, and no more of it than is judged.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { Attempt } from './attempt.ts'
import { FREE_BYTES } from './body-memory.ts'
import { KeptBytes, SmallPieces } from './kept-bytes.ts'
import { inTurn, type Waiting, waitForTurn } from './turns.ts'

export const BODY_MAX_BYTES = 1024 * 1024
/** A target may send each byte as a chunk of its own, and each costs as much as a thousand bytes in one. */
const PIECES_MAX = 65_536
/** So many go into a decoder as they come, in a step of its thread each. Later small ones are joined. */
const PROMPT_PIECES = 100
/** A shorter body is decoded in less than a millisecond or two, whatever its charset. */
const SOON_DECODED_BYTES = 64 * 1024

export interface BodyReader {
  /** `read` is how much of the body was read, when there may be more. */
  onDone: (text: string, read?: string) => void
  /** The body does not have the encoding that its header names. */
  onUndecodable: () => void
}

/** Ends when the answer does or the cap is reached. An answer that breaks off ends with the response's error. */
export function readBody(attempt: Attempt, response: IncomingMessage, { onDone, onUndecodable }: BodyReader): void {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase()
  const make = encoding === undefined ? undefined : DECODERS.get(encoding)
  const kept = new KeptBytes(attempt.bounds.body_bytes ?? BODY_MAX_BYTES)
  const decoded = (read?: string): void => onDone(decodeText(kept.bytes, response.headers['content-type']), read)
  let isDone = false
  const done = (read?: string): void => {
    if (isDone) return
    isDone = true
    if (kept.length <= SOON_DECODED_BYTES) return decoded(read)
    inLaterTurn(attempt, () => decoded(read))
  }
  const collect = collector(attempt, kept, { length: make ? undefined : lengthOf(response), done })
  if (make) return decodeWhile(attempt, response, { make, collect, done, onUndecodable })
  const flow = flowOf(response)
  let pieces = 0
  const onData = (chunk: Buffer): void => {
    if (++pieces > PIECES_MAX) done(PIECES)
    else collect(chunk, flow)
  }
  response.on('data', attempt.guarded(onData))
  response.on(
    'end',
    attempt.guarded(() => done()),
  )
}

const PIECES = '65,536 pieces'

function inLaterTurn(attempt: Attempt, work: () => void): void {
  attempt.seal()
  const run: Waiting = {
    spent_ms: 0,
    goOn: () => {
      if (!attempt.isOver) attempt.guard(() => inTurn(run, work))
    },
  }
  waitForTurn(run)
}

/** What more is to come through. */
interface Flow {
  pause: () => void
  resume: () => void
}

/** The parser passes on whatever its socket reads, whether it is wanted or not. */
function flowOf(response: IncomingMessage): Flow {
  const { socket } = response
  const pause = (): void => {
    response.pause()
    socket.pause()
  }
  const resume = (): void => {
    socket.resume()
    response.resume()
  }
  return { pause, resume }
}

/** True when it has enough. */
type Collect = (chunk: Buffer, flow: Flow) => boolean

interface Wanted {
  /** How long the body is, if that is known. */
  length: number | undefined
  done: (read?: string) => void
}

function collector({ bounds, address }: Attempt, kept: KeptBytes, { length, done }: Wanted): Collect {
  const { body_bytes = BODY_MAX_BYTES, lease } = bounds
  const needed = Math.min(body_bytes, length ?? BODY_MAX_BYTES)
  let left = BODY_MAX_BYTES
  let hasAsked = false
  return (chunk, flow) => {
    if (left === 0) return true
    kept.add(chunk)
    left -= Math.min(left, chunk.length)
    if (left === 0) done(length === BODY_MAX_BYTES ? undefined : '1 MiB')
    else if (!hasAsked && lease && kept.length >= FREE_BYTES && kept.length < needed) {
      hasAsked = true
      const onGranted = (): void => {
        kept.reserve(needed)
        flow.resume()
      }
      if (lease.take(needed, onGranted, address)) kept.reserve(needed)
      else flow.pause()
    }
    return left === 0
  }
}

function lengthOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

type MakeDecoder = (first: Buffer) => Transform

const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map<string, MakeDecoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  // Some servers send as deflate what lacks the header of zlib, whose low bits are the method, 8.
  ['deflate', (first) => (((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw())],
])

interface Decoding {
  make: MakeDecoder
  collect: Collect
  done: (read?: string) => void
  onUndecodable: () => void
}

function decodeWhile(attempt: Attempt, response: IncomingMessage, decoding: Decoding): void {
  const flow = flowOf(response)
  const small = new SmallPieces()
  let decoder: Transform | undefined
  let pieces = 0
  let isOver = false
  const done = (read?: string): void => decoding.done(isOver ? PIECES : read)
  const onUndecodable = (): void => (isOver ? done() : decoding.onUndecodable())
  /** What came is decoded to its last byte, and judged. */
  const finish = (last: Transform): void => {
    isOver = true
    attempt.seal()
    const rest = small.take()
    if (rest) last.write(rest)
    // It calls back when all that was written before is decoded.
    last.write(
      Buffer.alloc(0),
      attempt.guarded(() => done()),
    )
  }
  const onData = (chunk: Buffer): void => {
    if (isOver) return
    decoder ??= started(
      attempt,
      { ...decoding, done, onUndecodable },
      { decoder: decoding.make(chunk), onDrain: flow.resume },
    )
    if (++pieces > PIECES_MAX) return finish(decoder)
    const whole = pieces > PROMPT_PIECES ? small.joined(chunk) : chunk
    if (whole && !decoder.write(whole)) flow.pause()
  }
  const onEnd = (): void => {
    if (isOver) return
    // An empty body is no fault: a 204 may name an encoding.
    if (decoder) decoder.end(small.take())
    else decoding.done()
  }
  response.on('data', attempt.guarded(onData))
  response.on('end', attempt.guarded(onEnd))
}

interface Starting {
  decoder: Transform
  onDrain: () => void
}

function started(attempt: Attempt, decoding: Decoding, { decoder, onDrain }: Starting): Transform {
  const { collect, done, onUndecodable } = decoding
  const flow: Flow = { pause: () => decoder.pause(), resume: () => decoder.resume() }
  // A little of what was received may still decompress to a lot.
  const onData = (chunk: Buffer): void => {
    if (collect(chunk, flow)) decoder.destroy()
  }
  decoder.on('drain', attempt.guarded(onDrain))
  decoder.on('data', attempt.guarded(onData))
  decoder.on(
    'end',
    attempt.guarded(() => done()),
  )
  decoder.on('error', attempt.guarded(onUndecodable))
  return decoder
}

function decodeText(bytes: Buffer, contentType: string | undefined): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]
  if (!charset || /^utf-?8$/i.test(charset)) return bytes.toString()
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString()
  }
}
