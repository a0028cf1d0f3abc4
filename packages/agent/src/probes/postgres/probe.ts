// Probes a postgres:// target: signs in, and runs a query that can only read.

import { ResponseFault } from '../byte-reader.ts'
import { type DatabaseTarget, type Link, probeDatabase, type Value } from '../database.ts'
import type { Probe } from '../probe.ts'
import { firstValue, int16, int32, readError, text, typed, untilReady, untyped } from './messages.ts'
import { signIn } from './sign-in.ts'

const VERSION_3 = 196_608
const ENCRYPTION_REQUEST = 80_877_103
const GOODBYE = typed('X')

export const probePostgres: Probe<'postgres'> = (attempt, target, check) =>
  probeDatabase(attempt, { target, check, protocol: 'PostgreSQL' }, (link) => exchange(link, target))

async function exchange(link: Link, target: DatabaseTarget): Promise<Value | undefined> {
  const { user, database, query, tls } = target
  if (tls) await encrypt(link)
  const settings = {
    user,
    ...(database === '' ? {} : { database }),
    client_encoding: 'UTF8',
    application_name: 'dogwatch',
  }
  link.send(untyped(int32(VERSION_3), ...Object.entries(settings).flat().map(text), Buffer.alloc(1)))
  await signIn(link, target)
  await untilReady(link)
  const value = query === '' ? undefined : await run(link, query)
  link.send(GOODBYE)
  return value
}

async function encrypt(link: Link): Promise<void> {
  link.send(untyped(int32(ENCRYPTION_REQUEST)))
  const answer = (await link.bytes.take(1)).toString('latin1')
  if (answer === 'N') throw new ResponseFault('the server does not offer TLS', { kind: 'tls' })
  // A server that is full, or starting, may report an error instead.
  if (answer === 'E') throw readError(await link.bytes.take((await link.bytes.take(4)).readInt32BE() - 4))
  if (answer !== 'S') throw new ResponseFault('the response is not valid PostgreSQL')
  await link.encrypt()
}

/** Runs a query in a transaction that can only read. The extended protocol accepts one statement, and a limit of rows. */
async function run(link: Link, query: string): Promise<Value | undefined> {
  link.send(typed('Q', text(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${link.timeout_ms}`)))
  await untilReady(link)
  link.send(
    typed('P', text(''), text(query), int16(0)),
    typed('B', text(''), text(''), int16(0), int16(0), int16(0)),
    typed('D', Buffer.from('P'), text('')),
    typed('E', text(''), int32(1)),
    typed('S'),
  )
  return await firstValue(link)
}
