// Removes from an import everything that Dogwatch would refuse, and reports it, because a file that cannot be applied is useless.
import { contradictionsIn } from '@dogwatch/check-rules/contradictions'
import { faultsOfDefinition, faultsOfValue } from '@dogwatch/check-rules/definition'
import { isField } from '@dogwatch/check-rules/fields'
import { faultOfRetries } from '@dogwatch/check-rules/retries'
import { schemeOf, schemeRow } from '@dogwatch/check-rules/schemes'
import type { FileCheck, FileHeartbeat, FileScope, FileWindow } from '../file/format.ts'
import { type Audit, differently, type Fields, impossible, isFields } from './audit.ts'
import { nameFrom, tagFrom } from './names.ts'

/** An item, with its kind and name in the other tool. */
export interface ImportedItem<Draft> {
  draft: Draft
  kind: string
  thing: string
}

const MOST_NAME = 200
const MOST_TAGS = 20
const MOST_PASSES = 8
/** Interval of a check if the other tool has no valid one, in seconds. */
const INTERVAL_SEC = 60

/** Functions to judge texts with variables. */
export interface VariableResolver {
  /** Replaces variables with their secrets. */
  reveal(text: string): string
  /** Whether only the environment knows the whole text. */
  hasUnknown(text: string): boolean
}

/** Removes invalid fields of a check from another tool. Returns whether Dogwatch can create the check. */
export function settleCheck(
  key: string,
  made: ImportedItem<FileCheck>,
  shown: VariableResolver,
  audit: Audit,
): boolean {
  const { draft, kind, thing } = made
  settleCommon(key, made, shown, audit)
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const faults = faultsOf(draft, shown)
    const target = faults.find(({ field }) => field === 'url')
    if (target) {
      audit.withdraw(kind, thing, `its target ${target.must}`)
      return false
    }
    for (const { field, header, part = '', must } of faults) {
      const isThere = header === undefined ? Reflect.has(draft, field) : Reflect.has(draft.headers ?? {}, header)
      if (!isThere) continue
      Reflect.deleteProperty(header === undefined ? draft : (draft.headers ?? {}), header ?? field)
      if (header === undefined) audit.lose(draft, { kind, thing, field }, impossible(`${field}${part} ${must}`))
      else audit.lose(draft, { kind, thing, field }, differently(`without ${header}, which ${must}`))
    }
    if (faults.length === 0) break
  }
  if (isFields(draft.headers) && Object.keys(draft.headers).length === 0) delete draft.headers
  if (draft.interval_sec === undefined) {
    draft.interval_sec = INTERVAL_SEC
    audit.say(
      kind,
      thing,
      'interval',
      differently(`interval_sec ${INTERVAL_SEC}, because the original has no valid interval`),
    )
  }
  const idle = faultOfRetries({ ...draft })
  if (idle !== undefined) {
    audit.lose(draft, { kind, thing, field: 'retry_count' }, impossible(`retry_count ${idle}`))
    delete draft.retry_count
    delete draft.retry_interval_sec
  }
  return true
}

/** Validates a heartbeat from another tool. Returns whether Dogwatch can create the heartbeat. */
export function settleHeartbeat(
  key: string,
  made: ImportedItem<FileHeartbeat>,
  shown: VariableResolver,
  audit: Audit,
): boolean {
  settleCommon(key, made, shown, audit)
  const { draft, kind, thing } = made
  if (draft.interval_sec !== undefined || draft.cron !== undefined) return true
  audit.withdraw(kind, thing, 'a heartbeat needs an interval or a schedule, and the original has no valid one')
  return false
}

interface FieldFault {
  field: string
  header?: string
  part?: string
  must: string
}

/** Returns a valid target of the same kind as a target that contains variables with unknown values. */
function targetLike(url: string): string {
  return schemeRow(schemeOf(url) ?? 'https').example
}

function faultsOf(draft: FileCheck, { reveal, hasUnknown }: VariableResolver): FieldFault[] {
  const plain = Object.fromEntries(
    Object.entries(draft as Fields).map(([field, value]): [string, unknown] => {
      if (field === 'url' && hasUnknown(String(value))) return [field, targetLike(String(value))]
      if (typeof value === 'string') return [field, reveal(value)]
      if (field !== 'headers' || !isFields(value)) return [field, value]
      return [field, Object.fromEntries(Object.entries(value).map(([name, text]) => [name, reveal(String(text))]))]
    }),
  )
  const others = Object.entries(plain).flatMap(([field, value]) => (isField(field) ? faultsOfValue(field, value) : []))
  return [...faultsOfDefinition(plain), ...others, ...contradictionsIn(plain)]
}

function settleCommon(
  key: string,
  { draft, kind, thing }: ImportedItem<{ name?: string; tags?: string[] }>,
  { hasUnknown }: VariableResolver,
  audit: Audit,
): void {
  const name = nameFrom(draft.name ?? '', MOST_NAME) || key
  if (draft.name !== undefined && name !== draft.name) {
    audit.say(kind, thing, 'name', differently(`shortened to one line of at most ${MOST_NAME} characters`))
  }
  draft.name = name
  if (!draft.tags) return
  const tags = [...new Set(draft.tags.flatMap((tag) => (hasUnknown(tag) ? tag : (tagFrom(tag) ?? []))))].toSorted()
  if (tags.length > MOST_TAGS) audit.say(kind, thing, 'tags', impossible(`more than ${MOST_TAGS} tags`))
  if (tags.length === 0) delete draft.tags
  else draft.tags = tags.slice(0, MOST_TAGS)
}

/** Removes items that could not be imported from a scope. Returns undefined if no item is left. */
export function settleScope(
  scope: FileScope,
  known: { checks: ReadonlyMap<string, unknown>; heartbeats: ReadonlyMap<string, unknown> },
): FileScope | undefined {
  if (!scope.checks && !scope.heartbeats) return scope
  const checks = scope.checks?.filter((key) => known.checks.has(key)) ?? []
  const heartbeats = scope.heartbeats?.filter((key) => known.heartbeats.has(key)) ?? []
  if (checks.length === 0 && heartbeats.length === 0) return undefined
  return { ...(checks.length > 0 && { checks }), ...(heartbeats.length > 0 && { heartbeats }) }
}

const LEAST_SEC = 60
/** Maximum duration in seconds: 30 days. */
const MOST_SEC = 2_592_000
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** Corrects a maintenance window. Returns the reason if the window cannot be created, or else undefined. */
export function settleWindow(window: FileWindow, thing: string, audit: Audit): string | undefined {
  window.duration_sec = Math.round(window.duration_sec)
  if (window.duration_sec < LEAST_SEC || window.duration_sec > MOST_SEC) {
    return 'shorter than a minute or longer than 30 days'
  }
  const at = new Date(`${window.starts_at}:00Z`)
  if (!LOCAL.test(window.starts_at) || Number.isNaN(at.getTime())) return 'starts at a time that does not exist'
  if (!isZone(window.zone ?? '')) {
    window.zone = 'UTC'
    audit.say('maintenance', thing, 'zone', differently('zone UTC, because the original zone name is unknown'))
  }
  return undefined
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
