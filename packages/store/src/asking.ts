// Sends the statements of the query builder on one connection: some prepared, some together, and some as a COPY.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { copyIn } from './copy-in.ts'
import { askTogether, canGoTogether, type Statement } from './together.ts'

/**
 * Prefix of a statement that is prepared once per connection, because planning it costs more than running it. Only for a small,
 * fixed number of texts, because each one stays prepared.
 */
export const PREPARED = '/* prepared */'

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `prepared-${createHash('sha256').update(text).digest('base64url')}`
  names.set(text, name)
  return name
}

export function statementOf(text: string, values: unknown[]): Statement {
  return text.startsWith(PREPARED) ? { name: nameOf(text), text, values } : { text, values }
}

const COPIED = { command: 'COPY', rows: [] } as const

/** Rows of a COPY. `isLast` says that the statement also commits its transaction. */
export class RowsToCopy {
  readonly bytes: Buffer
  readonly isLast: boolean

  constructor(bytes: Buffer, isLast: boolean) {
    this.bytes = bytes
    this.isLast = isLast
  }
}

/** Statements that do not need each other's results. */
export class Several {
  readonly statements: readonly Statement[]

  constructor(statements: readonly Statement[]) {
    this.statements = statements
  }
}

const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] }
/** Statements whose results no caller needs. They are sent with the next statement, which fails if one of them fails. */
const LEADING = new Map(
  [BEGIN, ...['savepoint attempt', 'release savepoint attempt'].map(plain)].map((one) => [one.text, one]),
)

function plain(text: string): Statement {
  return { text, values: [] }
}

/**
 * Sender of the query builder's statements on one connection. It sends `begin` and savepoint statements together with the next
 * one.
 */
export class StatementSender {
  readonly #client: pg.PoolClient
  readonly #isPooled: boolean
  /** Statements to send with the next one. */
  #waiting: Statement[] = []
  /** Whether the last statement has committed the transaction. */
  #isOver = false
  /** Promise that ends when waiting statements, sent without a further one, have been executed. */
  #sending: Promise<unknown> | undefined

  constructor(client: pg.PoolClient, isPooled: boolean) {
    this.#client = client
    this.#isPooled = isPooled
  }

  async query(text: string, values: unknown[]): Promise<unknown> {
    const leading = this.#isPooled ? undefined : LEADING.get(text)
    if (leading) {
      this.#waiting.push(leading)
      return { command: text, rows: [] }
    }
    const isEnd = text === 'commit' || text === 'rollback'
    if (isEnd) {
      const isNothing = this.#waiting.includes(BEGIN) || this.#isOver
      this.#isOver = false
      if (isNothing || text === 'rollback') this.#waiting = []
      if (isNothing) return { command: text.toUpperCase(), rows: [] }
    }
    if (this.#isOver) throw new Error('the transaction has already ended')
    if (this.#sending) await this.#sending
    const [only] = values
    if (only instanceof Several) return this.#askSeveral(only.statements)
    if (only instanceof RowsToCopy) return this.#copy(text, only)
    const statement = statementOf(text, values)
    // Only a text without values can contain several statements.
    const isOne = isEnd || values.length > 0 || statement.name !== undefined
    if (isOne && this.#waiting.length > 0 && canGoTogether(this.#client, [...this.#waiting, statement])) {
      return (await askTogether(this.#client, this.#takeWaiting(), statement)).at(-1)
    }
    await this.#send()
    return statement.name === undefined ? this.#client.query(text, values) : this.#client.query(statement)
  }

  async #askSeveral(statements: readonly Statement[]): Promise<unknown> {
    const rows: unknown[][] = []
    const last = statements.at(-1)
    if (last && !this.#isPooled && canGoTogether(this.#client, [...this.#waiting, ...statements])) {
      const before = [...this.#takeWaiting(), ...statements.slice(0, -1)]
      const results = await askTogether(this.#client, before, last)
      for (const result of results.slice(-statements.length)) rows.push(result.rows)
    } else {
      await this.#send()
      for (const one of statements) rows.push((await this.#client.query(one)).rows)
    }
    return { command: 'SELECT', rows }
  }

  async #copy(text: string, { bytes, isLast }: RowsToCopy): Promise<unknown> {
    await this.#send()
    await copyIn(this.#client, text, bytes, { waits: this.#isPooled })
    this.#isOver = isLast
    return COPIED
  }

  #takeWaiting(): Statement[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /** Sends the waiting statements without a further one. Statements that arrive in the meantime wait for them. */
  async #send(): Promise<void> {
    const waiting = this.#takeWaiting()
    if (waiting.length > 0) {
      const each = async (): Promise<void> => {
        for (const one of waiting) await this.#client.query(one)
      }
      this.#sending = each().finally(() => {
        this.#sending = undefined
      })
    }
    await this.#sending
  }
}
