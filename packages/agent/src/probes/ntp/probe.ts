// Probes an ntp:// target: asks for the time, and compares it with the time of this monitor.
import { randomBytes } from 'node:crypto'
import type { Attempt } from '../attempt.ts'
import { type DatagramRequest, exchangeDatagrams, findPeers, type Peer } from '../datagram.ts'
import type { Probe } from '../probe.ts'
import { COOKIE_BYTES, type NtpResponse, readNtpResponse, writeNtpRequest } from './packet.ts'

interface Sample extends NtpResponse {
  /** Difference between the server's clock and the time of this monitor, in milliseconds. */
  offset_ms: number
}

export const probeNtp: Probe<'ntp'> = (attempt, { host, port }) => {
  findPeers(attempt, { host, port }, (peers) => {
    attempt.enter('first_byte')
    attempt.address = peers[0]?.address
    const request = (): DatagramRequest<Sample> => requestTime(attempt)
    const onResponse = (sample: Sample, { address }: Peer): void => {
      attempt.address = address
      report(attempt, sample)
    }
    attempt.hold(exchangeDatagrams(attempt, { peers, request, onResponse, onError: (error) => attempt.failBy(error) }))
  })
}

function requestTime({ bounds }: Attempt): DatagramRequest<Sample> {
  const cookie = randomBytes(COOKIE_BYTES)
  const began = performance.now()
  // Uses the time of the Dogwatch server if the agent knows it, because this machine's clock can be wrong.
  const began_ms = bounds.server_time?.().getTime() ?? Date.now()
  const read = (packet: Buffer): Sample | undefined => {
    const response = readNtpResponse(packet, cookie)
    if (!response) return undefined
    const ended_ms = began_ms + performance.now() - began
    const offset_ms = (response.received_ms - began_ms + response.sent_ms - ended_ms) / 2
    return { ...response, offset_ms: Math.round(offset_ms * 10) / 10 }
  }
  return { bytes: writeNtpRequest(cookie), read }
}

const UNSYNCHRONISED = 3
const STRATUM_MAX = 15
/** References of servers with stratum 0 that do not refuse the request, but do not know the time. */
const NO_TIME: ReadonlySet<string> = new Set(['', 'INIT', 'STEP'])

function report(attempt: Attempt, { offset_ms, stratum, leap, reference }: Sample): void {
  const content = [
    `offset: ${offset_ms} ms`,
    `stratum: ${stratum}`,
    `leap: ${leap}`,
    ...(reference === '' ? [] : [`reference: ${reference}`]),
  ].join('\n')
  Object.assign(attempt.facts, { stratum, leap })
  if (stratum === 0 && !NO_TIME.has(reference))
    return attempt.fail({ kind: 'protocol', words: 'the server refuses to tell the time' }, content)
  if (leap === UNSYNCHRONISED || stratum === 0 || stratum > STRATUM_MAX) {
    return attempt.fail({ kind: 'protocol', words: 'the clock of the server is not synchronised' }, content)
  }
  attempt.facts.offset_ms = offset_ms
  attempt.finish(content)
}
