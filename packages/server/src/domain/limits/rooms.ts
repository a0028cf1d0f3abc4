// How often people, by pages or by the configuration API, may have messages sent and monitors asked.
import { sharesQuota } from '../../channels/registry.ts'
import { DomainError } from '../errors.ts'
import { mailboxOf } from '../people/mailbox.ts'
import type { Limit, RateLimiter } from './spend.ts'

const TESTS_OF_ORG: Limit = { name: 'channel-tests', per_sec: 1 / 30, burst: 10 }
/** Through a service whose quota all organisations share. */
const SHARED_TESTS_OF_ORG: Limit = { name: 'channel-tests-shared', per_sec: 1 / 360, burst: 10 }
const TESTS_OF_PERSON: Limit = { name: 'channel-tests-person', per_sec: 1 / 30, burst: 20 }
/** Runs that monitors are asked for out of turn. Each looks at a target that the person chooses. */
const RUNS_OF_ORG: Limit = { name: 'asked-runs', per_sec: 1 / 6, burst: 20 }
const RUNS_OF_PERSON: Limit = { name: 'asked-runs-person', per_sec: 1 / 6, burst: 10 }
/** What others may have sent to one mailbox: test messages and invitations. */
const MAILS_TO: Limit = { name: 'mail-to', per_sec: 1 / 600, burst: 5 }

/** Who asks, and for whom. */
export interface Asker {
  org_id: number
  person_id: number
}

/** Uses up one try of a subject; refuses when none is left. */
export async function requireRoom(
  limiter: RateLimiter,
  limit: Limit,
  subject: string,
  line = 'too many attempts in a short time',
): Promise<void> {
  const verdict = await limiter.spend(limit, subject)
  if (verdict.kind === 'wait') throw new DomainError('limited', line, Math.ceil(verdict.seconds))
}

/** Before a test message is sent; `email`: the address, if it is a mail. */
export async function requireRoomForTest(
  limiter: RateLimiter,
  { org_id, person_id }: Asker,
  { kind, email }: { kind: string; email: string },
): Promise<void> {
  await requireRoom(limiter, TESTS_OF_ORG, String(org_id))
  if (sharesQuota(kind)) await requireRoom(limiter, SHARED_TESTS_OF_ORG, String(org_id))
  await requireRoom(limiter, TESTS_OF_PERSON, String(person_id))
  if (email !== '') await requireRoomForMail(limiter, email)
}

export async function requireRoomForMail(limiter: RateLimiter, email: string): Promise<void> {
  await requireRoom(limiter, MAILS_TO, mailboxOf(email), 'too many emails were sent to this address; try again later')
}

/** Before a monitor is asked for a run. */
export async function requireRoomToAsk(limiter: RateLimiter, { org_id, person_id }: Asker): Promise<void> {
  const line = 'too many runs were requested in a short time'
  await requireRoom(limiter, RUNS_OF_ORG, String(org_id), line)
  await requireRoom(limiter, RUNS_OF_PERSON, String(person_id), line)
}
