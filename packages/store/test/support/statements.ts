// Reads every statement about distributed tables that the code under test sends, each once, by the rules of distributed.ts.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CompiledQuery, DefaultQueryExecutor } from 'kysely'
import pg from 'pg'
import { DISTRIBUTED } from '../../src/results/tables.ts'
import { findBreaches, mayNameDistributed } from './distributed.ts'

interface Recorded {
  /** All texts that were sent, so that each is read once. */
  seen: Set<string>
  /** Those that were not read yet. */
  unread: string[]
}

const KEY = Symbol.for('dogwatch.recorded-statements')
const shared = globalThis as unknown as Record<symbol, Recorded | undefined>

/** From now on. What tests send by themselves is left out: they give a text, and the code under test a query. */
export function recordStatements(): void {
  if (shared[KEY]) return
  const recorded: Recorded = { seen: new Set(), unread: [] }
  shared[KEY] = recorded
  const record = (text: unknown): void => {
    if (typeof text !== 'string' || recorded.seen.has(text) || !mayNameDistributed(text)) return
    recorded.seen.add(text)
    recorded.unread.push(text)
  }
  const builder = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as Pick<DefaultQueryExecutor, 'executeQuery'>
  const { executeQuery } = builder
  builder.executeQuery = function (this: DefaultQueryExecutor, compiled: CompiledQuery, ...rest: never[]) {
    record(compiled.sql)
    return executeQuery.call(this, compiled, ...rest) as never
  }
  const client = pg.Client.prototype as unknown as { query(...given: unknown[]): unknown }
  const { query } = client
  client.query = function (this: unknown, ...given: unknown[]) {
    const [statement] = given
    if (typeof statement === 'object' && statement && 'text' in statement) record(statement.text)
    return query.apply(this, given)
  }
}

/** Throws if any of them cannot run where results are distributed over several nodes. */
export async function readStatements(): Promise<void> {
  const unread = (shared[KEY]?.unread.splice(0) ?? []).filter((text) => !existsSync(soundOf(text)))
  if (unread.length === 0) return
  const { loadModule, parseSync } = await import('libpg-query')
  await loadModule()
  const breaches = unread.flatMap((text) => {
    const found = findBreaches(text, parseSync)
    if (found.length === 0) keepSound(text)
    return found.map((breach) => `a statement ${breach}:\n${text}`)
  })
  if (breaches.length > 0) throw new Error(`statements cannot run on several nodes:\n${breaches.join('\n')}`)
}

/** Folder with an empty file for each sound statement, named by its text and by what judged it, so that no other worker reads it. */
const SOUND = fileURLToPath(new URL('../../../../.cache/sound-statements/', import.meta.url))
const JUDGES = ['./distributed.ts', '../../../../node_modules/libpg-query/package.json']
let judges: string | undefined

function soundOf(text: string): string {
  judges ??= [DISTRIBUTED.join(), ...JUDGES.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))].join(
    '\0',
  )
  return join(SOUND, createHash('sha256').update(`${judges}\0${text}`).digest('hex'))
}

function keepSound(text: string): void {
  mkdirSync(SOUND, { recursive: true })
  writeFileSync(soundOf(text), '')
}
