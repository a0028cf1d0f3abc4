// What agents uploaded through a door.
import type { Door, Passage } from './door.ts'

export interface Uploaded {
  check_guid: string
  ran_at: string
}

export function isStored({ route, status }: Passage): boolean {
  return route.endsWith('/results') && status === 200
}

export function resultsIn({ body }: Passage): Uploaded[] {
  return (JSON.parse(body) as { results: Uploaded[] }).results
}

const UP_TO_DATE_MS = 6000

/** True when each of so many agents has uploaded after `since`, and lately what it found a moment ago. */
export function areUpToDate({ passages }: Door, agents: number, since: number): boolean {
  const newest = new Map<string, number>()
  for (const passage of passages) {
    if (passage.at <= since || !isStored(passage)) continue
    newest.set(passage.key, Math.max(...resultsIn(passage).map(({ ran_at }) => Date.parse(ran_at))))
  }
  return newest.size === agents && [...newest.values()].every((ran_at) => ran_at > Date.now() - UP_TO_DATE_MS)
}
