// What is true of every answer, whatever was asked.
import { document } from '@dogwatch/contract/monitor'
import type { Hostile } from './hostile-requests.ts'
import type { RawAnswer } from './raw-http.ts'

const PREFIX = '/monitor-api/v1'
const MAX_LINE = 600
/** What only the inside of the server would say. */
const INSIDES =
  /\bat .+:\d+|node_modules|\.[jt]s\b|[Ee]rror:|\b(select|insert|update|delete) .+ (from|into|set)\b|relation "|syntax error|dogwatch_/
// What Node's parser gives up on, before anybody knows which operation it is for.
const TOO_LARGE_HEADERS = 431
const BEFORE_ROUTING = [400, 408, TOO_LARGE_HEADERS]

const declared = new Map(
  Object.entries(document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${PREFIX}${path}`,
        Object.keys(responses).map(Number),
      ]),
  ),
)

/** The first thing that is wrong with an answer; undefined for a good one. */
export function faultOf(
  { status, headers, body }: RawAnswer,
  request: Hostile,
  secrets: readonly string[],
): string | undefined {
  const line = body.toString('utf8')
  if (!/^r-[0-9a-f]{16}$/.test(headers['x-request-id'] ?? '')) return `${status} without X-Request-Id`
  if (status >= 500) return `status ${status}`
  if (!statusesFor(request).includes(status)) return `undeclared status ${status}`
  if (status < 400 || request.method === 'HEAD') return undefined
  if (headers['content-type'] !== 'text/plain; charset=utf-8') return `${status} as ${headers['content-type']}`
  if (line.length === 0 || line.length > MAX_LINE) return `a line of ${line.length} characters`
  if (/[\p{Cc}\u2028\u2029\ufffd]/u.test(line)) return `control characters in ${JSON.stringify(line)}`
  if (INSIDES.test(line) || secrets.some((secret) => line.includes(secret))) return `it tells too much: ${line}`
  return undefined
}

function statusesFor({ method, target, raw }: Hostile): readonly number[] {
  if (raw) return [200, ...BEFORE_ROUTING, 401, 404, 405]
  const [path = ''] = target.replace(/^http:\/\/[^/?#]*/i, '').split(/[?#]/)
  // A HEAD is answered as a GET.
  const name = `${method === 'HEAD' ? 'GET' : method} ${path}`
  return [...(declared.get(name) ?? [400, 404, 405]), TOO_LARGE_HEADERS]
}
