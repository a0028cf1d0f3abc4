// Leaves a server that several processes share: removes this process from the list of users, and ends the server if no
// user is left.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { removeCluster } from './cluster.ts'
import { withLock } from './lock.ts'
import { isAlive } from './process.ts'
import { endServer } from './server.ts'
import { clusterOf, readClients, readRecord, writeClients } from './state.ts'

const LOCK_LIMIT_MS = 90_000

export interface Leaving {
  readonly id: string
  readonly dataDir: string
  readonly throwaway: boolean
  readonly remove: boolean
}

/** Removes a user of the server from the list. Ends the server if no user is left. Does nothing for an unlisted user. */
export async function leaveServer({ id, dataDir, throwaway, remove }: Leaving): Promise<void> {
  const gone = await locked(dataDir, async () => {
    const clients = readClients(dataDir)
    if (!clients.some((client) => client.id === id)) return false
    const others = clients.filter((client) => client.id !== id && isAlive(client))
    if (others.length === 0) await endLast(dataDir, throwaway, remove)
    writeClients(dataDir, others)
    return others.length === 0
  })
  if (gone && throwaway && remove) rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

async function endLast(dataDir: string, throwaway: boolean, remove: boolean): Promise<void> {
  const record = readRecord(dataDir)
  if (!record) return
  const cluster = clusterOf(dataDir, record)
  const binaries = process.platform === 'win32' ? findBinaries(null) : undefined
  await endServer(cluster, throwaway ? 'immediate' : 'fast', binaries)
  if (throwaway && remove) removeCluster(cluster, dataDir)
}

/** Runs the work while no other process can start, join or leave the server of this data directory. */
export function locked<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  return withLock(join(dataDir, 'postgres.lock'), LOCK_LIMIT_MS, work)
}
