// Probes a grpc:// or grpcs:// target: asks the standard health service about a service.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { SCHEMES } from '@dogwatch/check-rules/schemes'
import type { TargetOf } from '@dogwatch/check-rules/target'
import type { Check } from '@dogwatch/monitor-sdk'
import { VERSION } from '../../process/version.ts'
import type { Attempt } from '../attempt.ts'
import { connectTo, securityOf } from '../dial.ts'
import { CLOSED } from '../faults.ts'
import type { Fault } from '../observation.ts'
import type { Probe } from '../probe.ts'
import { CHECK_PATH, codeName, readState, writeRequest } from './health.ts'

/** Maximum length of a response, in bytes. A valid one has seven. */
const RESPONSE_MAX_BYTES = 1024
/** Maximum length of the message of a failed call that is kept. */
const MESSAGE_MAX_CHARS = 500
const NO_HTTP2: Fault = { kind: 'protocol', words: 'the target does not speak HTTP/2' }
const INVALID: Fault = { kind: 'protocol', words: 'the response is not valid gRPC' }

export const probeGrpc: Probe<'grpc' | 'grpcs'> = (attempt, target, check) => {
  const { scheme, host, port } = target
  const { isTls } = SCHEMES[scheme]
  const secure = { ...securityOf(host, check), protocols: ['h2'] }
  connectTo(attempt, { host, port, answers: true, ...(isTls ? { secure } : {}) }, (socket) => {
    if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2') return attempt.fail(NO_HTTP2)
    call(attempt, socket, target, check)
  })
}

function call(attempt: Attempt, socket: Socket, target: TargetOf<'grpc' | 'grpcs'>, { headers = {} }: Check): void {
  const scheme = SCHEMES[target.scheme].isTls ? 'https' : 'http'
  const session = connect(`${scheme}://localhost`, {
    createConnection: () => socket,
    settings: { enablePush: false },
    maxHeaderListPairs: 64,
    maxSessionMemory: 1,
  })
  attempt.hold({ destroy: () => leave(session, socket) })
  const onError = attempt.guarded((error: Error) => failCall(attempt, error))
  session.on('error', onError)
  session.on(
    'close',
    attempt.guarded(() => attempt.fail(CLOSED)),
  )
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const { host = authorityOf(target), ...others } = Object.fromEntries(
    given.filter(([name]) => name !== 'http2-settings'),
  )
  const stream = session.request({
    ...others,
    ':method': 'POST',
    ':scheme': scheme,
    ':authority': host,
    ':path': CHECK_PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': others['user-agent'] ?? `dogwatch-agent/${VERSION}`,
    'grpc-timeout': `${Math.ceil(attempt.bounds.timeout_ms)}m`,
  })
  stream.on('error', onError)
  listen(attempt, stream)
  stream.end(writeRequest(target.service))
}

function authorityOf({ host, port }: TargetOf<'grpc' | 'grpcs'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function leave(session: ClientHttp2Session, socket: Socket): void {
  session.destroy()
  socket.destroy()
}

/** Reads the response. The status of the call is in the trailers, or in the headers if there is no message. */
function listen(attempt: Attempt, stream: ClientHttp2Stream): void {
  const chunks: Buffer[] = []
  let length = 0
  let told: IncomingHttpHeaders = {}
  const onHeaders = (headers: IncomingHttpHeaders): void => {
    attempt.enter('body')
    attempt.answered()
    attempt.http_status = Number(headers[':status'])
    told = { ...headers }
  }
  const onData = (chunk: Buffer): void => {
    attempt.answered()
    length += chunk.length
    if (length > RESPONSE_MAX_BYTES) return attempt.fail(INVALID)
    chunks.push(chunk)
  }
  const onTrailers = (trailers: IncomingHttpHeaders): void => {
    told = { ...told, ...trailers }
  }
  stream.on('response', attempt.guarded(onHeaders))
  stream.on('trailers', attempt.guarded(onTrailers))
  stream.on('data', attempt.guarded(onData))
  stream.on(
    'close',
    attempt.guarded(() => judge(attempt, told, Buffer.concat(chunks))),
  )
}

/** Failures of a call that say more than their code. */
const FAILURES = new Map([
  ['NOT_FOUND', 'the server does not know the service (NOT_FOUND)'],
  ['UNIMPLEMENTED', 'the server has no health service (UNIMPLEMENTED)'],
])

function judge(attempt: Attempt, told: IncomingHttpHeaders, message: Buffer): void {
  if (attempt.isOver) return
  if (attempt.http_status === 0) return attempt.fail(CLOSED)
  const { 'grpc-status': given, 'grpc-message': words } = told
  if (given === undefined && attempt.http_status !== 200)
    return attempt.fail({ kind: 'http', words: `the status is ${attempt.http_status}, and the response is not gRPC` })
  const code = codeName(String(given))
  if (code === undefined) return attempt.fail(INVALID)
  attempt.facts.grpc_status = code
  if (code !== 'OK') {
    const text = textOf(words)
    const content = text === '' ? code : `${code}: ${text}`
    return attempt.fail({ kind: 'protocol', words: FAILURES.get(code) ?? `the call failed with ${code}` }, content)
  }
  const state = readState(message)
  if (state === undefined) return attempt.fail(INVALID)
  attempt.facts.grpc_health = state
  if (state === 'SERVING') attempt.finish(state)
  else attempt.fail({ kind: 'protocol', words: `the service is ${state}` }, state)
}

/** Decodes the message of a failed call. */
function textOf(words: string | string[] | undefined): string {
  const text = String(words ?? '').slice(0, MESSAGE_MAX_CHARS)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function failCall(attempt: Attempt, error: Error): void {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_HTTP2_ERROR') return attempt.fail(NO_HTTP2)
  if (code?.startsWith('ERR_HTTP2_')) return attempt.fail({ kind: 'protocol', words: 'the server aborted the call' })
  attempt.failBy(error)
}
