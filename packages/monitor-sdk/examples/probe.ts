// Runs a check once: http, https and tcp, with all fields of the first release. What this example cannot do fails with an error
// that begins with `config:`, so that people see it.

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

interface Answer {
  status: number
  body: string
  /** End of the certificate, in milliseconds since the Unix epoch. */
  expires?: number | undefined
}

const BODY_MAX_BYTES = 1024 * 1024
const REDIRECTS_MAX = 10
const PATTERN_MS = 1000
const DAY_MS = 86_400_000

/** Runs a check and judges what it found. `stopping` ends it early. */
export async function probe(check: Check, stopping: AbortSignal): Promise<ProbeResult> {
  const unsupported = unsupportedIn(check)
  if (unsupported) {
    // Nothing was asked of the target, so there is no verdict to invert.
    const error = `config: this agent does not support ${unsupported}`
    return { success: false, latency_ms: 0, http_status: 0, error, body: '' }
  }
  const seconds = check.timeout_sec || 10
  const deadline = AbortSignal.timeout(seconds * 1000)
  const signal = AbortSignal.any([deadline, stopping])
  const began = performance.now()
  const elapsed = () => Math.round(performance.now() - began)
  let answer: Answer = { status: 0, body: '' }
  let latency_ms: number
  let error: string
  try {
    answer = await (/^tcp:/i.test(check.url) ? dial(check, signal) : request(check, signal))
    latency_ms = elapsed()
    error = verdict(check, answer, latency_ms)
  } catch (cause) {
    latency_ms = elapsed()
    error = deadline.aborted ? `timeout: no complete answer within ${seconds} s` : `transport: ${reasonOf(cause)}`
  }
  if (check.invert_result) error = error ? '' : 'inverted: the target is healthy'
  return { success: !error, latency_ms, http_status: answer.status, error, body: answer.body }
}

function unsupportedIn(check: Check): string | undefined {
  if (!/^(https?|tcp):\/\//i.test(check.url)) return `${check.url.split(':')[0]} checks`
  if (!/^(not_)?(contains|regex)$/.test(check.match_mode ?? 'contains')) return `match_mode ${check.match_mode}`
  if (check.status_code_op && !COMPARE.has(check.status_code_op)) return `status_code_op ${check.status_code_op}`
  return undefined
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
  return runInNewContext('new RegExp(pattern).test(text)', { pattern, text }, { timeout: PATTERN_MS })
}

async function request(check: Check, signal: AbortSignal): Promise<Answer> {
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
    const { location } = response.headers
    if (check.disable_redirects || location === undefined || ![301, 302, 303, 307, 308].includes(status)) {
      const expires = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : undefined
      return { status, body: await readBeginning(response), expires }
    }
    response.destroy()
    if (redirects === REDIRECTS_MAX) throw new Error(`more than ${REDIRECTS_MAX} redirects`)
    const next = new URL(location, target)
    if (next.origin !== target.origin) for (const name of ['authorization', 'cookie', 'host']) headers.delete(name)
    if (status < 307) {
      body = ''
      headers.delete('content-type')
    }
    target = next
  }
}

interface Sent {
  headers: Headers
  body: string | undefined
  signal: AbortSignal
  rejectUnauthorized: boolean
}

async function send(target: URL, { headers, body, ...options }: Sent): Promise<IncomingMessage> {
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
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += decoder.decode(piece, { stream: true })
    bytes += piece.length
    if (bytes > BODY_MAX_BYTES) break
  }
  return text + decoder.decode()
}

/** Connects to `tcp://host:port`. With a text to look for it reads the banner until the text comes, or nothing more does. */
async function dial(check: Check, signal: AbortSignal): Promise<Answer> {
  const { hostname, port } = new URL(check.url)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
  try {
    await once(socket, 'connect', { signal })
    let body = ''
    if (!check.match_string) return { status: 0, body }
    const end = () => socket.destroy()
    signal.addEventListener('abort', end)
    try {
      for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) {
        body += piece
        if (isFound(check, body) || body.length > BODY_MAX_BYTES) break
      }
    } catch (error) {
      // What came before the end is the banner.
      if (body === '') throw error
    }
    signal.removeEventListener('abort', end)
    if (body === '') throw new Error('the connection was closed before a banner arrived')
    return { status: 0, body }
  } finally {
    socket.destroy()
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
