// Declares the format of dogwatch.yaml: everything that an organisation watches, each item under a key. The fields have the names
// of the configuration API.

import type { components } from '../generated.ts'

type Schemas = components['schemas']

/**
 * Key that the author of the file chooses: 1 to 64 characters of `[a-z0-9._-]`, the first a letter or digit. Unique in its
 * section.
 */
export type Key = string

/**
 * Name of another item: the key of an item in this file, `key:NAME` for the key of an item in another file, or `id:ID` for the
 * guid or id of an item without a key.
 */
export type Reference = string

export interface ConfigFile {
  version: 1
  defaults?: { checks?: Partial<FileCheck>; heartbeats?: Partial<FileHeartbeat> }
  channels?: Record<Key, FileChannel>
  checks?: Record<Key, FileCheck>
  heartbeats?: Record<Key, FileHeartbeat>
  /** Routes in the order of their precedence. */
  routes?: Record<Key, FileRoute>
  maintenance?: Record<Key, FileWindow>
  status_page?: FileStatusPage
}

/** Sections that contain items by key. */
export type Section = 'channels' | 'checks' | 'heartbeats' | 'routes' | 'maintenance'

/** Fields of an API input, without null and without `key`, which the file expresses by its own keys. */
type Fields<Input> = { [Field in keyof Input as Exclude<Field, 'key'>]?: NonNullable<Input[Field]> }

/** A check. Default `name`: its key. Without `monitors` and `all_monitors`, all monitors run it. */
export type FileCheck = Fields<Schemas['CheckInput']>

/** A heartbeat: a job that must ping us on time. Default `name`: its key. */
export type FileHeartbeat = Fields<Schemas['HeartbeatInput']>

/** A channel: a receiver of alerts. `destination` contains the fields of its kind by name. Default `name`: its key. */
export type FileChannel = Omit<Fields<Schemas['ChannelInput']>, 'destination'> & {
  /** Kind of the channel. The kind of an existing channel cannot change, so a channel of another kind needs another key. */
  kind: string
  /**
   * Fields of the destination. Secrets are written as `${NAME}` and come from the environment. An omitted secret stays unchanged
   * on the server.
   */
  destination?: Record<string, string>
}

/** A route: a rule that sends alerts to channels. Default `name`: its key. */
export type FileRoute = Omit<Fields<Schemas['RouteInput']>, 'events'> & {
  scope: FileScope
  /** Groups of events. Absent or empty means all. */
  events?: string[]
  steps: FileStep[]
}

/** Scope of a route or a window. */
export type FileScope = Schemas['Scope']

/** Step of a route: channels to notify, and the seconds after the first step. */
export type FileStep = Schemas['RouteStep']

/** A maintenance window. Default `name`: its key. */
export type FileWindow = Fields<Schemas['MaintenanceWindowInput']> & {
  scope: FileScope
  starts_at: string
  duration_sec: number
}

/** The public status page. If the file omits it, the page stays unchanged. */
export type FileStatusPage = Fields<Schemas['StatusPageInput']> & Pick<Schemas['StatusPageInput'], 'slug' | 'title'>
