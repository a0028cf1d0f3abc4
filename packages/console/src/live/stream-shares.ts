// Decides which stream ends when there are too many: people with few streams keep theirs, no matter who else comes.

export interface StreamBounds {
  of_process: number
  of_org: number
  /** Maximum number of streams in all sessions of a person together. */
  of_person: number
  of_session: number
}

/** Session, person, organisation and network that a stream counts for. */
export interface StreamHolders {
  session: string
  person_id: number
  org_id: number
  /** Network of the client's address. */
  network: string
}

/** Share of the streams of a process. A network with a larger share loses its own streams first, however many accounts it has. */
const MOST_OF_NETWORK = 1 / 4

/**
 * Returns the stream that must end because of a newcomer, or undefined if none must. If a session, person, organisation or the
 * process has too many, the person with the most of these loses the oldest. `streams` must be in order, oldest first.
 */
export function streamToEnd<T extends StreamHolders>(
  streams: Iterable<T>,
  newcomer: StreamHolders,
  { of_process, of_org, of_person, of_session }: StreamBounds,
): T | undefined {
  const all = [...streams]
  const holders: [T[], number][] = [
    [all.filter(({ session }) => session === newcomer.session), of_session],
    [all.filter(({ person_id }) => person_id === newcomer.person_id), of_person],
    [all.filter(({ org_id }) => org_id === newcomer.org_id), of_org],
  ]
  for (const [own, most] of holders) if (own.length >= most) return ofHeaviest(own, newcomer)
  if (all.length < of_process) return undefined
  const [network, count] = mostIn(countBy([...all, newcomer], (one) => one.network))
  const isGreedy = count > of_process * MOST_OF_NETWORK
  return ofHeaviest(isGreedy ? all.filter((one) => one.network === network) : all, newcomer)
}

/**
 * Returns the oldest stream of the person with the most streams, including the newcomer's. Among equals, the one in the largest
 * network.
 */
function ofHeaviest<T extends StreamHolders>(streams: readonly T[], newcomer: StreamHolders): T | undefined {
  const people = countBy([...streams, newcomer], ({ person_id }) => person_id)
  const networks = countBy([...streams, newcomer], ({ network }) => network)
  let heaviest: { stream: T; of_person: number; of_network: number } | undefined
  for (const stream of streams) {
    const of_person = people.get(stream.person_id) ?? 0
    const of_network = networks.get(stream.network) ?? 0
    const by = heaviest ? of_person - heaviest.of_person || of_network - heaviest.of_network : 1
    if (by > 0) heaviest = { stream, of_person, of_network }
  }
  return heaviest?.stream
}

function countBy<K>(streams: readonly StreamHolders[], keyOf: (stream: StreamHolders) => K): Map<K, number> {
  const counts = new Map<K, number>()
  for (const stream of streams) counts.set(keyOf(stream), (counts.get(keyOf(stream)) ?? 0) + 1)
  return counts
}

function mostIn(counts: ReadonlyMap<string, number>): readonly [string, number] {
  return [...counts].reduce<readonly [string, number]>((most, one) => (one[1] > most[1] ? one : most), ['', 0])
}
