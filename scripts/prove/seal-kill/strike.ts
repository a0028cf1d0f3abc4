// Runs inside a program, and kills it with -9 at its first statement that is not known yet and that seals hours, merges late
// results or drops their partitions. PROOF_STRIKE is a `Strike` as JSON.
import { writeFileSync } from 'node:fs'
import pg from 'pg'

export interface Strike {
  /** Statements that do not kill the program, because enough programs were killed there before. */
  known: readonly string[]
  moment: (typeof MOMENTS)[number]
  /** File that receives the statement at the kill. */
  tell_in: string
}

/** Moments at which a program is killed: when it has sent the statement, or before or after the commit that follows. */
export const MOMENTS = ['sent', 'commit sent', 'committed'] as const

const TABLE = /"?(?:seal_progress|sealed_hours|reopened_results|retired_results)/.source
/** Pattern of the statements that change a table of sealing or the partitions of results, or mark late results. */
const SEALS = new RegExp(
  [
    `(?:insert into|update|delete from|alter table|drop table if exists|create table(?: if not exists)?) ${TABLE}`,
    'alter table "results',
    'rename to "retired_results',
    'into rollup_marks .*from reopened_results',
  ].join('|'),
)

type Query = (this: object, ...given: unknown[]) => unknown

function arm({ known, moment, tell_in }: Strike): void {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const [inTransaction, striking] = [new WeakSet<object>(), new WeakSet<object>()]
  const die = () => process.kill(process.pid, 'SIGKILL')
  let isStruck = false
  prototype.query = function (...given) {
    const [first] = given
    const text = typeof first === 'string' ? first : String((first as { text?: unknown } | undefined)?.text)
    if (/^(?:begin|start transaction)/i.test(text)) inTransaction.add(this)
    const isEnd = /^(?:commit|rollback)$/i.test(text)
    if (isEnd) inTransaction.delete(this)
    // Replaces numbers, because the names of partitions contain dates. Omits comments, which can be anywhere.
    const statement = text
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\d+/g, 'N')
      .replace(/\s+/g, ' ')
      .trim()
    const isStep = !isStruck && SEALS.test(statement) && !known.includes(statement)
    if (isStep) {
      isStruck = true
      striking.add(this)
      writeFileSync(tell_in, statement)
    }
    const isLast = striking.has(this) && (isEnd || (isStep && (moment === 'sent' || !inTransaction.has(this))))
    const answer = query.apply(this, given)
    if (isLast && moment === 'committed') void Promise.resolve(answer).then(die, die)
    // Kills the program after the statement has gone to the socket.
    else if (isLast) setImmediate(die)
    return answer
  }
}

if (process.env.PROOF_STRIKE) arm(JSON.parse(process.env.PROOF_STRIKE) as Strike)
