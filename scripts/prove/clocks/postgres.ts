// Runs the embedded Postgres on a clock of its own. It is created once, with its schema, and copied for each scenario.
import { chmodSync, chownSync, cpSync, lchownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { serverAccount } from '../../../packages/embedded-postgres/dist/account.js'
import { findBinaries } from '../../../packages/embedded-postgres/dist/binaries.js'
import { ensureCluster } from '../../../packages/embedded-postgres/dist/cluster.js'
import { SETTINGS, THROWAWAY } from '../../../packages/embedded-postgres/dist/server.js'
import { migrateToLatest } from '../../../packages/server/dist/store/migrate.js'
import { Cluster, newPassword } from '../../lab/postgres.ts'
import { freePort, type Undo } from '../../lab/proof.ts'
import { forgetShared, type WrongClock } from './wrong-clock.ts'

export interface Template {
  /** Starts a copy on this clock. Returns its URL. */
  start(folder: string, clock: WrongClock, undo: Undo): Promise<string>
}

export async function makeTemplate(folder: string): Promise<Template> {
  const account = serverAccount(join(folder, 'none'))
  const binaries = findBinaries(account)
  const password = newPassword()
  const settings = { ...SETTINGS, ...THROWAWAY, shared_buffers: '64MB' }
  const open = async (data: string, database: string, env: Readonly<Record<string, string>>) => {
    const plan = { name: 'Postgres', data, postgres: binaries.postgres, account, password, settings, env }
    const cluster = new Cluster(plan, await freePort(), database)
    await cluster.start()
    return cluster
  }
  const template = join(homeIn(folder, 'template'), 'postgres')
  await ensureCluster(template, password, binaries, account)
  const first = await open(template, 'postgres', {})
  await first.ask('create database dogwatch')
  await migrateToLatest(first.url.replace(/postgres$/, 'dogwatch'))
  await first.end()
  return {
    start: async (own, clock, undo) => {
      const data = join(homeIn(own, 'cluster'), 'postgres')
      cpSync(template, data, { recursive: true, preserveTimestamps: true })
      chmodSync(data, 0o700)
      if (account) {
        chownSync(data, account.uid, account.gid)
        for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
          lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
        }
      }
      const cluster = await open(data, 'dogwatch', clock.env)
      undo(async () => {
        await cluster.kill()
        forgetShared(cluster.pid)
      })
      return cluster.url
    },
  }
}

/** Makes a folder that the user of Postgres can enter. */
function homeIn(folder: string, name: string): string {
  const home = join(folder, name)
  mkdirSync(home, { mode: 0o711 })
  chmodSync(home, 0o711)
  return home
}
