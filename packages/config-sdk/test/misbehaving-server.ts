// A server on a real socket that answers by a script, and wrongly when told to.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach } from '@jest/globals'

/** One request as it arrived; the body is decoded. */
export interface Arrived {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export type Reply = (res: ServerResponse, arrived: Arrived) => void

/** Answers the first request with the first reply and so on; the last one stays for all that follow. */
export interface ScriptedServer {
  baseUrl: string
  arrived: Arrived[]
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

export async function serve(...script: Reply[]): Promise<ScriptedServer> {
  const arrived: Arrived[] = []
  const server = createServer(async (req, res) => {
    const pieces: Buffer[] = []
    for await (const piece of req) pieces.push(piece as Buffer)
    const raw = Buffer.concat(pieces)
    const body = (req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
    const entry = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body }
    const reply = script[Math.min(arrived.push(entry), script.length) - 1]
    if (!reply) throw new Error('the script is empty')
    reply(res, entry)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived }
}

export function json(value: unknown, headers: Record<string, string> = {}): Reply {
  return (res) => res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (res) => res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(body)
}

/** Takes the request and closes the connection without a word. */
export const hangUp: Reply = (res) => {
  res.socket?.destroy()
}

/** Takes the request and never answers. */
export const silence: Reply = () => {}

/** Sends headers and half a body, then closes the connection. */
export function cutShort(status = 200, half = '{"status":'): Reply {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
    res.write(half, () => res.socket?.destroy())
  }
}

/** Sends headers and half a body, then nothing. */
export const stall: Reply = (res) => {
  res.writeHead(200, { 'content-type': 'application/json' })
  res.write('{"status":')
}

/** Sends the body in pieces, one each `everyMs`. */
export function drip(pieces: string[], everyMs: number): Reply {
  return (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const rest = [...pieces]
    const timer = setInterval(() => {
      const piece = rest.shift()
      if (piece !== undefined) return void res.write(piece)
      clearInterval(timer)
      res.end()
    }, everyMs)
  }
}

/** A reply that may look at what arrived. */
export function answer(make: (arrived: Arrived) => Reply): Reply {
  return (res, arrived) => make(arrived)(res, arrived)
}
