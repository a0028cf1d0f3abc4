// A database of its own for whoever asks: a copy of the migrated template.
import { randomBytes } from 'node:crypto'
import type { Pooler } from '../../src/postgres/connections.ts'
import { dropOnEach, onEach, workerUrls } from './cluster.ts'
import { readStatements, recordStatements } from './statements.ts'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Runs on the same server at the same time have names of their own, by this. */
const TAG = process.env.DOGWATCH_TEST_TAG ? `_${process.env.DOGWATCH_TEST_TAG}` : ''

export const templateName = (name: string): string => (name === 'template0' ? name : `${name}${TAG}`)

/** `dogwatch_plain`: on one Postgres, also where tests run on a cluster. `template0`: nothing is in it, not even tables. */
export async function createTestDatabase(
  wanted: 'dogwatch_template' | 'dogwatch_plain' | 'template0' = 'dogwatch_template',
): Promise<TestDatabase> {
  recordStatements()
  const name = `test${TAG}_${process.env.JEST_WORKER_ID ?? '0'}_${randomBytes(6).toString('hex')}`
  const workers = workerUrls(adminUrl())
  const template = wanted === 'dogwatch_plain' && workers.length === 0 ? 'dogwatch_template' : wanted
  // Only that template is spread over the nodes of a cluster.
  const servers = template === 'dogwatch_template' ? [adminUrl(), ...workers] : [adminUrl()]
  await onEach(servers, `create database ${name} template ${templateName(template)} strategy file_copy`)
  const url = new URL(adminUrl())
  url.pathname = `/${name}`
  const drop = async (): Promise<void> => {
    await dropOnEach(servers, name)
    await readStatements()
  }
  return { url: url.href, drop }
}

/**
 * How the code under test reaches a database: by its url, or through the pooler that `npm run prove -- pgbouncer` puts in front of
 * all. What a test itself looks at and holds goes by the url.
 */
export function wayTo(database_url: string): { url: string; pooler?: Pooler } {
  const pooler = process.env.DOGWATCH_TEST_POOLER
  if (!pooler) return { url: database_url }
  const url = new URL(database_url)
  url.host = pooler
  return { url: url.href, pooler: { isPrepared: process.env.DOGWATCH_TEST_POOLER_PREPARED === 'on' } }
}

/** Whoever starts a server in a test signs up as strangers do, and brings the monitors that the test is about. */
const AS_TESTS_WANT = { SIGN_UP: 'open', DEFAULT_PLAN: 'free', LOCAL_MONITOR: 'off' }

/** The same as settings of a process. */
export function settingsFor(database_url: string): Record<string, string> {
  const { url, pooler } = wayTo(database_url)
  if (!pooler) return { ...AS_TESTS_WANT, DATABASE_URL: url }
  return {
    ...AS_TESTS_WANT,
    DATABASE_URL: url,
    DATABASE_DIRECT_URL: database_url,
    DATABASE_PREPARED: pooler.isPrepared ? 'on' : 'off',
  }
}

function adminUrl(): string {
  const url = process.env.DOGWATCH_TEST_POSTGRES
  if (!url) throw new Error('no test server: run the tests with npm test')
  return url
}
