// Sends a line of text to a client that may still be sending its body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Request, Response } from 'express'

// How much of an unwanted body is read and thrown away, so that a client that is still sending sees the answer.
const LINGER_BYTES = 8 * 1024 * 1024
const LINGER_MS = 5000
const LINGER_SILENCE_MS = 500
const LINGER_LOOK_MS = 100
/** At most this many at once. Beyond that, getting rid of clients matters more than what they see. */
const MOST_LINGER = 200
/** A body up to this length is read to its end and the connection kept: a new one costs both sides more. */
const SHORT_BYTES = 1024 * 1024

/** Sends a line of text in such a way that a client sees it even if it sends more than we read. */
export function sendLine(req: Request, res: Response, line: string): void {
  if (isStillSending(req)) sendAndLinger(req, res, line)
  else res.send(line)
}

/** The same where Express is not involved yet. Costs as little as possible, and keeps the connection where it can. */
export function endLine(req: IncomingMessage, res: ServerResponse, line: string): void {
  if (isStillSending(req) && !isShort(req)) {
    sendAndLinger(req, res, line)
    return
  }
  // Node throws away what comes of the body, for as long as a request may take to arrive.
  res.setHeader('Content-Length', Buffer.byteLength(line))
  res.end(line)
}

function isStillSending(req: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  return !req.complete && !req.socket.destroyed && (coding !== undefined || length !== '0')
}

function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return false
  return Number(headers['content-length']) <= SHORT_BYTES
}

let lingering = 0

/**
 * Sends the whole answer, but ends it only when the client has sent its body, has sent too much, or falls silent. Node
 * would close at once, and a client that writes into a closed connection loses the answer that it has not yet read.
 */
function sendAndLinger(req: IncomingMessage, res: ServerResponse, line: string): void {
  const { socket } = req
  const begun = performance.now()
  const first = socket.bytesRead
  let last = first
  let lastAt = begun
  const look = () => {
    const now = performance.now()
    if (socket.bytesRead > last) [last, lastAt] = [socket.bytesRead, now]
    if (last - first > LINGER_BYTES || now - begun > LINGER_MS || now - lastAt > LINGER_SILENCE_MS) res.end()
  }
  res.setHeader('Connection', 'close')
  res.setHeader('Content-Length', Buffer.byteLength(line))
  if (lingering >= MOST_LINGER) {
    res.end(line)
    return
  }
  lingering++
  const timer = setInterval(look, LINGER_LOOK_MS)
  res.once('close', () => {
    lingering--
    clearInterval(timer)
  })
  req.once('end', () => res.end())
  req.unpipe()
  req.resume()
  res.write(line)
}

/**
 * Sends a last answer on a connection whose bytes cannot be read as HTTP any more. What its client still sends is thrown
 * away for a while. Closed at once, the connection would be reset, and a proxy takes that for a server that has failed.
 */
export function endConnection(socket: Duplex, answer: string): void {
  socket.end(answer)
  if (lingering >= MOST_LINGER) return
  const begun = performance.now()
  let [lastAt, bytes] = [begun, 0]
  const look = () => {
    const now = performance.now()
    if (now - begun > LINGER_MS || now - lastAt > LINGER_SILENCE_MS) socket.destroy()
  }
  lingering++
  const timer = setInterval(look, LINGER_LOOK_MS)
  socket.once('close', () => {
    lingering--
    clearInterval(timer)
  })
  // Without these, the parser would refuse each part of it again.
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    lastAt = performance.now()
    bytes += chunk.length
    if (bytes > LINGER_BYTES) socket.destroy()
  })
}
