// Finds the references between the items of a file, and translates them for the API.

import type { ConfigFile, FileScope, Reference, Section } from './format.ts'
import type { Path } from './place.ts'

export interface NamedReference {
  path: Path
  section: Section
  reference: Reference
}

/** Returns every reference of a file. */
export function referencesIn(config: ConfigFile): NamedReference[] {
  const named: NamedReference[] = []
  mapReferences(config, (one) => {
    named.push(one)
    return one.reference
  })
  return named
}

/** Replaces each reference of a file with the result of `to`. */
export function mapReferences(config: ConfigFile, to: (named: NamedReference) => string): ConfigFile {
  const list = (path: Path, section: Section, references: readonly Reference[]) =>
    references.map((reference, index) => to({ path: [...path, index], section, reference }))
  const scope = (path: Path, given: FileScope): FileScope => ({
    ...given,
    ...(given.checks && { checks: list([...path, 'checks'], 'checks', given.checks) }),
    ...(given.heartbeats && { heartbeats: list([...path, 'heartbeats'], 'heartbeats', given.heartbeats) }),
  })
  const { checks, routes, maintenance, status_page } = config
  return {
    ...config,
    ...(checks && {
      checks: mapValues(checks, (check, key) => {
        const { depends_on } = check
        if (!depends_on) return check
        const path = ['checks', key, 'depends_on']
        return { ...check, depends_on: to({ path, section: 'checks', reference: depends_on }) }
      }),
    }),
    ...(routes && {
      routes: mapValues(routes, (route, key) => ({
        ...route,
        scope: scope(['routes', key, 'scope'], route.scope),
        steps: route.steps.map((step, index) => {
          const path = ['routes', key, 'steps', index]
          const { channels, rotation } = step
          return {
            ...step,
            ...(channels && { channels: list([...path, 'channels'], 'channels', channels) }),
            ...(rotation && {
              rotation: {
                ...rotation,
                channels: list([...path, 'rotation', 'channels'], 'channels', rotation.channels),
              },
            }),
          }
        }),
      })),
    }),
    ...(maintenance && {
      maintenance: mapValues(maintenance, (window, key) => ({
        ...window,
        scope: scope(['maintenance', key, 'scope'], window.scope),
      })),
    }),
    ...(status_page?.entries && {
      status_page: {
        ...status_page,
        entries: status_page.entries.map((entry, index) => {
          const path = ['status_page', 'entries', index]
          const { check, heartbeat } = entry
          return {
            ...entry,
            ...(check && { check: to({ path: [...path, 'check'], section: 'checks', reference: check }) }),
            ...(heartbeat && {
              heartbeat: to({ path: [...path, 'heartbeat'], section: 'heartbeats', reference: heartbeat }),
            }),
          }
        }),
      },
    }),
  }
}

/** Translates a reference for the API: a key of the file becomes `key:NAME`, and `id:ID` becomes the id alone. */
export function toWire(reference: Reference): string {
  if (reference.startsWith('id:')) return reference.slice('id:'.length)
  return reference.startsWith('key:') ? reference : `key:${reference}`
}

export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  to: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value, key)]))
}
