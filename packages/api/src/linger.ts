// Sends a line of text to a client that may still be sending its body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Request, Response } from 'express'

// Amount of an unwanted body that is read and discarded, so that a client that is still sending sees the response.
const LINGER_BYTES = 8 * 1024 * 1024
const LINGER_MS = 5000
const LINGER_SILENCE_MS = 500
const LINGER_LOOK_MS = 100
/** Maximum number of lingering connections. Beyond it, closing them matters more than what their clients see. */
const MOST_LINGER = 200
/** Maximum length of a body that is read to its end to keep the connection, because a new one costs both sides more. */
const SHORT_BYTES = 1024 * 1024

/** Sends a line of text, so that a client sees it even if it sends more than we read. */
export function sendLine(req: Request, res: Response, line: string): void {
  if (isStillSending(req)) sendAndLinger(req, res, line)
  else res.send(line)
}

/** Sends a line like {@link sendLine}, but without Express. Costs as little as possible, and keeps the connection if it can. */
export function endLine(req: IncomingMessage, res: ServerResponse, line: string): void {
  if (isStillSending(req) && !isShort(req)) {
    sendAndLinger(req, res, line)
    return
  }
  // Node discards the rest of the body, for as long as a request may take to arrive.
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
 * Sends the whole response, but ends it only when the client has sent its body, has sent too much, or falls silent. If Node
 * closed at once, a client that is still writing would lose the response.
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
 * Sends a last response on a connection with unreadable bytes. Discards further input for a while, because closing at once would
 * reset the connection, and a proxy would see a failed server.
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
  // Without this, the parser would refuse each further part again.
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    lastAt = performance.now()
    bytes += chunk.length
    if (bytes > LINGER_BYTES) socket.destroy()
  })
}
