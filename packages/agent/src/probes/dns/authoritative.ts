// Queries each name server of a zone directly, and compares the serial numbers of the zone.
import { RECORD_TYPES } from '@dogwatch/check-rules/dns'
import type { Attempt } from '../attempt.ts'
import type { DnsRecord, DnsResponse, Question } from './message.ts'
import { queryOverUdp } from './query.ts'

export interface ZoneQuery {
  /** Name in the zone, without a final dot. */
  name: string
  /** Port of the name servers. */
  port: number
  /** Sends a query to the resolver of the target. If that fails, the promise stays pending, because the attempt has ended. */
  ask: (question: Question) => Promise<DnsResponse>
}

interface NameServer {
  name: string
  address: string
}

/** Maximum number of name servers to query. The root has 13. */
const SERVERS_MAX = 16
/** Maximum time for the response of each name server, as a fraction of the timeout. */
const SHARE = 0.4

/** Ends the attempt. Its content is the lines of the answer, and a line for each name server. */
export async function compareSerials(attempt: Attempt, query: ZoneQuery, lines: readonly string[]): Promise<void> {
  const zone = await findZone(query)
  const servers = zone === undefined ? [] : await findServers(attempt, zone, query)
  if (attempt.isOver) return
  if (zone === undefined || servers.length === 0)
    return attempt.fail({ kind: 'dns', words: 'the name servers of the zone were not found' }, lines.join('\n'))
  const serials = await readSerials(attempt, servers, zone, query.port)
  attempt.facts.dns_serials = [...new Set(serials.flatMap((serial) => serial ?? []))]
  const shown = servers.map(
    ({ name, address }, n) => `;; ${name} (${address || 'no address'}): serial ${serials[n] ?? 'unknown'}`,
  )
  const content = [...lines, ...shown].join('\n')
  if (serials.includes(undefined)) {
    return attempt.fail({ kind: 'dns', words: 'a name server of the zone did not respond for the zone' }, content)
  }
  if (new Set(serials).size > 1) {
    return attempt.fail({ kind: 'dns', words: 'the name servers have different serial numbers' }, content)
  }
  attempt.finish(content)
}

/**
 * Returns the zone that contains the name, by the SOA record in the response: in the answers if the name is the zone itself,
 * otherwise in the authority section.
 */
async function findZone({ name, ask }: ZoneQuery): Promise<string | undefined> {
  const { answers, authorities } = await ask(questionFor(name, RECORD_TYPES.SOA))
  const zone = [...answers, ...authorities].find(({ type }) => type === RECORD_TYPES.SOA)?.name
  return zone === undefined ? undefined : plainName(zone)
}

async function findServers(attempt: Attempt, zone: string, { ask }: ZoneQuery): Promise<NameServer[]> {
  const { answers } = await ask(questionFor(zone, RECORD_TYPES.NS))
  const names = dataOf(answers, RECORD_TYPES.NS).toSorted().slice(0, SERVERS_MAX)
  const servers: NameServer[] = []
  for (const name of names) {
    const plain = plainName(name)
    const addresses = plain === undefined ? [] : await findAddresses(plain, ask)
    const address = addresses.find(attempt.bounds.mayDial)
    if (addresses.length > 0 && address === undefined)
      attempt.fail({ kind: 'blocked', words: 'the address of a name server is not public' })
    servers.push({ name, address: address ?? '' })
  }
  return servers
}

async function findAddresses(name: string, ask: ZoneQuery['ask']): Promise<string[]> {
  const v4 = dataOf((await ask(questionFor(name, RECORD_TYPES.A))).answers, RECORD_TYPES.A)
  if (v4.length > 0) return v4
  return dataOf((await ask(questionFor(name, RECORD_TYPES.AAAA))).answers, RECORD_TYPES.AAAA)
}

function dataOf(records: readonly DnsRecord[], wanted: number): string[] {
  return records.flatMap(({ type, data }) => (type === wanted ? data : []))
}

function questionFor(name: string, type: number, wantsRecursion = true): Question {
  return { name, type, wantsRecursion, wantsAd: false }
}

/** Returns a name without its final dot, or undefined if it contains an escape. */
function plainName(name: string): string | undefined {
  return name.includes('\\') ? undefined : name.slice(0, -1)
}

/** Queries all name servers at once. The serial number of a server is undefined if it does not respond for the zone. */
function readSerials(
  attempt: Attempt,
  servers: readonly NameServer[],
  zone: string,
  port: number,
): Promise<(string | undefined)[]> {
  const destroys: (() => void)[] = []
  attempt.hold({ destroy: () => destroys.forEach((destroy) => destroy()) })
  const question = questionFor(zone, RECORD_TYPES.SOA, false)
  const readSerial = ({ address }: NameServer): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (address === '') return resolve(undefined)
      const onResponse = ({ flags, answers }: DnsResponse): void =>
        resolve(flags.includes('aa') ? dataOf(answers, RECORD_TYPES.SOA)[0]?.split(' ')[2] : undefined)
      const peers = [{ address, port }]
      const onError = (): void => resolve(undefined)
      const exchange = queryOverUdp(attempt, { peers, question, skipsFailures: true, onResponse, onError })
      const timer = setTimeout(onError, SHARE * attempt.bounds.timeout_ms)
      destroys.push(exchange.destroy, () => clearTimeout(timer))
    })
  return Promise.all(servers.map(readSerial))
}
