// Several use cases in one transaction, and requests that are carried out once however often they are sent.
import { isEndedForOthers } from '../../runtime/database-faults.ts'
import { fromDate } from '../../runtime/timestamps.ts'
import { findAnswer, insertAnswer, lockAnswerKey, type AnswerKey } from '../../store/accounts/repeatable-answers.ts'
import { joinTransaction } from '../../store/one-transaction.ts'
import { spend } from '../../store/processes/rate-limits.ts'
import type { Transaction } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'

/** What a request was answered. `body` is JSON text, so that a repeat gets the same bytes. */
export interface RepeatableAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A request with a key of its sender. */
export interface Repeatable extends AnswerKey {
  /** SHA-256 of all that it asks for. */
  request_hash: Buffer
}

/**
 * Runs use cases in one transaction: all of what they change is stored, or nothing. What they do after their commit is done after this one,
 * and fails for itself alone: what is stored must neither be refused nor done again.
 */
export async function together<Result>(
  deps: Deps,
  work: (inner: Deps, trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  const { database } = deps
  const after_commit = deps.after_commit ?? new Set()
  const result = await database.people.transaction().execute((trx) => {
    return work({ ...deps, is_joined: true, after_commit, database: joinTransaction(database, trx) }, trx)
  })
  if (deps.is_joined) return result
  for (const rest of after_commit) {
    try {
      await rest(deps)
    } catch (err) {
      deps.log.error({ err }, 'a follow-up step failed after a change was stored')
    }
  }
  return result
}

const MOST_TRIES = 3

/**
 * Does work again that Postgres undid because another transaction got in its way. Work that joins a transaction is not its own: whoever began
 * that one does it again.
 */
export async function untilUncrossed<Result>(
  { is_joined, log }: Pick<Deps, 'is_joined' | 'log'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (err) {
      if (is_joined || tries === MOST_TRIES || !isEndedForOthers(err)) throw err
      log.warn({ err, tries }, 'changes conflicted with another transaction; retrying')
    }
  }
}

/** What an organisation's answers may take, in KiB; a day's worth of it comes back in a day, which is how long answers are kept. */
const ANSWERS_KIB = 32 * 1024
const DAY_SEC = 86_400

/**
 * Takes the room for an answer from the organisation's budget. Refuses a request whose answer could not be kept: its transaction is undone, so
 * that sending it again does nothing twice. Each answer takes 1 KiB at least, because its row is stored as well.
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
    'idempotency-key cannot be accepted, because the stored responses of this organisation have reached the maximum of 32 MiB; nothing was changed. Send the request without idempotency-key, or try again in a day',
    Math.max(1, Math.ceil(wait_sec)),
  )
}

/** Whether the answer of a request is stored. */
export async function wasCarriedOut({ database }: Pick<Deps, 'database'>, key: AnswerKey): Promise<boolean> {
  return (await findAnswer(database.people, key)) !== undefined
}

/**
 * Carries out a request once: its answer is stored in the transaction that does what it asks, and a repeat is given that answer. A
 * request that is refused is not remembered, because it has changed nothing.
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
