// Stores the state of the embedded server in files: its address and password, and the processes that use it.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ProcessIdentity } from './process.ts'

export interface ServerRecord {
  /**
   * Path of the cluster, relative to the data directory, so that the data directory can be moved. Absolute if the cluster is
   * elsewhere.
   */
  readonly cluster: string
  readonly port: number
  readonly password: string
}

/** One user of the server. A process can be several users. */
export interface ServerUser extends ProcessIdentity {
  readonly id: string
}

export function ensureDataDir(dataDir: string): void {
  // Lets other users pass through the folder if root creates it, because the server then runs as another user and must
  // reach the cluster.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
}

export function readRecord(dataDir: string): ServerRecord | null {
  return readJson<ServerRecord>(join(dataDir, 'postgres.json'))
}

export function writeRecord(dataDir: string, record: ServerRecord): void {
  writeJson(join(dataDir, 'postgres.json'), record)
}

export function clusterOf(dataDir: string, record: ServerRecord): string {
  return isAbsolute(record.cluster) ? record.cluster : join(dataDir, record.cluster)
}

export function urlOf(record: ServerRecord, database: string): string {
  return `postgres://dogwatch:${record.password}@127.0.0.1:${record.port}/${database}`
}

export function readClients(dataDir: string): ServerUser[] {
  return readJson<ServerUser[]>(join(dataDir, 'postgres-clients.json')) ?? []
}

export function writeClients(dataDir: string, clients: ServerUser[]): void {
  writeJson(join(dataDir, 'postgres-clients.json'), clients)
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows what it wrote there
function readJson<T>(file: string): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'EACCES') throw new Error(`${file} belongs to another user; run as that user, or set DATABASE_URL`)
    throw new Error(`could not read ${file}: ${(error as Error).message}`)
  }
}

// Writes a draft and renames it, so that readers see the old or the new file, even after a crash in between.
function writeJson(file: string, value: unknown): void {
  const draft = `${file}.new`
  writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
