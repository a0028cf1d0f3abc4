// Probes a dns:// target: queries a name, and reports the records of the answer.
import { RECORD_TYPES } from '@dogwatch/check-rules/dns'
import type { TargetOf } from '@dogwatch/check-rules/target'
import type { Attempt } from '../attempt.ts'
import { findPeers, type Peer } from '../datagram.ts'
import type { Probe } from '../probe.ts'
import { compareSerials } from './authoritative.ts'
import { type DnsResponse, type Question, recordLine } from './message.ts'
import { ownResolvers } from './own-resolvers.ts'
import { failQuery, queryOverStream, queryOverUdp, queryOwnOverTcp } from './query.ts'

type Target = TargetOf<'dns'>
/** Port of name servers, which a resolver over TLS does not have. */
const DNS_PORT = 53

type OnResponse = (response: DnsResponse) => void

export const probeDns: Probe<'dns'> = (attempt, target) => {
  const question = { name: target.name, type: RECORD_TYPES[target.type], wantsRecursion: true, wantsAd: target.ad }
  queryResolver(attempt, target, question, (response) => {
    const lines = report(attempt, response, question.type)
    if (!target.authoritative) return attempt.finish(lines.join('\n'))
    const ask = (next: Question): Promise<DnsResponse> =>
      new Promise((resolve) => queryResolver(attempt, target, next, resolve))
    const port = target.transport === 'tls' ? DNS_PORT : target.port
    compareSerials(attempt, { name: target.name, port, ask }, lines).catch((error: unknown) => attempt.crash(error))
  })
}

/** Queries the resolver of the target, or those of this machine. The attempt ends if there is no response. */
function queryResolver(attempt: Attempt, target: Target, question: Question, onResponse: OnResponse): void {
  const { host, port, transport } = target
  if (host === undefined) return queryOwn(attempt, target, question, onResponse)
  if (transport !== 'udp') {
    const secure = { name: host, may_be_anyone: false, shows_certificate: false }
    const endpoint = { host, port, ...(transport === 'tls' ? { secure } : {}) }
    return queryOverStream(attempt, endpoint, question, onResponse)
  }
  findPeers(attempt, { host, port }, (peers) => {
    attempt.enter('first_byte')
    attempt.address = peers[0]?.address
    queryPeers(attempt, { peers, isOwn: false }, question, onResponse)
  })
}

/**
 * Queries the resolvers of this machine. If they fail, the fault counts as a failed lookup, which is not the target's fault while
 * other lookups fail, too.
 */
function queryOwn(attempt: Attempt, { transport }: Target, question: Question, onResponse: OnResponse): void {
  attempt.enter('dns')
  const peers = ownResolvers()
  const [first] = peers
  if (transport === 'udp' || !first) return queryPeers(attempt, { peers, isOwn: true }, question, onResponse)
  queryOwnOverTcp(attempt, first, question, onResponse)
}

interface Resolvers {
  peers: readonly Peer[]
  isOwn: boolean
}

function queryPeers(attempt: Attempt, { peers, isOwn }: Resolvers, question: Question, onResponse: OnResponse): void {
  const onUdp = (response: DnsResponse, peer: Peer): void => {
    attempt.address = peer.address
    if (!response.isTruncated) return onResponse(response)
    if (isOwn) queryOwnOverTcp(attempt, peer, question, onResponse)
    else queryOverStream(attempt, { host: peer.address, port: peer.port }, question, onResponse)
  }
  const onError = (error: unknown): void => failQuery(attempt, error)
  attempt.hold(queryOverUdp(attempt, { peers, question, skipsFailures: isOwn, onResponse: onUdp, onError }))
}

/**
 * Records the facts that rules can compare. Returns the records of the answer as lines, sorted, because servers vary their order.
 */
function report({ facts }: Attempt, { rcode, flags, answers }: DnsResponse, type: number): string[] {
  facts.dns_rcode = rcode
  facts.dns_ad = flags.includes('ad')
  facts.dns_answer = answers.map(({ data }) => data).toSorted()
  facts.dns_count = answers.filter((record) => record.type === type).length
  if (answers.length > 0) facts.dns_ttl = Math.min(...answers.map(({ ttl }) => ttl))
  return [`;; status: ${rcode}, flags: ${flags.join(' ')}`, ...answers.map(recordLine).toSorted()]
}
