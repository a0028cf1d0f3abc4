// A lean reader for answers of any length: it counts and discards, and can be told to read slowly.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface Download {
  /** Bytes of everything that arrived, including head and framing. */
  bytes: number
  /** How often the searched text occurred. */
  found: number
}

export interface DownloadOptions {
  /** A text to count. Searching is expensive, so not while speed is measured. */
  find?: string
  bytesPerSec?: number
  /** Disconnects in the middle. */
  signal?: AbortSignal
}

const END = Buffer.from('\r\n0\r\n\r\n')
const TICK_MS = 50

/** Sends the bytes of a whole request; fails unless the answer is a 200 that ends as a chunked body does. */
export async function download(port: number, request: Buffer, options: DownloadOptions = {}): Promise<Download> {
  const socket = connect({ port, host: '127.0.0.1', signal: options.signal })
  await once(socket, 'connect')
  socket.write(request)
  const tally = { bytes: 0, found: 0 }
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of paced(socket, options.bytesPerSec)) {
    if (tally.bytes === 0) requireOk(chunk)
    tally.bytes += chunk.length
    if (options.find !== undefined) tally.found += count(Buffer.concat([tail, chunk]), options.find, tail.length)
    tail = Buffer.concat([tail.subarray(-64), chunk.subarray(-64)])
    if (tail.subarray(-END.length).equals(END)) break
  }
  if (!tail.subarray(-END.length).equals(END)) throw new Error('an answer broke off')
  return tally
}

/** The chunks of a socket, no faster than asked. */
async function* paced(socket: Socket, bytesPerSec: number | undefined): AsyncGenerator<Buffer> {
  const begun = performance.now()
  let bytes = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    yield chunk
    bytes += chunk.length
    while (bytesPerSec !== undefined && bytes / bytesPerSec > (performance.now() - begun) / 1000) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
  }
}

function requireOk(chunk: Buffer): void {
  const line = chunk.toString('latin1', 0, 12)
  if (line !== 'HTTP/1.1 200') throw new Error(`the server answered ${chunk.toString('latin1', 0, 400)}`)
}

/** How often it occurs, apart from occurrences entirely before `seen`. */
function count(bytes: Buffer, what: string, seen: number): number {
  let found = 0
  for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) if (at + what.length > seen) found++
  return found
}
