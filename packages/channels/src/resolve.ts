// Resolves names that users typed without getaddrinfo, because getaddrinfo blocks one of libuv's few threads for as long as a
// name server is silent.
import { promises as dns, type LookupAddress, lookup } from 'node:dns'
import { readFile } from 'node:fs/promises'

/** The name servers responded that the name does not exist or has no address. */
export class NoName extends Error {}
/** Our own name servers do not respond, whatever the name. */
export class OwnTrouble extends Error {}

/** Returns every address of a name. Stops waiting when the signal is aborted. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

export interface Source {
  /** Name servers as `address:port`. Default: those of the system. */
  servers?: readonly string[]
  hosts_file?: string
}

/** Timeout of one server for one query, and the number of tries. */
const PATIENCE = { timeout: 3000, tries: 2 }
/** Time to wait for the other address family after one has responded, in milliseconds. */
const OTHER_FAMILY_MS = 1000
const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Resolves a name in the same way as the system. */
export const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * Returns a resolver that uses the hosts file, then DNS, without search domains. For names of a single label it uses the system's
 * resolver, because this involves no name server that could be silent.
 */
export function resolveByDns({ servers, hosts_file = HOSTS_FILE }: Source = {}): Resolve {
  return async (name, signal) => {
    const bare = name.toLowerCase().replace(/\.$/, '')
    if (!bare.includes('.')) return resolveBySystem(name, signal)
    const own = addressesIn(await readFile(hosts_file, 'utf8').catch(() => ''), bare)
    return own.length > 0 ? own : ask(name, signal, servers)
  }
}

async function ask(
  name: string,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  if (signal.aborted) throw new Error(noAnswer(name))
  const resolver = new dns.Resolver(PATIENCE)
  if (servers) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  let timer: NodeJS.Timeout | undefined
  const take =
    (family: 4 | 6) =>
    (addresses: readonly string[]): LookupAddress[] => {
      if (addresses.length > 0) timer ??= setTimeout(cancel, OTHER_FAMILY_MS)
      return addresses.map((address) => ({ address, family }))
    }
  try {
    const questions = [resolver.resolve4(name).then(take(4)), resolver.resolve6(name).then(take(6))]
    const answers = await Promise.allSettled(questions)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const { reason, isSilence, isKnown } = verdictOn(name, answers)
    if (isSilence && !(await isAnswering(servers)))
      throw new OwnTrouble(`${reason}, and DNS lookups fail on this server`)
    throw isKnown ? new NoName(reason) : new Error(reason)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

const SILENCE = new Set(['ETIMEOUT', 'ECONNREFUSED'])
const NO_NAME = new Set(['ENOTFOUND', 'EBADNAME', 'ENONAME'])

/** Whether our name servers respond at all. Each can answer about the root, or at least refuse to. */
async function isAnswering(servers: readonly string[] | undefined): Promise<boolean> {
  const resolver = new dns.Resolver({ timeout: 1500, tries: 1 })
  if (servers) resolver.setServers(servers)
  return resolver.resolveNs('.').then(
    () => true,
    ({ code = '' }: NodeJS.ErrnoException) => !SILENCE.has(code),
  )
}

function verdictOn(
  name: string,
  answers: readonly PromiseSettledResult<unknown>[],
): { reason: string; isSilence: boolean; isKnown: boolean } {
  const codes = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [(answer.reason as NodeJS.ErrnoException).code ?? 'EUNKNOWN'] : [],
  )
  if (codes.every((code) => NO_NAME.has(code)))
    return { reason: `${name} does not exist (DNS)`, isSilence: false, isKnown: true }
  const fault = codes.find((code) => code !== 'ENODATA' && !NO_NAME.has(code))
  if (fault === undefined) return { reason: `${name} has no address`, isSilence: false, isKnown: true }
  const reason =
    fault === 'ETIMEOUT' || fault === 'ECANCELLED' ? noAnswer(name) : `DNS lookup for ${name} failed: ${fault}`
  return { reason, isSilence: SILENCE.has(fault), isKnown: false }
}

function noAnswer(name: string): string {
  return `the name servers for ${name} are not responding`
}

/** Returns the addresses of a name in a hosts file, which has lines such as `127.0.0.1 localhost loopback # comment`. */
function addressesIn(hosts: string, name: string): LookupAddress[] {
  return hosts.split('\n').flatMap((line): LookupAddress[] => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!names.some((one) => one.toLowerCase() === name)) return []
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  })
}
