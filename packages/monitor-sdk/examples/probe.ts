// Runs a check once: http, https and tcp, with all fields of the first release. What this example cannot do fails with an error
// that begins with `config:`, so that people see it. It leaves out what few targets need: a charset that only the page itself
// names, compressed bodies (it does not ask for them), cookies for other origins, and the path and the expiry of a cookie.

import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect } from 'node:net'
import { TLSSocket } from 'node:tls'
import { runInNewContext } from 'node:vm'
import type { Check } from '@dogwatch/monitor-sdk'

export interface ProbeResult {
  success: boolean
  latency_ms: number
  /** 0 where nothing answered, and for tcp. */
  http_status: number
  /** Why it failed, or empty. */
  error: string
  /** The beginning of what the target answered. */
  body: string
}

/** Observations of a run in progress. */
interface Answer {
  status: number
  body: string
  /** First end of the certificates of all hosts, in milliseconds since the Unix epoch. */
  expires?: number
  /** When the last byte of a banner arrived, on the clock of `performance`. */
  answered?: number
}

/** A fault of the definition or of this agent. It says nothing about the target, so there is no verdict to invert. */
class ConfigError extends Error {}

const BODY_MAX_BYTES = 1024 * 1024
const BANNER_MAX_BYTES = 4096
const REDIRECTS_MAX = 10
const PATTERN_MS = 1000
const DAY_MS = 86_400_000

/** Runs a check and judges what it found. `stopping` ends it early. */
export async function probe(check: Check, stopping: AbortSignal): Promise<ProbeResult> {
  const seconds = check.timeout_sec || 10
  const deadline = AbortSignal.timeout(seconds * 1000)
  const signal = AbortSignal.any([deadline, stopping])
  const began = performance.now()
  const answer: Answer = { status: 0, body: '' }
  const elapsed = () => Math.round((answer.answered ?? performance.now()) - began)
  let latency_ms = 0
  let error: string
  try {
    requireSupport(check)
    await (/^tcp:/i.test(check.url) ? dial(check, answer, signal) : request(check, answer, signal))
    latency_ms = elapsed()
    error = verdict(check, answer, latency_ms)
  } catch (cause) {
    if (cause instanceof ConfigError) {
      const words = `config: ${cause.message}`
      return { success: false, latency_ms, http_status: answer.status, error: words, body: answer.body }
    }
    latency_ms = elapsed()
    error = deadline.aborted ? `timeout: no complete answer within ${seconds} s` : `transport: ${reasonOf(cause)}`
  }
  if (check.invert_result) error = error ? '' : 'inverted: the target is healthy'
  return { success: !error, latency_ms, http_status: answer.status, error, body: answer.body }
}

/** Throws a ConfigError before anything is asked of the target, if this example cannot run the check. */
function requireSupport(check: Check): void {
  const { url, match_mode = 'contains', status_code_op: op } = check
  const lacks = (what: string) => new ConfigError(`this agent does not support ${what}`)
  if (!/^(https?|tcp):\/\//i.test(url)) throw lacks(`${url.split(':')[0]} checks`)
  if (!/^(not_)?(contains|regex)$/.test(match_mode)) throw lacks(`match_mode ${match_mode}`)
  if (op && !COMPARE.has(op)) throw lacks(`status_code_op ${op}`)
  if (check.match_string) isFound(check, '')
}

const COMPARE = new Map<string, (status: number, value: number) => boolean>([
  ['eq', (status, value) => status === value],
  ['ne', (status, value) => status !== value],
  ['lt', (status, value) => status < value],
  ['lte', (status, value) => status <= value],
  ['gt', (status, value) => status > value],
  ['gte', (status, value) => status >= value],
])

/** Returns why the check fails, or an empty text. The rules have this order: status, certificate, match, response time. */
function verdict(check: Check, { status, body, expires }: Answer, latency_ms: number): string {
  const compare = COMPARE.get(check.status_code_op ?? '')
  if (status > 0 && compare && !compare(status, check.status_code_value ?? 0)) {
    return `status: ${status} is not ${check.status_code_op} ${check.status_code_value}`
  }
  if (!compare && status >= 400) return `status: ${status}`
  const days = check.cert_expiry_warn_days || Number.NEGATIVE_INFINITY
  if (expires !== undefined && expires - Date.now() <= days * DAY_MS) {
    return `cert_expiry: the certificate expires within ${days} days`
  }
  const isUnwanted = check.match_mode?.startsWith('not_') ?? false
  if (check.match_string && isFound(check, body) === isUnwanted) {
    return `match: the text is ${isUnwanted ? 'there' : 'missing'}`
  }
  const limit = check.max_response_time_ms || Number.POSITIVE_INFINITY
  return latency_ms > limit ? `slow: ${latency_ms} ms, allowed are ${limit} ms` : ''
}

function isFound({ match_mode, match_string: pattern }: Check, text: string): boolean {
  if (!match_mode?.endsWith('regex')) return text.includes(pattern)
  // The engine of JavaScript knows nearly all of RE2, but can take very long.
  try {
    return runInNewContext('new RegExp(pattern).test(text)', { pattern, text }, { timeout: PATTERN_MS })
  } catch (error) {
    throw new ConfigError(`the pattern fails: ${reasonOf(error)}`)
  }
}

async function request(check: Check, answer: Answer, signal: AbortSignal): Promise<void> {
  let target = new URL(check.url)
  const headers = new Headers(check.headers)
  if (target.username || target.password) {
    const userinfo = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
    if (!headers.has('authorization')) headers.set('authorization', `Basic ${Buffer.from(userinfo).toString('base64')}`)
    target.username = ''
    target.password = ''
  }
  let body = check.post_data
  if (body && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(target, { headers, body, signal, rejectUnauthorized: !check.insecure_skip_verify })
    const { statusCode: status = 0, socket } = response
    answer.status = status
    if (/^https:/i.test(check.url) && socket instanceof TLSSocket) {
      const expires = Date.parse(socket.getPeerCertificate().valid_to)
      answer.expires = Math.min(expires, answer.expires ?? expires)
    }
    const { location } = response.headers
    if (check.disable_redirects || location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
      answer.body = await readBeginning(response)
      return
    }
    response.destroy()
    if (redirects === REDIRECTS_MAX) throw new Error(`more than ${REDIRECTS_MAX} redirects`)
    const next = new URL(location, target)
    if (status < 307) {
      body = ''
      headers.delete('content-type')
    }
    keepCookies(headers, response.headers['set-cookie'])
    if (next.origin !== target.origin) {
      if (body && !isSameSite(next, target)) throw new Error('the redirect takes the body to another origin')
      for (const name of [...headers.keys()]) if (!mayFollow(name, next, target)) headers.delete(name)
    }
    target = next
  }
}

const HARMLESS = /^(accept|accept-encoding|accept-language|cache-control|content-type|pragma|user-agent)$/
const SECRET = /^(authorization|cookie|host|proxy-authorization)$/

/** Whether a header may go to another origin. It can be a key to the first one. */
function mayFollow(name: string, to: URL, from: URL): boolean {
  return isSameSite(to, from) ? !SECRET.test(name) : HARMLESS.test(name)
}

/** Whether a redirect leads only from http to https, or from shop.example to www.shop.example. */
function isSameSite(to: URL, from: URL): boolean {
  if (to.port || from.port || (from.protocol === 'https:' && to.protocol === 'http:')) return false
  return to.hostname === from.hostname || to.hostname === `www.${from.hostname}`
}

/** Adds the cookies of a redirect to those that are sent. One of the same name is replaced. */
function keepCookies(headers: Headers, lines: readonly string[] = []): void {
  const pairs = [...(headers.get('cookie') ?? '').split(';'), ...lines.map((line) => line.split(';', 1)[0] ?? '')]
  const named = pairs.map((pair) => pair.trim()).map((pair) => [pair.split('=', 1)[0], pair] as const)
  const cookie = [...new Map(named).values()].filter(Boolean).join('; ')
  if (cookie) headers.set('cookie', cookie)
}

interface HttpRequest {
  headers: Headers
  body: string | undefined
  signal: AbortSignal
  rejectUnauthorized: boolean
}

async function send(target: URL, { headers, body, ...options }: HttpRequest): Promise<IncomingMessage> {
  const start = target.protocol === 'https:' ? requestHttps : requestHttp
  const method = body ? 'POST' : 'GET'
  const sent = start(target, { ...options, method, headers: Object.fromEntries(headers), agent: false })
  // A request whose end comes after its response must not end the agent.
  sent.on('error', () => {})
  sent.end(body || undefined)
  const [response] = await once(sent, 'response', { signal: options.signal })
  return response
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= BODY_MAX_BYTES) break
  }
  return decode(Buffer.concat(pieces).subarray(0, BODY_MAX_BYTES), response.headers['content-type'])
}

function decode(bytes: Buffer, contentType = ''): string {
  try {
    return new TextDecoder(/charset="?([^\s;"]+)/i.exec(contentType)?.[1]).decode(bytes)
  } catch {
    // The name of the charset is unknown.
    return bytes.toString()
  }
}

/** Connects to `tcp://host:port`. With a text to look for it reads the banner until the text comes, or nothing more does. */
async function dial(check: Check, answer: Answer, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(check.url)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
  const end = () => socket.destroy()
  try {
    await once(socket, 'connect', { signal })
    if (!check.match_string) return
    signal.addEventListener('abort', end)
    let banner = Buffer.alloc(0)
    try {
      for await (const piece of socket as AsyncIterable<Buffer>) {
        answer.answered = performance.now()
        banner = Buffer.concat([banner, piece]).subarray(0, BANNER_MAX_BYTES)
        answer.body = banner.toString()
        if (isFound(check, answer.body) || banner.length === BANNER_MAX_BYTES) break
      }
    } catch (error) {
      // The banner is the text that arrived in time.
      if (answer.body === '' || !signal.aborted) throw error
    }
    if (answer.body === '') throw new Error('the connection was closed before a banner arrived')
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
