// The fixtures of the importers: one world for each, with the files that belong together.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type ImportResult, SOURCES } from '../../src/import/index.ts'

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

const gatus = (kind: string, ...files: readonly string[]): World => ({
  name: `gatus of the kind ${kind}`,
  tool: 'gatus',
  files: (files.length > 0 ? files : [`gatus-${kind}`]).map((file) => `kinds/${file}.yaml`),
})
const blackbox = (kind: string): World => ({
  name: `blackbox of the kind ${kind}`,
  tool: 'blackbox',
  files: [`kinds/blackbox-${kind}-prometheus.yml`, `kinds/blackbox-${kind}.yml`],
})

/** Files as they are found in the wild, kind by kind. */
export const WILD: readonly World[] = [
  gatus('basic'),
  gatus('switches'),
  gatus('variables'),
  gatus('mattermost'),
  gatus('kubernetes'),
  gatus('prometheus'),
  gatus('folder', 'gatus-folder-1', 'gatus-folder-2'),
  gatus('clients'),
  gatus('providers'),
  blackbox('http'),
  blackbox('tcp'),
  blackbox('rules'),
  blackbox('others'),
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

/** Returns the variables of a file with their values; those of the other tool's own environment have a likely one. */
export function environmentOf(secrets: ImportResult['secrets']): Record<string, string> {
  const likely = (name: string) =>
    /HOST|STAGE/.test(name)
      ? name.toLowerCase()
      : name.startsWith('DISCORD')
        ? 'https://discord.com/api/webhooks/1/secret'
        : `https://hooks.slack.com/services/T0/B0/${name}`
  return Object.fromEntries(secrets.map(({ name, value }) => [name, value ?? likely(name)]))
}

export function databaseOf(sql: string, name: string): string {
  const path = join(folder, `${name}.db`)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  return path
}

export function move({ tool, files }: World): ImportResult {
  const source = SOURCES.find(({ name }) => name === tool)
  if (!source) throw new Error(`no importer for ${tool}`)
  return source.read(files.map(given), NOW)
}
