// Imports an Uptime Kuma, 1.x or 2.x, from its database or from the backup file of version 1.
import { compositeUrl } from '@dogwatch/check-rules/composite'
import { faultOfTags, tidyTag } from '@dogwatch/check-rules/tags'
import type { FileScope } from '../../file/format.ts'
import {
  Audit,
  byColumn,
  carried,
  differently,
  type Fields,
  flagOf,
  idle,
  impossible,
  isBlank,
  listOf,
  numberOf,
  readFields,
  textOf,
  UNKNOWN,
} from '../audit.ts'
import { type ImportResult, Moving } from '../moving.ts'
import { jsonIn } from '../reading.ts'
import { MOST_INTERVAL_SEC, secondsWithin } from '../schedules.ts'
import { whyNot } from './kinds.ts'
import { MONITOR, newDraft } from './monitors.ts'
import { readNotification } from './notifications.ts'
import { readPages } from './pages.ts'
import { type KumaSource, readKuma } from './source.ts'
import { readMaintenance } from './windows.ts'

interface Thing {
  section: 'checks' | 'heartbeats'
  key: string
  name: string
}

export function importUptimeKuma(path: string, now: Date): ImportResult {
  return moveKuma(readKuma(path), now)
}

export function moveKuma({ tables, unread, audit = new Audit() }: KumaSource, now: Date): ImportResult {
  const into = new Moving(audit)
  const rows = (table: string) => tables.get(table) ?? []
  reportDangling(rows, audit)
  const settings = new Map(rows('setting').map(({ key, value }) => [textOf(key), jsonIn(value) ?? value]))
  const channels = new Map(rows('notification').map((row) => [row.id, readNotification(row, { into, audit })]))
  const things = readMonitors(rows, { into, audit, settings, channels })
  const thingOf = (id: unknown) => things.get(id)
  const zone = textOf(settings.get('serverTimezone')) || 'UTC'
  const scopes = byColumn(rows('monitor_maintenance'), 'maintenance_id')
  const shown = byColumn(rows('maintenance_status_page'), 'maintenance_id')
  for (const row of rows('maintenance')) {
    const scope = scopeOf(scopes(row.id).flatMap(({ monitor_id }) => thingOf(monitor_id) ?? []))
    readMaintenance(row, { into, audit, now, zone, scope, isPublic: shown(row.id).length > 0 })
  }
  const pages = { pages: rows('status_page'), groups: rows('group'), members: rows('monitor_group') }
  const page = readPages(pages, thingOf, audit)
  if (page) into.statusPage(page)
  readRest(rows, settings, audit)
  for (const { table, isHistory, rows: count } of unread) {
    if (count > 0)
      audit.refuse(
        'table',
        table,
        '',
        isHistory ? 'history, current state and users are not imported' : UNKNOWN.replace('field', 'table'),
      )
  }
  return into.finish()
}

/** Columns that refer to a row of another table. */
const REFERENCES: readonly (readonly [table: string, column: string, to: string])[] = [
  ['monitor', 'parent', 'monitor'],
  ['monitor_notification', 'monitor_id', 'monitor'],
  ['monitor_notification', 'notification_id', 'notification'],
  ['monitor_tag', 'monitor_id', 'monitor'],
  ['monitor_tag', 'tag_id', 'tag'],
  ['group', 'status_page_id', 'status_page'],
  ['monitor_group', 'group_id', 'group'],
  ['monitor_group', 'monitor_id', 'monitor'],
  ['monitor_maintenance', 'monitor_id', 'monitor'],
  ['monitor_maintenance', 'maintenance_id', 'maintenance'],
  ['maintenance_status_page', 'maintenance_id', 'maintenance'],
]

/** Reports references to missing rows, because what such a row links is not imported. */
function reportDangling(rows: (table: string) => readonly Fields[], audit: Audit): void {
  for (const [table, column, to] of REFERENCES) {
    const ids = new Set(rows(to).map(({ id }) => id))
    const odd = rows(table).filter((row) => row[column] !== null && row[column] !== undefined && !ids.has(row[column]))
    for (const row of odd)
      audit.refuse('table', `${table} ${textOf(row.id)}`.trim(), column, `refers to a missing ${to}`)
  }
  for (const [table, column] of [
    ['group', 'weight'],
    ['monitor_group', 'weight'],
  ] as const) {
    const odd = rows(table).filter((row) => !isBlank(row[column]) && numberOf(row[column]) === undefined)
    for (const row of odd) audit.refuse('table', `${table} ${textOf(row.id)}`.trim(), column, 'must be a number')
  }
}

/** Days before the end of a registration at which Kuma sends its first alert by default. */
const DOMAIN_DAYS = 21

interface MonitorContext {
  into: Moving
  audit: Audit
  settings: ReadonlyMap<string, unknown>
  channels: ReadonlyMap<unknown, readonly string[]>
}

/** Makes the items of the monitors, and returns them by the ids of the monitors. */
function readMonitors(
  rows: (table: string) => readonly Fields[],
  { into, audit, settings, channels }: MonitorContext,
): Map<unknown, Thing> {
  const monitors = rows('monitor')
  const byId = new Map(monitors.map((row) => [row.id, row]))
  const given = settings.get('tlsExpiryNotifyDays')
  const days = (Array.isArray(given) ? given : [7, 14, 21]).flatMap((day) => (typeof day === 'number' ? day : []))
  const things = new Map<unknown, Thing>()
  const toldBy = byColumn(rows('monitor_notification'), 'monitor_id')
  const tagsBy = byColumn(rows('monitor_tag'), 'monitor_id')
  const names = new Map(rows('tag').map((tag) => [tag.id, textOf(tag.name)]))
  const byProxyId = new Map(rows('proxy').map((row) => [textOf(row.id), row]))
  const proxies = (id: unknown) => byProxyId.get(textOf(id))
  for (const row of monitors) {
    const name = textOf(row.name) || `monitor ${textOf(row.id)}`
    const why = whyNot(row)
    if (why !== undefined) {
      audit.refuse('monitor', name, '', why)
      continue
    }
    const told = toldBy(row.id)
    if (row.type === 'group') {
      const key = readGroup(row, name, into, audit)
      if (key === undefined) continue
      into.tells({ section: 'checks', key, channels: told.flatMap((one) => channels.get(one.notification_id) ?? []) })
      things.set(row.id, { section: 'checks', key, name })
      continue
    }
    const section = row.type === 'push' ? 'heartbeats' : 'checks'
    const key = into.key(section, name)
    const draft = newDraft(row, { into, key, thing: name }, { certificateDays: days, proxies })
    const made = { kind: 'monitor', thing: name }
    readFields({ audit, ...made, source: row, draft }, row, MONITOR)
    const groups = groupsOf(row, byId)
    const tags = [...tagsOf(tagsBy(row.id), names, audit, name), ...groups.map((group) => textOf(group.name))]
    if (groups.some((group) => flagOf(group.active) === false)) {
      draft.check.enabled = draft.heartbeat.enabled = false
      audit.say('monitor', name, 'parent', differently('paused, because its group is paused'))
    }
    const thing = section === 'checks' ? draft.check : draft.heartbeat
    if (tags.length > 0) thing.tags = tags
    if (section === 'checks') into.check(key, draft.check, made)
    else into.heartbeat(key, { grace_sec: 0, ...draft.heartbeat }, made)
    const tellsTo = told.flatMap(({ notification_id }) => channels.get(notification_id) ?? [])
    into.tells({ section, key, channels: tellsTo })
    if (flagOf(row.domain_expiry_notification) === true && section === 'checks') {
      const domain = into.domain(textOf(row.url) || `http://${textOf(row.hostname)}`, DOMAIN_DAYS, made)
      if (domain !== undefined) into.tells({ section, key: domain, channels: tellsTo })
    }
    things.set(row.id, { section, key, name })
  }
  return things
}

/**
 * Makes the composite check of a group, which is down if any of its members is. Returns its key. Returns undefined if the name of the
 * group cannot be a tag.
 */
function readGroup(row: Fields, name: string, into: Moving, audit: Audit): string | undefined {
  const tag = tidyTag(textOf(row.name))
  if (faultOfTags([tag]) !== undefined) {
    audit.refuse('monitor', name, '', 'the name of the group cannot be a tag, which its members need')
    return undefined
  }
  const key = into.key('checks', name)
  const interval_sec = secondsWithin(numberOf(row.interval) ?? 60, MOST_INTERVAL_SEC)
  const enabled = flagOf(row.active) === false ? { enabled: false } : {}
  const url = compositeUrl([{ by: 'tag', name: tag }], 1)
  into.check(key, { name, url, interval_sec, ...enabled }, { kind: 'monitor', thing: name })
  const what = "a composite check; its members get the group's name as a tag, and heartbeats do not count"
  audit.say('monitor', name, '', differently(what))
  return key
}

function tagsOf(own: readonly Fields[], names: ReadonlyMap<unknown, string>, audit: Audit, name: string): string[] {
  return own.flatMap(({ tag_id, value }) => {
    const tag = names.get(tag_id) ?? ''
    if (tag === '') return []
    if (!isBlank(value) && textOf(value) === '') {
      audit.say('monitor', name, `tag ${tag}`, impossible('its value must be text'))
      return tag
    }
    const said = textOf(value) === '' ? carried : differently('becomes one tag made of its name and value')
    audit.say('monitor', name, `tag ${tag}`, said)
    return textOf(value) === '' ? tag : `${tag}:${textOf(value)}`
  })
}

/** Returns the groups of a monitor, the innermost first. Groups can be nested. */
function groupsOf(row: Fields, byId: ReadonlyMap<unknown, Fields>): Fields[] {
  const groups: Fields[] = []
  let at = byId.get(row.parent)
  for (let depth = 0; at && depth < 10; depth++) {
    groups.push(at)
    at = byId.get(at.parent)
  }
  return groups
}

function scopeOf(things: readonly Thing[]): FileScope {
  const keys = (section: Thing['section']) => things.filter((thing) => thing.section === section).map(({ key }) => key)
  const [checks, heartbeats] = [keys('checks'), keys('heartbeats')]
  return { ...(checks.length > 0 && { checks }), ...(heartbeats.length > 0 && { heartbeats }) }
}

/** Tables that are not imported, with the reason. */
const REST: Readonly<Record<string, { kind: string; name: string; why: string }>> = {
  incident: { kind: 'incident', name: 'title', why: 'status page posts are not imported' },
  docker_host: { kind: 'docker host', name: 'name', why: 'Docker containers are not supported' },
  api_key: { kind: 'API key', name: 'name', why: 'create tokens in Dogwatch' },
  remote_browser: { kind: 'remote browser', name: 'name', why: 'browsers are not supported' },
  status_page_cname: { kind: 'domain', name: 'domain', why: 'status pages are served at the address of your Dogwatch' },
}

const USED_SETTINGS: readonly string[] = ['tlsExpiryNotifyDays', 'serverTimezone']

function readRest(
  rows: (table: string) => readonly Fields[],
  settings: ReadonlyMap<string, unknown>,
  audit: Audit,
): void {
  for (const [table, { kind, name, why }] of Object.entries(REST)) {
    for (const row of rows(table)) audit.refuse(kind, textOf(row[name]) || textOf(row.id), '', why)
  }
  for (const [key] of settings) {
    const said = USED_SETTINGS.includes(key) ? { list: 'carried' as const } : impossible('applies to Uptime Kuma only')
    audit.say('setting', key, '', said)
  }
  const proxied = new Set(rows('monitor').map(({ proxy_id }) => textOf(proxy_id)))
  for (const { id, host } of rows('proxy')) {
    const said = proxied.has(textOf(id))
      ? differently('becomes the field proxy of its monitors')
      : impossible('not used by any monitor')
    audit.say('proxy', textOf(host) || textOf(id), '', said)
  }
  const used = new Set(rows('monitor_tag').map(({ tag_id }) => tag_id))
  for (const { id, name, color } of rows('tag')) {
    audit.say('tag', textOf(name), '', used.has(id) ? { list: 'carried' } : impossible('not used by any monitor'))
    if (used.has(id) && textOf(color) !== '')
      audit.say('tag', textOf(name), 'color', impossible('tags have no colours'))
  }
  for (const row of rows('maintenance_status_page')) {
    if (row.status_page_id !== undefined && textOf(row.maintenance_id) !== '')
      audit.say('maintenance', textOf(row.maintenance_id), 'status page', idle)
  }
  if (listOf(rows('group')).length > 0 && rows('status_page').length === 0) {
    for (const { name } of rows('group'))
      audit.refuse('status page group', textOf(name), '', 'it belongs to no status page')
  }
}
