// Asks registries for the registrations of domain names. All checks of a name share one request a day.

import type { Post } from '@dogwatch/channels/egress'
import { askRdap, type RdapOutcome, type RdapServices } from '@dogwatch/channels/rdap'
import { fromDate } from '@dogwatch/runtime/timestamps'
import {
  claimDueNames,
  type DueName,
  putOffRegistry,
  type RegistryAnswer,
  readNextDue,
  updateAnswered,
  updateUnanswered,
} from '@dogwatch/store/checks/registrations'
import type { Deps } from '../deps.ts'
import { MISSING } from './registration.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/**
 * `limit`: number of names that one run asks about. `most_of_tld`: number of requests to one registry a minute. `lease_sec`: time
 * after which another process may ask about a name that this run has taken.
 */
const LIMITS = { limit: 20, most_of_tld: 5, lease_sec: 600 }
/** Time after which a name without an RDAP service is looked up in the list again. */
const NO_RDAP_MS = 7 * DAY_MS
/** Pause of requests to a registry that wants fewer of them: minimum, default and maximum. */
const PAUSE_MS = { least: MINUTE_MS, usual: HOUR_MS, most: DAY_MS }
const MOST_FAILURES = 4

/** Access to the registries: a function that sends requests, and the known RDAP services. */
export interface Registries {
  get: Post
  services: RdapServices
}

/**
 * Runs the chore once: asks registries about the names that are due. Returns the number of names. Names of one registry are asked
 * about one after the other.
 */
export async function askRegistries(deps: Deps, registries: Registries): Promise<number> {
  const due = await claimDueNames(deps.database.machines, fromDate(deps.clock.now()), LIMITS)
  const byRegistry = Map.groupBy(due, ({ tld }) => tld)
  await Promise.all([...byRegistry.values()].map((names) => askEach(deps, registries, names)))
  return due.length
}

/** Returns the milliseconds until a name is due: 0 or less if one is, Infinity if none is watched. */
export async function untilNextName({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const now = clock.now()
  const due_at = await readNextDue(database.machines, fromDate(now))
  return due_at === undefined ? Infinity : Date.parse(due_at) - now.getTime()
}

async function askEach(deps: Deps, registries: Registries, names: readonly DueName[]): Promise<void> {
  for (const one of names) {
    const isLimited = await askOne(deps, registries, one)
    if (isLimited) return
  }
}

/** Asks about one name, and stores the answer. Returns whether the registry wants fewer requests. */
async function askOne(deps: Deps, { get, services }: Registries, { name, tld, failures }: DueName): Promise<boolean> {
  const { machines } = deps.database
  const service = services.get(tld)
  const outcome = service === undefined ? undefined : await askRdap(get, service, name)
  const now = deps.clock.now()
  const at = (ms: number) => fromDate(new Date(now.getTime() + ms))
  const answered = (answer: RegistryAnswer, again_ms: number) =>
    updateAnswered(machines, name, answer, { now: fromDate(now), due_at: at(jittered(deps, again_ms)) })
  if (outcome === undefined) {
    const fault = `the registry of .${tld} has no RDAP service`
    await answered({ ...NOTHING, fault }, NO_RDAP_MS)
    return false
  }
  if (outcome.kind === 'found' || outcome.kind === 'missing') {
    await answered(answerOf(outcome), DAY_MS)
    return false
  }
  const again_ms = HOUR_MS * 2 ** Math.min(failures, MOST_FAILURES)
  if (outcome.kind === 'limited') {
    const pause_ms = pauseOf(outcome.retry_after, now)
    await updateUnanswered(machines, name, at(jittered(deps, Math.max(pause_ms, again_ms))))
    await putOffRegistry(machines, tld, at(pause_ms))
    deps.log.warn({ tld, pause_sec: pause_ms / 1000 }, 'a registry wants fewer requests; will retry')
    return true
  }
  await updateUnanswered(machines, name, at(jittered(deps, again_ms)))
  deps.log.info({ name, reason: outcome.reason, failures: failures + 1 }, 'a registry did not answer; will retry')
  return false
}

const NOTHING = { expires_at: null, registrar: null, name_servers: [], statuses: [] } as const

function answerOf(outcome: Extract<RdapOutcome, { kind: 'found' | 'missing' }>): RegistryAnswer {
  if (outcome.kind === 'missing') return { ...NOTHING, fault: MISSING }
  const { expires, registrar, name_servers, statuses } = outcome
  return {
    fault: expires ? null : 'the registry does not say when registrations end',
    expires_at: expires ? fromDate(expires) : null,
    registrar: registrar ?? null,
    name_servers,
    statuses,
  }
}

/** Returns a time that is up to a tenth longer, to spread the requests for names of the same age. */
function jittered({ random }: Pick<Deps, 'random'>, ms: number): number {
  return ms * (1 + (random(1)[0] ?? 0) / 2560)
}

/** Returns how long to leave a registry alone, by its header: a number of seconds, or a date. */
function pauseOf(retry_after: string | undefined, now: Date): number {
  const text = retry_after ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? PAUSE_MS.usual : Math.min(Math.max(ms, PAUSE_MS.least), PAUSE_MS.most)
}
