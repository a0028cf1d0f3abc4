// Creates several databases on one stage's Postgres, so that the same work can be measured on each.
import { openDatabase } from '../../packages/store/dist/database.js'
import { migrateToLatest } from '../../packages/store/dist/migrate.js'
import type { Stage } from './stage.ts'

/** Creates a database. The settings that speed up loading do not apply to the servers of the database. */
export async function makeDatabase(stage: Stage, name: string): Promise<Stage> {
  await stage.database.pools.machines.query(`create database ${name}`)
  const url = new URL(stage.url)
  url.pathname = `/${name}`
  await migrateToLatest(url.href)
  const loading = new URL(url)
  loading.searchParams.set('options', '-c work_mem=512MB')
  const database = openDatabase({ url: loading.href })
  stage.undo(() => database.close())
  const serve: Stage['serve'] = (env = {}) => stage.serve({ DATABASE_URL: url.href, ...env })
  return { ...stage, database, url: url.href, serve }
}
