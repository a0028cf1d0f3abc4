// Sends a DNS query to a server, and waits for its response: over UDP, over TCP if the response is too long, or over TLS.
import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Attempt } from '../attempt.ts'
import { type DatagramRequest, exchangeDatagrams, type Peer } from '../datagram.ts'
import { connectTo, type Endpoint } from '../dial.ts'
import { CLOSED } from '../faults.ts'
import type { Fault } from '../observation.ts'
import { type DnsResponse, type Question, readResponse, writeQuery } from './message.ts'
import { WireFault } from './wire.ts'

const INVALID: Fault = { kind: 'dns', words: 'the response is not valid DNS' }
const STRANGE: Fault = { kind: 'dns', words: 'the response does not match the query' }

/** Error for a response code that means that the server could not find the answer. The next server is then queried. */
export class ServerFailure extends Error {}

const FAILURES: ReadonlySet<string> = new Set(['SERVFAIL', 'NOTIMP', 'REFUSED'])

export interface UdpQuery {
  peers: readonly Peer[]
  question: Question
  /** Whether a response code such as `SERVFAIL` counts as a failure of the server, so that the next server is queried. */
  skipsFailures: boolean
  onResponse: (response: DnsResponse, peer: Peer) => void
  onError: (error: unknown) => void
}

/** Sends a query over UDP. The caller must destroy the exchange when the attempt ends. */
export function queryOverUdp(attempt: Attempt, query: UdpQuery): { destroy: () => void } {
  const { peers, question, skipsFailures, onResponse, onError } = query
  const request = (): DatagramRequest<DnsResponse> => {
    const id = randomInt(0x1_0000)
    const read = (datagram: Buffer): DnsResponse | undefined => {
      const response = readResponse(datagram, id, question)
      if (response && skipsFailures && FAILURES.has(response.rcode)) throw new ServerFailure(response.rcode)
      return response
    }
    return { bytes: writeQuery(id, question), read }
  }
  return exchangeDatagrams(attempt, { peers, request, onResponse, onError })
}

/** Ends the attempt with an error of a query. */
export function failQuery(attempt: Attempt, error: unknown): void {
  if (error instanceof WireFault) attempt.fail(INVALID)
  else if (error instanceof ServerFailure) attempt.fail({ kind: 'dns', words: error.message })
  else attempt.failBy(error)
}

/** Sends a query over a new connection, with or without TLS. The attempt ends if there is no response. */
export function queryOverStream(
  attempt: Attempt,
  endpoint: Omit<Endpoint, 'answers'>,
  question: Question,
  onResponse: (response: DnsResponse) => void,
): void {
  connectTo(attempt, { ...endpoint, answers: true }, (socket) => converse(attempt, socket, question, onResponse))
}

/** Sends a query over TCP to a resolver of this machine. */
export function queryOwnOverTcp(
  attempt: Attempt,
  { address, port }: Peer,
  question: Question,
  onResponse: (response: DnsResponse) => void,
): void {
  const socket = connect({ host: address, port })
  attempt.hold(socket)
  socket.on(
    'error',
    attempt.guarded(() => attempt.fail({ kind: 'dns', words: 'the resolver could not be reached' })),
  )
  converse(attempt, socket, question, onResponse)
}

function converse(
  attempt: Attempt,
  socket: Socket,
  question: Question,
  onResponse: (response: DnsResponse) => void,
): void {
  const id = randomInt(0x1_0000)
  const query = writeQuery(id, question)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  socket.write(Buffer.concat([length, query]))
  const chunks: Buffer[] = []
  let received = 0
  let wanted = Number.POSITIVE_INFINITY
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk)
    received += chunk.length
    if (wanted === Number.POSITIVE_INFINITY && received >= 2) wanted = 2 + Buffer.concat(chunks).readUInt16BE()
    if (received < wanted) return
    socket.removeAllListeners('data')
    try {
      const response = readResponse(Buffer.concat(chunks).subarray(2, wanted), id, question)
      if (response) onResponse(response)
      else attempt.fail(STRANGE)
    } catch (error) {
      failQuery(attempt, error)
    }
  }
  socket.on('data', attempt.guarded(onData))
  socket.on(
    'end',
    attempt.guarded(() => attempt.fail(CLOSED)),
  )
}
