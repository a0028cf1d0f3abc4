// Builds SQL for rows whose values come from the caller.
import { type RawBuilder, sql } from 'kysely'

type ColumnType = 'bigint' | 'boolean' | 'integer' | 'jsonb' | 'text' | 'timestamptz'

/**
 * Returns SQL for rows as `k`, which a statement can select from or join. `types`: the columns and their types in Postgres. `listed`
 * can wrap the list of each column.
 */
export function rowsSql<Row extends object>(
  rows: readonly Row[],
  types: Readonly<Partial<Record<keyof Row & string, ColumnType>>>,
  listed = (list: RawBuilder<unknown>) => list,
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [keyof Row & string, ColumnType][]
  const lists = columns.map(([name, type]) => {
    const values = rows.map((row) => (type === 'jsonb' ? JSON.stringify(row[name]) : row[name]))
    return listed(sql`${values}::${sql.raw(type)}[]`)
  })
  return sql`unnest(${sql.join(lists)}) as k(${sql.join(columns.map(([name]) => sql.ref(name)))})`
}
