// Formats rows of text for people: defines the columns for each kind of item, and aligns them.

import type { AccountSettings, Result } from '../generated.ts'
import type { ListName } from './arguments.ts'

type Columns = readonly string[]

/** Columns of each kind. JSON shows all fields. No column contains a secret. */
export const COLUMNS: Readonly<Record<ListName | 'results' | 'settings', Columns>> = {
  checks: ['guid', 'name', 'enabled', 'interval_sec', 'url'],
  monitors: ['id', 'name', 'class', 'enabled', 'region', 'country', 'city'],
  heartbeats: ['guid', 'name', 'state', 'enabled', 'interval_sec', 'grace_sec', 'last_heartbeat_at'],
  channels: ['id', 'kind', 'enabled', 'name', 'email', 'ntfy_topic'],
  members: ['id', 'email', 'is_owner', 'joined_at'],
  results: ['ran_at', 'monitor', 'success', 'latency_ms', 'http_status', 'error'],
  settings: ['name', 'value'],
}

/** Returns a result as a row. A monitor without a name is shown by its id. */
export function resultRow(result: Result): object {
  return { ...result, monitor: result.monitor_name ?? result.monitor_id }
}

/** Returns settings as rows, one for each entitlement and each usage value. */
export function settingsRows(settings: AccountSettings): object[] {
  const rows = (prefix: string, values: object) =>
    Object.entries(values).map(([name, value]: [string, unknown]) => ({ name: prefix + name, value }))
  return [
    { name: 'org_name', value: settings.org_name },
    ...rows('entitlements.', settings.entitlements),
    ...rows('plan_usage.', settings.plan_usage),
  ]
}

/** Aligns `rows` under the column names. `widths` stores the widths of the columns for later rows. */
export function tableOf(columns: Columns, rows: readonly object[], widths: number[] = [], heading = true): string {
  const cells = rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column])))
  const all = heading ? [[...columns], ...cells] : cells
  for (const line of all) {
    line.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell))
    })
  }
  const lines = all.map((line) =>
    line.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - lengthOf(cell))).join('  '),
  )
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return onOneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Replaces characters that would break the line, move a terminal's cursor or colour its text. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}
