// grpc:// targets: what the health service of a server reports, and servers without one.
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { expect, test } from '@jest/globals'
import { run } from '../../../test/support/checks.ts'
import { listen, serveHttp } from '../../../test/support/servers.ts'

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, request: Buffer) => void

async function serveGrpc(answer: Answer): Promise<string> {
  const server = createServer()
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    stream.once('data', (request: Buffer) => answer(stream, headers, request))
  })
  return `grpc://127.0.0.1:${await listen(server)}`
}

/** Responds with a message, and with a status after it. */
const responding =
  (message: Buffer, status = '0'): Answer =>
  (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }))
    stream.end(message)
  }

const state = (number: number) => Buffer.from([0, 0, 0, 0, 2, 8, number])

test('a service that serves is up, and the request names it', async () => {
  const requests: unknown[] = []
  const url = await serveGrpc((stream, headers, request) => {
    requests.push(headers[':path'], headers['x-a'], request.toString('latin1'))
    responding(state(1))(stream, headers, request)
  })
  const found = await run(`${url}/shop.Orders`, { headers: { 'X-A': 'b' }, match_string: 'SERVING' })
  expect(found).toMatchObject({ kind: 'ok', response_sample: 'SERVING', http_status: 200 })
  expect(requests).toEqual(['/grpc.health.v1.Health/Check', 'b', '\0\0\0\0\x0d\n\x0bshop.Orders'])
})

test.each([
  ['UNKNOWN', Buffer.alloc(5), 'the service is UNKNOWN'],
  ['NOT_SERVING', state(2), 'the service is NOT_SERVING'],
  ['SERVICE_UNKNOWN', state(3), 'the service is SERVICE_UNKNOWN'],
  ['something else', state(4), 'the response is not valid gRPC'],
  ['half a message', state(1).subarray(0, 6), 'the response is not valid gRPC'],
  ['too much', Buffer.alloc(5000), 'the response is not valid gRPC'],
])('a server that reports %s fails the check', async (_, message, words) => {
  expect((await run(await serveGrpc(responding(message)))).error).toBe(`protocol: ${words}`)
})

test.each([
  ['5', 'the server does not know the service (NOT_FOUND)'],
  ['12', 'the server has no health service (UNIMPLEMENTED)'],
  ['14', 'the call failed with UNAVAILABLE'],
  ['99', 'the response is not valid gRPC'],
])('the status %s without a message fails the check', async (status, words) => {
  const url = await serveGrpc((stream) => {
    stream.respond({ ':status': 200, 'grpc-status': status, 'grpc-message': 'down%20now' }, { endStream: true })
  })
  expect((await run(url)).error).toBe(`protocol: ${words}`)
})

test('a server that does not speak gRPC fails the check', async () => {
  const web = await serveGrpc((stream) => stream.respond({ ':status': 404 }, { endStream: true }))
  expect((await run(web)).error).toBe('http: the status is 404, and the response is not gRPC')
  const old = await serveHttp((_req, res) => res.end('x'))
  expect((await run(old.replace('http', 'grpc'))).error).toBe('protocol: the target does not speak HTTP/2')
  const aborting = await serveGrpc((stream) => stream.close(2))
  expect((await run(aborting)).error).toBe('protocol: the server aborted the call')
})
