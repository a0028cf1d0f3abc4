// Runs several use cases in one transaction, and carries out repeated requests only once.
import { isEndedForOthers } from '@dogwatch/runtime/database-faults'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type AnswerKey, findAnswer, insertAnswer, lockAnswerKey } from '@dogwatch/store/accounts/repeatable-answers'
import type { Database, Trx } from '@dogwatch/store/database'
import { joinTransaction } from '@dogwatch/store/one-transaction'
import { spend } from '@dogwatch/store/processes/rate-limits'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

/** Stored response to a request. `body` is JSON text, so that a repeat gets the same bytes. */
export interface RepeatableAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request with an idempotency key from its sender. */
export interface Repeatable extends AnswerKey {
  /** SHA-256 of everything that the request contains. */
  request_hash: Buffer
}

/**
 * Runs use cases in one transaction: all their changes are stored, or none. Their follow-up steps run after its commit. A step
 * that fails is only logged, because the change must be neither refused nor repeated.
 */
export async function together<Result>(deps: Deps, work: (inner: Deps, trx: Trx) => Promise<Result>): Promise<Result> {
  const { database } = deps
  let steps: Iterable<(database: Database) => Promise<unknown>> = []
  const result = await database.people.transaction().execute((trx) => {
    const joined = joinTransaction(database, trx)
    steps = joined.joined?.after_commit ?? []
    return work({ ...deps, database: joined }, trx)
  })
  // The code that opened the outer transaction runs the follow-up steps.
  if (database.joined) return result
  for (const step of steps) {
    try {
      await step(database)
    } catch (err) {
      deps.log.error({ err }, 'a follow-up step failed after a change was stored')
    }
  }
  return result
}

const MOST_TRIES = 3

/**
 * Repeats work that Postgres rolled back because of another transaction. Does not repeat work that joined a transaction, because
 * the code that opened the transaction does.
 */
export async function untilUncrossed<Result>(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (err) {
      if (database.joined || tries === MOST_TRIES || !isEndedForOthers(err)) throw err
      log.warn({ err, tries }, 'changes conflicted with another transaction; retrying')
    }
  }
}

/** Budget for the stored responses of an organisation, in KiB. It refills within a day, because responses are kept for a day. */
const ANSWERS_KIB = 32 * 1024
const DAY_SEC = 86_400

/**
 * Charges a response to the organisation's budget, at least 1 KiB for its row. Refuses a request whose response does not fit,
 * which rolls the request back, because a repeat would do everything twice.
 */
async function requireRoom(
  { database }: Pick<Deps, 'database'>,
  org_id: number,
  { body }: RepeatableAnswer,
): Promise<void> {
  const kib = Math.min(ANSWERS_KIB, 1 + Math.floor(Buffer.byteLength(body) / 1024))
  const { allowed, wait_sec } = await spend(database, `answers:${org_id}`, DAY_SEC / ANSWERS_KIB, ANSWERS_KIB, kib)
  if (allowed) return
  throw new DomainError(
    'limited',
    'nothing was changed, because the stored responses of this organisation have reached the maximum of 32 MiB; send the request without idempotency-key, or try again in a day',
    Math.max(1, Math.ceil(wait_sec)),
  )
}

/** Whether the response to a request is stored. */
export async function wasCarriedOut({ database }: Pick<Deps, 'database'>, key: AnswerKey): Promise<boolean> {
  return (await findAnswer(database.people, key)) !== undefined
}

/**
 * Carries out a request once: stores its response in the same transaction, and returns that response to repeats. Does not store
 * refusals, because they changed nothing.
 */
export function once(
  deps: Deps,
  { request_hash, ...key }: Repeatable,
  work: (inner: Deps) => Promise<RepeatableAnswer>,
): Promise<RepeatableAnswer> {
  const attempt = () =>
    together(deps, async (inner, trx) => {
      await lockAnswerKey(trx, key)
      const before = await findAnswer(trx, key)
      if (before) {
        if (before.request_hash.equals(request_hash)) return before
        throw new DomainError('conflict', 'this idempotency-key was already used for a different request')
      }
      const answer = await work(inner)
      await requireRoom(deps, key.org_id, answer)
      await insertAnswer(trx, key, { ...answer, request_hash }, fromDate(deps.clock.now()))
      return answer
    })
  return untilUncrossed(deps, attempt)
}
