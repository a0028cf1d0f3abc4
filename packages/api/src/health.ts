// Answers /healthz and /readyz, which supervisors and load balancers use.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readiness } from '@dogwatch/domain/readiness'

/** Returns a handler that answers requests for both paths, and returns false for all others. Logs nothing. */
export function healthAnswers(readiness: Readiness): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    const [path] = (req.url ?? '').split('?', 1)
    if (path !== '/healthz' && path !== '/readyz') return false
    // Does not wait for the body of the request.
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD').setHeader('Connection', 'close')
      send(res, 405, 'method not allowed')
    } else if (path === '/healthz') send(res, 200, 'ok')
    else void readiness.report().then(({ isReady, line }) => send(res, isReady ? 200 : 503, line))
    return true
  }
}

function send(res: ServerResponse, status: number, line: string): void {
  res
    .writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(line),
      'Cache-Control': 'no-store',
    })
    .end(line)
}
