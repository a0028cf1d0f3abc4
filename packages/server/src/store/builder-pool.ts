// The connections of the query builder, which by itself sends one text with values after the other: here some of them are prepared, some go
// together, and one is a COPY.
import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely, type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { copyIn } from './copy-in.ts'
import type { Tables } from './tables.ts'
import { askTogether, canGoTogether, type Statement } from './together.ts'

/**
 * What a statement begins with that is prepared once per connection: planning it costs more than running it. Its text must be one of a few,
 * whatever its values are.
 */
export const PREPARED = '/* prepared */'

/** A list in such a statement. Of a list that it sees, Postgres counts the members, and then it plans anew for each list. */
export const unseen = (list: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select ${list})`

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `prepared-${createHash('sha256').update(text).digest('base64url')}`
  names.set(text, name)
  return name
}

/** A COPY from stdin for the query builder, with all its rows. `isLast`: it also commits its transaction, which has nothing else to do. */
export function copyOf(text: string, rows: Buffer, { isLast = false } = {}): CompiledQuery {
  return CompiledQuery.raw(isLast ? `${text}; commit` : text, [new Rows(rows, isLast)])
}

/**
 * Several statements for the query builder that are sent at once, because none needs the answer of another. Each sees what the ones before it
 * did and waited for. The rows of the answer are lists: those of each statement.
 */
export async function executeTogether(
  db: Kysely<Tables>,
  asks: readonly (RawBuilder<unknown> | CompiledQuery)[],
): Promise<unknown[][]> {
  const statements = asks
    .map((ask) => ('compile' in ask ? ask.compile(db) : ask))
    .map(({ sql: text, parameters }) => statementOf(text, [...parameters]))
  const text = statements.map((one) => one.text).join(';\n')
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, [new Several(statements)]))
  return rows as unknown[][]
}

const COPIED = { command: 'COPY', rows: [] } as const

class Rows {
  readonly bytes: Buffer
  readonly isLast: boolean

  constructor(bytes: Buffer, isLast: boolean) {
    this.bytes = bytes
    this.isLast = isLast
  }
}

class Several {
  readonly statements: readonly Statement[]

  constructor(statements: readonly Statement[]) {
    this.statements = statements
  }
}

/** `isPooled`: a pooler lends the connections, and has its own way to begin a transaction. */
export function builderPool(pool: pg.Pool, { isPooled }: { isPooled: boolean }): PostgresPool {
  // The builder knows its connections by their objects.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const before = known.get(client)
      if (before) return before
      const asking = new Asking(client, isPooled)
      const query = (text: string, values: unknown[]) => asking.query(text, values)
      const made = { query, release: (error?: boolean) => client.release(error) } as unknown as PostgresPoolClient
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

function statementOf(text: string, values: unknown[]): Statement {
  return text.startsWith(PREPARED) ? { name: nameOf(text), text, values } : { text, values }
}

const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] }
/** Nobody needs the answers of these: if one of them fails, so does the statement after it. */
const LEADING = new Map(
  [BEGIN, ...['savepoint attempt', 'release savepoint attempt'].map(plain)].map((one) => [one.text, one]),
)

function plain(text: string): Statement {
  return { text, values: [] }
}

/** What the query builder asks on one connection. What begins a transaction or a part of it is sent together with what follows. */
class Asking {
  readonly #client: pg.PoolClient
  readonly #isPooled: boolean
  /** What is sent with the next statement. */
  #waiting: Statement[] = []
  /** The last statement has committed the transaction. */
  #isOver = false
  /** While they are sent by themselves. */
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
    if (this.#isOver) throw new Error('the transaction is over')
    if (this.#sending) await this.#sending
    const [only] = values
    if (only instanceof Several) return this.#askSeveral(only.statements)
    if (only instanceof Rows) return this.#copy(text, only)
    const statement = statementOf(text, values)
    // A text without values may be several statements.
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

  async #copy(text: string, { bytes, isLast }: Rows): Promise<unknown> {
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

  /** Sends what waits by itself. Whatever is asked meanwhile waits for it. */
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
