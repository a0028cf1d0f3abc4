// What dogwatch.yaml says: everything that an organisation watches, each thing under a key. The fields have the names that the
// configuration API gives them.

import type { components } from '../generated.ts'

type Schemas = components['schemas']

/** Chosen by whoever writes the file: 1 to 64 characters of `[a-z0-9._-]`, the first a letter or digit. Unique in its section. */
export type Key = string

/**
 * Names another thing: the key of one in this file, `key:NAME` for one that has this key and stands in another file, or `id:ID` for
 * one that has no key, by its guid or id.
 */
export type Reference = string

export interface ConfigFile {
  version: 1
  defaults?: { checks?: Partial<FileCheck>; heartbeats?: Partial<FileHeartbeat> }
  channels?: Record<Key, FileChannel>
  checks?: Record<Key, FileCheck>
  heartbeats?: Record<Key, FileHeartbeat>
  /** In the order in which they decide. */
  routes?: Record<Key, FileRoute>
  maintenance?: Record<Key, FileWindow>
  status_page?: FileStatusPage
}

/** The sections that hold things by key. */
export type Section = 'channels' | 'checks' | 'heartbeats' | 'routes' | 'maintenance'

/** The fields of what the API takes, none of them null. What the file says by its keys is not among them. */
type Fields<Input> = { [Field in keyof Input as Exclude<Field, 'key'>]?: NonNullable<Input[Field]> }

/** A check. Without `name` it is called as its key; without `monitors` and `all_monitors` all monitors run it. */
export type FileCheck = Fields<Schemas['CheckInput']>

/** A job that must call us in time. Without `name` it is called as its key. */
export type FileHeartbeat = Fields<Schemas['HeartbeatInput']>

/** Where alerts go: the fields of its kind stand in `destination`, by their names. Without `name` it is called as its key. */
export type FileChannel = Omit<Fields<Schemas['ChannelInput']>, 'destination'> & {
  /** Chosen once: a channel of another kind has another key. */
  kind: string
  /** Secrets are written as `${NAME}` and taken from the environment. One that is left out stays as it is on the server. */
  destination?: Record<string, string>
}

/** Which alerts go to which channels, and when. Without `name` it is called as its key. */
export type FileRoute = Omit<Fields<Schemas['RouteInput']>, 'events'> & {
  scope: FileScope
  /** The groups of events. Left out or empty: all. */
  events?: string[]
  steps: FileStep[]
}

/** What a route or a window is about. */
export type FileScope = Schemas['Scope']

/** Who is told, so many seconds after the first step. */
export type FileStep = Schemas['RouteStep']

/** A maintenance window. Without `name` it is called as its key. */
export type FileWindow = Fields<Schemas['MaintenanceWindowInput']> & {
  scope: FileScope
  starts_at: string
  duration_sec: number
}

/** The public status page; without one in the file it stays as it is. */
export type FileStatusPage = Fields<Schemas['StatusPageInput']> & Pick<Schemas['StatusPageInput'], 'slug' | 'title'>
