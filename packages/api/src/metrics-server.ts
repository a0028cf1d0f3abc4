// Serves the health and the metrics of the process to monitoring tools. Customers cannot use it.
import { createServer, type Server } from 'node:http'
import type { Metrics } from '@dogwatch/runtime/metrics'
import type { Early } from './server.ts'

const BOUNDS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
}
const MOST_CONNECTIONS = 100

export function createMetricsServer(health: Early, metrics: Metrics): Server {
  const server = createServer(BOUNDS, (req, res) => {
    if (health(req, res)) return
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    if (!isRead || !/^\/metrics(?:$|\?)/.test(req.url ?? '')) {
      res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end('no such path')
      return
    }
    const { registry } = metrics
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    )
  })
  server.maxConnections = MOST_CONNECTIONS
  return server
}
