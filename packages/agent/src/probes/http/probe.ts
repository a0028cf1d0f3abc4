// Probes an http:// or https:// target: sends one request, and further requests to follow redirects.
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import { endOf } from '@dogwatch/check-rules/address'
import { type ProxyAddress, readProxy } from '@dogwatch/check-rules/request'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import type { Check } from '@dogwatch/monitor-sdk'
import type { Attempt } from '../attempt.ts'
import { dial, type Security } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { proxyAuthorization } from '../proxy.ts'
import { serverName } from '../web-identity.ts'
import { readBody } from './body.ts'
import { Cookies } from './cookies.ts'
import { cleanHeads, HEAD_MAX_BYTES } from './head.ts'
import { follow, type RedirectFault, type Request } from './redirect.ts'
import { headerLines } from './request-headers.ts'

const REDIRECTS_MAX = 10

/** State that all requests of a probe share. */
interface Visit {
  attempt: Attempt
  check: Check
  /** Whether to report certificates: because the check itself is for https, or because a person wants to see them. */
  shows_certificates: boolean
  cookies: Cookies
  proxy: ProxyAddress | undefined
}

export const probeHttp: Probe<'http' | 'https'> = (attempt, { url, scheme }, check) => {
  const body = check.post_data ?? ''
  const method = check.method || (body === '' ? 'GET' : 'POST')
  const { isPrivate = false, showsCertificates = false } = attempt.bounds
  const shows_certificates = showsCertificates || SCHEMES[scheme].isTls
  const request: Request = { url, method, headers: check.headers ?? {}, body, isPrivate }
  const proxy = check.proxy ? readProxy(check.proxy) : undefined
  if (proxy && 'fault' in proxy) return attempt.crash(new Error('the proxy was not validated'))
  visit({ attempt, check, shows_certificates, cookies: new Cookies(), proxy }, request, redirectsOf(check))
}

/** Returns the maximum number of redirects of a check. */
function redirectsOf({ max_redirects = 0 }: Check): number {
  return max_redirects || REDIRECTS_MAX
}

function visit(visited: Visit, request: Request, redirects: number): void {
  const { attempt, proxy } = visited
  const { isTls, port: defaultPort } = SCHEMES[request.url.protocol === 'https:' ? 'https' : 'http']
  const { host, port } = endOf(request.url, defaultPort)
  const secure = isTls ? { secure: securityOf(visited, request, host) } : {}
  const tunnels = isTls || proxy?.scheme === 'socks5'
  const through = proxy ? { proxy: { ...proxy, tunnels } } : {}
  dial(attempt, { host, port, answers: true, ...secure, ...through }, (socket) =>
    ask(visited, { request, socket, redirects }),
  )
}

interface PendingRequest {
  request: Request
  socket: Socket
  redirects: number
}

function ask(visited: Visit, { request, socket, redirects }: PendingRequest): void {
  const { attempt, check, cookies } = visited
  cleanHeads(attempt, socket)
  const sent = send(request, { connection: socket, cookies, forwarder: forwarderOf(visited, request) })
  // After a redirect, events on the previous connection no longer matter.
  let isLeft = false
  let answer: IncomingMessage | undefined
  const failBy = (error: unknown): void => {
    // Data that follows a complete response does not belong to the response, even if it is not HTTP.
    if (!isLeft && !answer?.complete) attempt.failBy(error)
  }
  const onUpgrade = (): void => attempt.fail({ kind: 'http', words: 'the target switched to another protocol' })
  const onResponse = (response: IncomingMessage): void => {
    answer = response
    attempt.http_status = response.statusCode ?? 0
    const { headers, httpVersion: http_version } = response
    Object.assign(attempt.facts, { headers, http_version, final_url: `${request.url.origin}${request.url.pathname}` })
    response.on('error', attempt.guarded(failBy))
    if (attempt.http_status < 100) return attempt.fail({ kind: 'http', words: 'the response has no valid status' })
    const next = check.disable_redirects ? undefined : follow(request, attempt.http_status, response.headers.location)
    if (!next) return read(attempt, response)
    isLeft = true
    const now = attempt.bounds.server_time?.() ?? new Date()
    cookies.keep(request.url, response.headers['set-cookie'] ?? [], now)
    leave(visited, { socket, next, redirects })
  }
  sent.on('error', attempt.guarded(failBy))
  sent.on('upgrade', attempt.guarded(onUpgrade))
  sent.on('response', attempt.guarded(onResponse))
}

function securityOf({ check, shows_certificates }: Visit, request: Request, host: string): Security {
  return {
    name: serverName(request, host),
    may_be_anyone: check.insecure_skip_verify ?? false,
    shows_certificate: shows_certificates,
    protocols: ['http/1.1'],
  }
}

/** Returns the proxy if it forwards the request itself, and undefined if it opens a tunnel or there is no proxy. */
function forwarderOf({ proxy }: Visit, { url }: Request): ProxyAddress | undefined {
  return proxy?.scheme === 'http' && url.protocol === 'http:' ? proxy : undefined
}

interface Sending {
  connection: Socket
  cookies: Cookies
  forwarder: ProxyAddress | undefined
}

function send(request: Request, { connection, cookies, forwarder }: Sending): ClientRequest {
  const { url, method, body } = request
  const path = `${url.pathname}${url.search}`
  const sent = sendRequest({
    method,
    path: forwarder ? `${url.origin}${path}` : path,
    // Passes a list of headers, because Node sends a list unchanged, in this order, and adds no headers.
    headers: headerLines(request, cookies, forwarder && proxyAuthorization(forwarder)),
    maxHeaderSize: 2 * HEAD_MAX_BYTES,
    // Makes the parser as lenient as browsers, but keeps it strict where the end of a body would be uncertain.
    insecureHTTPParser: true,
    // Without an agent, no connection is kept alive and no session is resumed.
    createConnection: () => connection,
  })
  sent.end(body)
  return sent
}

interface Leaving {
  socket: Socket
  next: Request | RedirectFault
  redirects: number
}

function leave(visited: Visit, { socket, next, redirects }: Leaving): void {
  const { attempt, check } = visited
  if ('misled' in next) return attempt.fail({ kind: 'redirect', words: next.misled })
  if (redirects === 0) return attempt.fail({ kind: 'redirect', words: `more than ${redirectsOf(check)} redirects` })
  attempt.redirects.push(`${next.url.origin}${next.url.pathname}`)
  // Waits until the connection is closed. Otherwise, the next connection might get the same local port, while the target still
  // uses it for the previous one.
  const onClose = (): void => {
    if (!attempt.isOver) visit(visited, next, redirects - 1)
  }
  socket.once('close', attempt.guarded(onClose))
  socket.destroy()
}

function read(attempt: Attempt, response: IncomingMessage): void {
  attempt.enter('body')
  readBody(attempt, response, {
    onDone: (text, notes) => attempt.finish(text, notes),
    onUndecodable: () => attempt.fail({ kind: 'http', words: 'the body does not match its Content-Encoding' }),
  })
}
