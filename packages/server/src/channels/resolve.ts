// Resolves names. getaddrinfo blocks one of libuv's few threads for as long as a name server is silent, so names that
// people typed are resolved without it.
import { lookup, type LookupAddress, promises as dns } from 'node:dns'
import { readFile } from 'node:fs/promises'

/** The name servers answered: there is no such name, or it has no address. */
export class NoName extends Error {}
/** Our own name servers do not answer, whatever the name. */
export class OwnTrouble extends Error {}

/** Every address of a name. Stops waiting when the signal is aborted. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

export interface Source {
  /** `address:port`; left out: the system's name servers. */
  servers?: readonly string[]
  hosts_file?: string
}

/** Timeout of one server, for one query. */
const PATIENCE = { timeout: 3000, tries: 2 }
/** How long to wait for the other address family once one has answered. */
const OTHER_FAMILY_MS = 1000
const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** In the same way as the system. */
export const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * By the hosts file, else by DNS, taking the name as it is written. Only single-label names, which have no server that
 * could be silent, are left to the system.
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

/** Whether our name servers answer at all: each knows about the root, or at least says that it does not. */
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

/** `127.0.0.1 localhost loopback # comment`, line by line. */
function addressesIn(hosts: string, name: string): LookupAddress[] {
  return hosts.split('\n').flatMap((line): LookupAddress[] => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!names.some((one) => one.toLowerCase() === name)) return []
    return [{ address, family: address.includes(':') ? 6 : 4 }]
  })
}
