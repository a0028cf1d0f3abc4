// Sends a line of text to a client that may still be sending its body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Request, Response } from 'express'

// Number of bytes of an unwanted body to read and discard, so that a client that is still sending receives the
// response.
const LINGER_BYTES = 8 * 1024 * 1024
const LINGER_MS = 5000
const LINGER_SILENCE_MS = 500
const LINGER_LOOK_MS = 100
/**
 * Maximum number of connections that stay open to discard a body. Further ones are closed at once, even if their clients miss the
 * response.
 */
const MOST_LINGER = 200
/**
 * Maximum length in bytes of a body to read to its end so that the connection can be used again, because a new connection costs
 * more.
 */
const SHORT_BYTES = 1024 * 1024

/** Sends a line of text, so that the client receives it even if it sends more than the server reads. */
export function sendLine(req: Request, res: Response, line: string): void {
  if (isStillSending(req)) sendAndLinger(req, res, line)
  else res.send(line)
}

/**
 * Sends a line like {@link sendLine}, but without Express. Costs as little as possible, and keeps the connection open if it can.
 */
export function endLine(req: IncomingMessage, res: ServerResponse, line: string): void {
  if (isStillSending(req) && !isShort(req)) {
    sendAndLinger(req, res, line)
    return
  }
  // Node discards the rest of the body, until the time limit for receiving a request.
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
 * Sends the whole response, but ends it only when the client has sent its body, has sent too much, or falls silent. If Node closed
 * the connection at once, a client that is still sending would lose the response.
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
 * Sends a last response on a connection with invalid bytes. Then discards input for a while, because closing at once would reset
 * the connection, and a proxy would consider the server as failed.
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
  // Without this, the parser would refuse each further part of the input again.
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    lastAt = performance.now()
    bytes += chunk.length
    if (bytes > LINGER_BYTES) socket.destroy()
  })
}
