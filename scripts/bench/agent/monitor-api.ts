// A monitor API on a real socket that accepts everything, for the agent to sync with and upload to. It keeps the
// results.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Check, Result } from '../../../packages/monitor-sdk/dist/index.js'
import type { BareStage } from '../../lab/stage.ts'

export interface MonitorApi {
  url: string
  results: Result[]
  uploads: number
  /** When the checks were first requested. */
  synced: Promise<void>
}

export async function serveMonitorApi(stage: BareStage, checks: readonly Check[]): Promise<MonitorApi> {
  const { promise: synced, resolve: wasSynced } = Promise.withResolvers<undefined>()
  const all = JSON.stringify(checks)
  const answers: Record<string, (body: string, query: URLSearchParams) => string> = {
    'POST /enroll': () => '{"monitor_id":"0123456789ab","api_key":"dogwatch_monitor_bench"}',
    'GET /checks': (_, query) => {
      wasSynced(undefined)
      return `{"checks":${query.has('since') ? '[]' : all},"server_time":"${serverTime()}","now":"${serverTime()}"}`
    },
    'POST /results': (body) => {
      const { results } = JSON.parse(body) as { results: Result[] }
      api.results.push(...results)
      api.uploads++
      return `{"accepted":${results.length}}`
    },
  }
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://any')
    const answer = answers[`${req.method} ${pathname.replace('/monitor-api/v1', '')}`]
    const body = await bodyOf(req)
    res.setHeader('content-type', 'application/json').end(answer?.(body, searchParams) ?? '{"status":"ok"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stage.undo(async () => void server.close().closeAllConnections())
  const api = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    results: [] as Result[],
    uploads: 0,
    synced,
  }
  return api
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const raw = await buffer(req)
  return (req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
}

function serverTime(): string {
  return new Date().toISOString().replace('Z', '000Z')
}
