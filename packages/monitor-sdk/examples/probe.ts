// Runs a check once: http and https with fetch, which refuses some ports (1, 22, 25 ...), and tcp with a socket. What this
// example cannot do fails with an error that begins with `config:`, so that people see it.

import { once } from 'node:events'
import { connect } from 'node:net'
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
}

const BODY_MAX_BYTES = 1024 * 1024

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
  if (check.insecure_skip_verify) return 'insecure_skip_verify'
  if (check.cert_expiry_warn_days) return 'cert_expiry_warn_days'
  if (check.match_string && !/^(not_)?contains$/.test(check.match_mode ?? 'contains')) {
    return `match_mode ${check.match_mode}`
  }
  if (check.status_code_op && !(check.status_code_op in COMPARE)) return `status_code_op ${check.status_code_op}`
  return undefined
}

const COMPARE: Record<string, (status: number, value: number) => boolean> = {
  eq: (status, value) => status === value,
  ne: (status, value) => status !== value,
  lt: (status, value) => status < value,
  lte: (status, value) => status <= value,
  gt: (status, value) => status > value,
  gte: (status, value) => status >= value,
}

/** Returns why the check fails, or an empty text. The rules have this order: status, match, response time. */
function verdict(check: Check, { status, body }: Answer, latency_ms: number): string {
  const compare = COMPARE[check.status_code_op ?? '']
  if (status > 0 && compare && !compare(status, check.status_code_value ?? 0)) {
    return `status: ${status} is not ${check.status_code_op} ${check.status_code_value}`
  }
  if (!compare && status >= 400) return `status: ${status}`
  const isUnwanted = check.match_mode === 'not_contains'
  if (check.match_string && body.includes(check.match_string) === isUnwanted) {
    return `match: the text is ${isUnwanted ? 'there' : 'missing'}`
  }
  const limit = check.max_response_time_ms || Number.POSITIVE_INFINITY
  return latency_ms > limit ? `slow: ${latency_ms} ms, allowed are ${limit} ms` : ''
}

async function request(check: Check, signal: AbortSignal): Promise<Answer> {
  const target = new URL(check.url)
  const headers = new Headers(check.headers)
  if (target.username || target.password) {
    const userinfo = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`
    if (!headers.has('authorization')) headers.set('authorization', `Basic ${Buffer.from(userinfo).toString('base64')}`)
    target.username = ''
    target.password = ''
  }
  if (check.post_data && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
  const response = await fetch(target, {
    ...(check.post_data ? { method: 'POST', body: check.post_data } : { method: 'GET' }),
    headers,
    redirect: check.disable_redirects ? 'manual' : 'follow',
    signal,
  })
  return { status: response.status, body: await readBeginning(response) }
}

async function readBeginning(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
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
    for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) {
      body += piece
      if (body.includes(check.match_string) || body.length > BODY_MAX_BYTES) break
    }
    signal.removeEventListener('abort', end)
    return { status: 0, body }
  } finally {
    socket.destroy()
  }
}

/** Returns the reason behind `fetch failed`, which alone says nothing. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
