// Probes a mysql:// target, MySQL or MariaDB: signs in, and runs a query that can only read.
import { ResponseFault } from '../byte-reader.ts'
import { type DatabaseTarget, type Link, probeDatabase, type Value } from '../database.ts'
import type { Probe } from '../probe.ts'
import { Packets, readGreeting } from './packets.ts'
import { signIn, writeOpening } from './sign-in.ts'

export const probeMysql: Probe<'mysql'> = (attempt, target, check) =>
  probeDatabase(attempt, { target, check, protocol: 'MySQL' }, (link) => exchange(link, target))

async function exchange(link: Link, target: DatabaseTarget): Promise<Value | undefined> {
  const packets = new Packets(link)
  const greeting = readGreeting(await packets.next())
  if (target.tls) {
    if (!greeting.hasTls) throw new ResponseFault('the server does not offer TLS', { kind: 'tls' })
    packets.send(writeOpening(target))
    await link.encrypt()
  }
  await signIn(packets, target, greeting)
  const value = target.query === '' ? undefined : await run(packets, target.query, limitOf(greeting, link.timeout_ms))
  packets.quit()
  return value
}

/** Returns the statement that limits the time of a query, which differs between the two products. */
function limitOf({ version }: { version: string }, timeout_ms: number): string {
  const isMariaDb = /mariadb/i.test(version)
  return isMariaDb ? `SET max_statement_time = ${timeout_ms / 1000}` : `SET max_execution_time = ${timeout_ms}`
}

/** Runs a query in a read-only transaction. The protocol accepts only one statement at a time. */
async function run(packets: Packets, query: string, limit: string): Promise<Value | undefined> {
  for (const statement of ['SET sql_select_limit = 1', limit, 'START TRANSACTION READ ONLY']) {
    packets.query(statement)
    await packets.next()
  }
  packets.query(query)
  return await packets.firstValue()
}
