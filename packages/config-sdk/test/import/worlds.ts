// The fixtures of the importers: one world for each, with the files that belong together.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type Moved, SOURCES } from '../../src/import/index.ts'

/** Windows before it are over, and recurring ones begin on it. */
export const NOW = new Date('2026-11-23T00:00:00Z')

export interface World {
  name: string
  tool: string
  files: readonly string[]
}

export const WORLDS: readonly World[] = [
  { name: 'uptime-kuma-1', tool: 'uptime-kuma', files: ['uptime-kuma-1.sql'] },
  { name: 'uptime-kuma-2', tool: 'uptime-kuma', files: ['uptime-kuma-2.sql'] },
  { name: 'uptime-kuma-backup', tool: 'uptime-kuma', files: ['uptime-kuma-backup.json'] },
  { name: 'gatus', tool: 'gatus', files: ['gatus.yaml'] },
  { name: 'healthchecks', tool: 'healthchecks', files: ['healthchecks.json', 'healthchecks-channels.json'] },
  { name: 'uptimerobot-2', tool: 'uptimerobot', files: ['uptimerobot-2.json'] },
  {
    name: 'uptimerobot-3',
    tool: 'uptimerobot',
    files: ['uptimerobot-3.json', 'uptimerobot-3-contacts.json', 'uptimerobot-3-windows.json'],
  },
  {
    name: 'better-stack',
    tool: 'better-stack',
    files: ['better-stack-monitors.json', 'better-stack-heartbeats.json', 'better-stack-groups.json'],
  },
  { name: 'blackbox', tool: 'blackbox', files: ['prometheus.yml', 'blackbox.yml'] },
]

export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
}

export const folder = mkdtempSync(join(tmpdir(), 'dogwatch-import-'))

export function removeFolder(): void {
  rmSync(folder, { recursive: true, force: true })
}

const databases = new Map<string, string>()

/** A file as the importer takes it: of SQL text, a database. */
export function given(name: string): string {
  if (!name.endsWith('.sql')) return fixture(name)
  const path = databases.get(name) ?? databaseOf(readFileSync(fixture(name), 'utf8'), name)
  databases.set(name, path)
  return path
}

export function databaseOf(sql: string, name: string): string {
  const path = join(folder, `${name}.db`)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  return path
}

export function move({ tool, files }: World): Moved {
  const source = SOURCES.find(({ name }) => name === tool)
  if (!source) throw new Error(`no importer for ${tool}`)
  return source.read(files.map(given), NOW)
}
