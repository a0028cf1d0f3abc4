// Limits how often people may send test messages and emails, and request runs, on pages or by the configuration API.
import { sharesQuota } from '../../channels/registry.ts'
import { DomainError } from '../errors.ts'
import { mailboxOf } from '../people/mailbox.ts'
import { MAILS_TO, RUNS_OF_ORG, RUNS_OF_PERSON, SHARED_TESTS_OF_ORG, TESTS_OF_ORG, TESTS_OF_PERSON } from './rates.ts'
import type { Limit, RateLimiter } from './spend.ts'

/** Person who makes a request, and their organisation. */
export interface Asker {
  org_id: number
  person_id: number
}

/** Uses up one attempt of a subject. Throws DomainError if none is left. */
export async function requireRoom(
  limiter: RateLimiter,
  limit: Limit,
  subject: string,
  line = 'too many attempts in a short time',
): Promise<void> {
  const verdict = await limiter.spend(limit, subject)
  if (verdict.kind === 'wait') throw new DomainError('limited', line, Math.ceil(verdict.seconds))
}

/** Refuses a test message beyond the limits. `email`: the address, if the channel is an email address. */
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

/** Refuses a requested run beyond the limits. */
export async function requireRoomToAsk(limiter: RateLimiter, { org_id, person_id }: Asker): Promise<void> {
  const line = 'too many runs were requested in a short time'
  await requireRoom(limiter, RUNS_OF_ORG, String(org_id), line)
  await requireRoom(limiter, RUNS_OF_PERSON, String(person_id), line)
}
