// Opens a connection for the long statements of `dogwatch shard`, and is patient with locks, because a wait for the lock of a
// table delays all others behind it.
import { setTimeout as pause } from 'node:timers/promises'
import { isCrossed } from '@dogwatch/runtime/database-faults'
import pg from 'pg'

/** Maximum wait of one attempt for a lock, in milliseconds. It is below the lock timeout of requests. */
const LOCK_MS = 1000
const TRIES = 300
const PAUSE_MS = 1000
/**
 * Options of the session, whatever the defaults of the database are. A plain Postgres accepts the last one as a name that it does
 * not know.
 */
const OPTIONS = Object.entries({
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  'citus.propagate_set_commands': 'local',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/** Opens a connection whose statements may take as long as they need. `SET LOCAL` also reaches the nodes. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'dogwatch-sharding', options: OPTIONS })
  // The statement under way rejects as well. Without a listener, the process would end.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Runs work in a transaction that keeps everyone else from a table. Rolls back and tries again while others hold its lock. */
export async function whileLocked<Answer>(
  client: pg.Client,
  table: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  for (let n = 1; ; n++) {
    await client.query('begin')
    try {
      await client.query(`set local lock_timeout = ${LOCK_MS}`)
      await client.query(`lock table ${table} in access exclusive mode`)
      await client.query('set local lock_timeout = 0')
      const answer = await work()
      await client.query('commit')
      return answer
    } catch (error) {
      await client.query('rollback').catch(() => {})
      if (!isCrossed(error) || n === TRIES) throw error
      await pause(Math.min(PAUSE_MS, 100 * n))
    }
  }
}
