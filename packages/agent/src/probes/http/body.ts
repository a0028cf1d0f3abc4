// Reads the decoded body of a response, but no more of it than the check needs.
import type { IncomingMessage } from 'node:http'
import type { Attempt } from '../attempt.ts'
import { BODY_MAX_BYTES, FREE_BYTES } from '../body-memory.ts'
import type { Observation } from '../observation.ts'
import { inTurn, type PendingWork, waitForTurn } from '../turns.ts'
import { decodeText, isText } from './charset.ts'
import { Decoder, type Encodings, readEncodings } from './decoder.ts'
import { KeptBytes, SmallPieces } from './kept-bytes.ts'

/** Maximum number of pieces. A target may send each byte as a chunk, and each chunk costs as much as a thousand bytes in one. */
const PIECES_MAX = 65_536
/**
 * Number of pieces that the decoder receives as they arrive, which costs a step of another thread for each. Small later pieces
 * are joined first.
 */
const PROMPT_PIECES = 100
/**
 * Maximum length of a text that is decoded at once, in bytes. Decoding it takes no more than a millisecond or two, whatever the
 * charset.
 */
const SOON_DECODED_BYTES = 64 * 1024

/** Facts about a body that was read, in addition to its text. */
export type BodyNotes = Pick<Observation, 'read' | 'unknown_encoding'>

export interface BodyReader {
  onDone: (text: string, notes: BodyNotes) => void
  /** Called if the body cannot be decoded by the encoding that its header names. */
  onUndecodable: () => void
}

/**
 * Reads a body until it ends, or until its maximum length is reached. If the response breaks off, the attempt ends with the
 * error.
 */
export function readBody(attempt: Attempt, response: IncomingMessage, { onDone, onUndecodable }: BodyReader): void {
  const { decoders, unknown } = readEncodings(response.headers['content-encoding'])
  const max = attempt.bounds.body_bytes ?? BODY_MAX_BYTES
  const kept = new KeptBytes(max)
  const decoded = (read?: string): void => {
    const { bytes } = kept
    const isCut = bytes.length === max
    const notes = read === undefined ? {} : { read }
    // Many servers name an encoding that does not exist, and send plain text. Bytes that are not text are compressed, so they are
    // not read.
    if (unknown !== undefined && !isText(bytes, isCut)) return onDone('', { ...notes, unknown_encoding: unknown })
    onDone(decodeText(bytes, { contentType: response.headers['content-type'], isCut }), notes)
  }
  let isDone = false
  const done = (read?: string): void => {
    if (isDone) return
    isDone = true
    if (kept.length <= SOON_DECODED_BYTES) return decoded(read)
    inLaterTurn(attempt, () => decoded(read))
  }
  const isEncoded = decoders.length > 0
  const collect = collector(attempt, kept, { length: isEncoded ? undefined : lengthOf(response), done })
  if (isEncoded) return decodeWhile(attempt, response, { decoders, collect, done, onUndecodable })
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
  const run: PendingWork = {
    spent_ms: 0,
    goOn: () => {
      if (!attempt.isOver) attempt.guard(() => inTurn(run, work))
    },
  }
  waitForTurn(run)
}

/** A source of data that can be paused. */
interface Flow {
  pause: () => void
  resume: () => void
}

/**
 * Returns a control that pauses a response together with its socket, because the parser passes on everything that its socket
 * reads, even while the response is paused.
 */
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

/** Receives a chunk. Returns true once the body is long enough. */
type Collect = (chunk: Buffer, flow: Flow) => boolean

interface CollectOptions {
  /** `Content-Length`, in bytes. Undefined if absent, or if the body is compressed. */
  length: number | undefined
  done: (read?: string) => void
}

function collector(attempt: Attempt, kept: KeptBytes, { length, done }: CollectOptions): Collect {
  const { bounds, address, facts } = attempt
  facts.size = 0
  const { body_bytes = BODY_MAX_BYTES, lease } = bounds
  const needed = Math.min(body_bytes, length ?? BODY_MAX_BYTES)
  let left = BODY_MAX_BYTES
  let hasAsked = false
  return (chunk, flow) => {
    if (left === 0) return true
    kept.add(chunk)
    left -= Math.min(left, chunk.length)
    facts.size = BODY_MAX_BYTES - left
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

interface Decoding {
  decoders: Encodings['decoders']
  collect: Collect
  done: (read?: string) => void
  onUndecodable: () => void
}

function decodeWhile(attempt: Attempt, response: IncomingMessage, decoding: Decoding): void {
  const flow = flowOf(response)
  const small = new SmallPieces()
  let pieces = 0
  let isOver = false
  const done = (read?: string): void => decoding.done(isOver ? PIECES : read)
  const onUndecodable = (): void => (isOver ? done() : decoding.onUndecodable())
  // The decoder may still be decompressing a small input to a large output when the body is long enough.
  const onDecoded = (chunk: Buffer): void => {
    if (decoding.collect(chunk, decoder)) decoder.destroy()
  }
  const decoder = new Decoder(decoding.decoders, {
    onData: attempt.guarded(onDecoded),
    onDrain: attempt.guarded(flow.resume),
    onEnd: attempt.guarded(() => done()),
    onError: attempt.guarded(onUndecodable),
  })
  /** Decodes all bytes that have arrived, and ends the body with them. */
  const finish = (): void => {
    isOver = true
    attempt.seal()
    const rest = small.take()
    if (rest) decoder.write(rest)
    decoder.flush(attempt.guarded(() => done()))
  }
  const onData = (chunk: Buffer): void => {
    if (isOver) return
    if (++pieces > PIECES_MAX) return finish()
    const whole = pieces > PROMPT_PIECES ? small.joined(chunk) : chunk
    if (whole && !decoder.write(whole)) flow.pause()
  }
  const onEnd = (): void => {
    if (isOver) return
    // An empty body is no fault, because a 204 may name an encoding.
    if (pieces > 0) decoder.end(small.take())
    else decoding.done()
  }
  response.on('data', attempt.guarded(onData))
  response.on('end', attempt.guarded(onEnd))
}
