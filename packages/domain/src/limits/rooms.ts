// Limits how often people may send test messages and emails, and request runs, on pages or by the configuration API.
import { sharesQuota } from '@dogwatch/channels/registry'
import { mailboxOf } from '../people/mailbox.ts'
import { MAILS_TO, RUNS_OF_ORG, RUNS_OF_PERSON, SHARED_TESTS_OF_ORG, TESTS_OF_ORG, TESTS_OF_PERSON } from './rates.ts'
import type { RateLimiter } from './spend.ts'

/** Person who makes a request, and their organisation. */
export interface Asker {
  org_id: number
  person_id: number
}

const TOO_MANY = 'too many attempts in a short time'

/** Refuses a test message beyond the limits. `email`: the address, if the channel is an email address. */
export async function requireRoomForTest(
  limiter: RateLimiter,
  { org_id, person_id }: Asker,
  { kind, email }: { kind: string; email: string },
): Promise<void> {
  await limiter.require(TESTS_OF_ORG, String(org_id), TOO_MANY)
  if (sharesQuota(kind)) await limiter.require(SHARED_TESTS_OF_ORG, String(org_id), TOO_MANY)
  await limiter.require(TESTS_OF_PERSON, String(person_id), TOO_MANY)
  if (email !== '') await requireRoomForMail(limiter, email)
}

export async function requireRoomForMail(limiter: RateLimiter, email: string): Promise<void> {
  await limiter.require(MAILS_TO, mailboxOf(email), 'too many emails were sent to this address; try again later')
}

/** Refuses a requested run beyond the limits. */
export async function requireRoomToAsk(limiter: RateLimiter, { org_id, person_id }: Asker): Promise<void> {
  const line = 'too many runs were requested in a short time'
  await limiter.require(RUNS_OF_ORG, String(org_id), line)
  await limiter.require(RUNS_OF_PERSON, String(person_id), line)
}
