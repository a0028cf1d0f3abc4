// Reads the tables of an Uptime Kuma: its database, or the backup file of version 1.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Audit, entryOf, type Fields, flagOf, listOf, objectOf, objectsOf, textOf, type Whole } from '../audit.ts'
import { ImportError, readJson, requireFields } from '../reading.ts'

/** Rows by table. Tables that contain history are not read. */
export interface KumaSource {
  tables: ReadonlyMap<string, readonly Fields[]>
  /** Tables that contain history, and unknown tables. */
  unread: readonly { table: string; isHistory: boolean; rows: number }[]
  /** Report on the unreadable parts of a backup. */
  audit?: Audit
}

const READ: readonly string[] = [
  'monitor',
  'notification',
  'monitor_notification',
  'tag',
  'monitor_tag',
  'setting',
  'incident',
  'group',
  'monitor_group',
  'docker_host',
  'status_page',
  'status_page_cname',
  'proxy',
  'maintenance',
  'maintenance_status_page',
  'monitor_maintenance',
  'api_key',
  'remote_browser',
]
const HISTORY: readonly string[] = [
  'heartbeat',
  'stat_minutely',
  'stat_hourly',
  'stat_daily',
  'monitor_tls_info',
  'notification_sent_history',
  'maintenance_timeslot',
  'domain_expiry',
  'user',
  'knex_migrations',
  'knex_migrations_lock',
]
const MOST_ROWS = 20_000
const MOST_CHARS = 32 * 1024 * 1024

export function readKuma(path: string): KumaSource {
  return path.toLowerCase().endsWith('.json') ? readBackup(path) : readDatabase(path)
}

function readDatabase(path: string): KumaSource {
  const database = open(path)
  try {
    // Reads only real tables. A view or a virtual table with an expected name could run for ever, or read other files.
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
      .all()
      .map(({ name }) => String(name))
    if (!names.includes('monitor'))
      throw new ImportError(
        `${basename(path)} contains no Uptime Kuma data; if Uptime Kuma was running when you copied ${basename(path)}, also copy ${basename(path)}-wal and ${basename(path)}-shm`,
      )
    const tables = new Map<string, readonly Fields[]>()
    let left = MOST_CHARS
    for (const table of READ.filter((name) => names.includes(name))) {
      const { rows, chars } = readTable(database, table, left)
      tables.set(table, rows)
      left -= chars
    }
    const unread = names
      .filter((name) => !READ.includes(name) && !name.startsWith('sqlite_'))
      .map((table) => ({ table, isHistory: HISTORY.includes(table), rows: countOf(database, table) }))
    return { tables, unread }
  } catch (error) {
    if (error instanceof ImportError) throw error
    throw new ImportError(`${basename(path)} is not a readable SQLite database`)
  } finally {
    database.close()
  }
}

function open(path: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  // Tries the plain path as well, because the first versions of node:sqlite do not accept a URL.
  for (const place of [placeOf(path), path]) {
    try {
      const database = new DatabaseSync(place, { readOnly: true })
      database.exec('PRAGMA trusted_schema = OFF')
      return database
    } catch {
      // Continues with the plain path. If both fail, the function throws below.
    }
  }
  throw new ImportError(`cannot open ${basename(path)} as an SQLite database`)
}

/**
 * Returns the URL of a database that keeps SQLite from writing to its folder. To read a database in WAL mode, SQLite would
 * otherwise create a write-ahead log if there is none.
 */
function placeOf(path: string): string | URL {
  if (existsSync(`${path}-wal`)) return path
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return url
}

function loadSqlite(): typeof import('node:sqlite') {
  try {
    return createRequire(import.meta.url)('node:sqlite') as typeof import('node:sqlite')
  } catch {
    throw new ImportError(
      `reading an SQLite database requires Node 22.13 or newer, but this is ${process.version}; upgrade Node`,
    )
  }
}

function readTable(database: DatabaseSync, table: string, left: number): { rows: Fields[]; chars: number } {
  const rows: Fields[] = []
  let chars = 0
  for (const row of database.prepare(`SELECT * FROM "${table}" LIMIT ${MOST_ROWS + 1}`).iterate()) {
    for (const value of Object.values(row)) if (typeof value === 'string') chars += value.length
    rows.push({ ...row })
    if (rows.length > MOST_ROWS)
      throw new ImportError(`the table ${table} has more than ${MOST_ROWS} rows, the maximum for an import`)
    if (chars > left)
      throw new ImportError(`the tables contain more than ${MOST_CHARS} characters of text, the maximum for an import`)
  }
  return { rows, chars }
}

function countOf(database: DatabaseSync, table: string): number {
  const [row] = database.prepare(`SELECT count(*) AS n FROM "${table.replaceAll('"', '""')}"`).all()
  return Number(row?.n ?? 0)
}

/** Reads a backup of version 1 into the columns of the database. */
function readBackup(path: string): KumaSource {
  const name = basename(path)
  const backup = requireFields(readJson(path), name)
  if (!Array.isArray(backup.monitorList)) throw new ImportError(`${name} is not an Uptime Kuma backup`)
  const audit = new Audit()
  const whole: Whole = { audit, kind: 'file', thing: 'backup' }
  const monitors = objectsOf(whole, backup.monitorList, 'monitorList')
  // If two monitors had the same id, each would get the rows of both, which multiplies them.
  if (new Set(monitors.map(({ id }) => id)).size < monitors.length)
    throw new ImportError(`${name} contains two monitors with the same id`)
  const columns = monitors.map((monitor) => toColumns(monitor))
  const links = monitors.flatMap(({ id, notificationIDList }) =>
    Object.entries(objectOf(whole, notificationIDList, `monitor ${textOf(id)}: notificationIDList`))
      .filter(([key, isOn]) => {
        const why = flagOf(isOn) === undefined ? 'must be true or false' : undefined
        if (why !== undefined) audit.refuse('file', 'backup', `monitor ${textOf(id)}: notification ${key}`, why)
        return flagOf(isOn) === true
      })
      .map(([notification_id]) => ({ monitor_id: id, notification_id: Number(notification_id) })),
  )
  const tags = monitors.flatMap(({ id, tags }) =>
    objectsOf(whole, tags, `monitor ${textOf(id)}: tags`).map((tag) => ({ ...tag, monitor_id: id })),
  )
  const tables = new Map<string, readonly Fields[]>([
    ['monitor', columns],
    ['monitor_notification', links],
    ['notification', objectsOf(whole, backup.notificationList, 'notificationList').map(toColumns)],
    ['proxy', objectsOf(whole, backup.proxyList, 'proxyList').map(toColumns)],
    [
      'tag',
      [
        ...new Map(
          tags.map((tag: Fields) => [tag.tag_id, { id: tag.tag_id, name: tag.name, color: tag.color }]),
        ).values(),
      ],
    ],
    [
      'monitor_tag',
      tags.map(({ monitor_id, ...tag }: Fields) => ({ monitor_id, tag_id: tag.tag_id, value: tag.value })),
    ],
  ])
  const known = ['version', 'monitorList', 'notificationList', 'proxyList']
  const unread = Object.entries(backup)
    .filter(([field]) => !known.includes(field))
    .map(([table, value]) => ({ table, isHistory: false, rows: listOf(value).length }))
  return { tables, unread, audit }
}

/** Columns whose name in a backup differs from that in the database in more than capital letters. */
const RENAMED: Readonly<Record<string, string>> = { accepted_statuscodes: 'accepted_statuscodes_json' }
/** Fields of a monitor in a backup that Kuma computed for its pages, or that the backup stores in separate lists. */
const COMPUTED: readonly string[] = [
  'children_ids',
  'path_name',
  'path',
  'force_inactive',
  'maintenance',
  'screenshot',
  'include_sensitive_data',
  'notification_idlist',
  'tags',
]

function toColumns(object: Fields): Fields {
  const entries = Object.entries(object).map(([field, value]): [string, unknown] => {
    const column = field.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
    return [entryOf(RENAMED, column) ?? column, value]
  })
  return Object.fromEntries(entries.filter(([column]) => !COMPUTED.includes(column)))
}
