// The connections of the query builder, which by itself sends texts with values: here some of them are prepared, and one is a COPY.
import { createHash } from 'node:crypto'
import { CompiledQuery, type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { copyIn } from './copy-in.ts'

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

/** A COPY from stdin for the query builder, with all its rows. */
export function copyOf(text: string, rows: Buffer): CompiledQuery {
  return CompiledQuery.raw(text, [new Rows(rows)])
}

const COPIED = { command: 'COPY', rows: [] } as const

class Rows {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

export function builderPool(pool: pg.Pool): PostgresPool {
  // The builder knows its connections by their objects.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect()
      const before = known.get(client)
      if (before) return before
      const made = asking(client)
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

function asking(client: pg.PoolClient): PostgresPoolClient {
  const query = (text: string, values: unknown[]): Promise<unknown> => {
    const [only] = values
    if (only instanceof Rows) return copyIn(client, text, only.bytes).then(() => COPIED)
    return text.startsWith(PREPARED) ? client.query({ name: nameOf(text), text, values }) : client.query(text, values)
  }
  return { query, release: (error?: boolean) => client.release(error) } as unknown as PostgresPoolClient
}
