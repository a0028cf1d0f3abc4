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

type Decided = Omit<Schemas['ConfiguredCheck'], 'guid' | 'key' | 'state' | 'state_since' | 'depends_on'>

/** A check. Without `name` it is called as its key; without `monitors` and `all_monitors` all monitors run it. */
export interface FileCheck extends Partial<Decided> {
  /** A check. For a monitor, `id:` and its id. */
  depends_on?: Reference
}

/** A job that must call us in time. Without `name` it is called as its key. */
export interface FileHeartbeat {
  name?: string
  /** Seconds between two pings. Left out with `cron`. */
  interval_sec?: number
  grace_sec?: number
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron?: string
  /** The time zone by whose clock `cron` is read. */
  cron_zone?: string
  enabled?: boolean
  show_on_status_page?: boolean
  resend_interval_sec?: number
  tags?: string[]
}

/** Where alerts go: the fields of its kind stand in `destination`, by their names. Without `name` it is called as its key. */
export interface FileChannel {
  name?: string
  kind: string
  enabled?: boolean
  /** Secrets are written as `${NAME}` and taken from the environment. */
  destination?: Record<string, string>
}

/** Which alerts go to which channels, and when. Without `name` it is called as its key. */
export interface FileRoute {
  name?: string
  enabled?: boolean
  /** What it is about: everything, what has one of these tags, or these checks and heartbeats. */
  scope: FileScope
  /** The groups of events. Left out or empty: all. */
  events?: string[]
  severity?: string
  /** Seconds that trouble must last before the first step. */
  delay_sec?: number
  quiet?: { from: string; to: string; days?: number[]; zone: string; holds_down?: boolean }
  steps: FileStep[]
}

export interface FileScope {
  all?: boolean
  tags?: string[]
  checks?: Reference[]
  heartbeats?: Reference[]
}

/** Who is told, so many seconds after the first step. */
export interface FileStep {
  after_sec?: number
  channels?: Reference[]
  /** Channels that take turns, a week each. */
  rotation?: { channels: Reference[]; starts_on: string; at: string; zone: string }
}

/** A maintenance window. Without `name` it is called as its key. */
export interface FileWindow {
  name?: string
  scope: FileScope
  /** `YYYY-MM-DDTHH:MM`, by the clock of `zone`. */
  starts_at: string
  duration_sec: number
  zone: string
  /** A recurrence rule of RFC 5545 without its start, such as `FREQ=WEEKLY;BYDAY=SA`. Left out: once. */
  rule?: string
  is_public?: boolean
}

export interface FileStatusPage {
  /** The end of its address. */
  slug: string
  title: string
  description?: string
  /** What it shows, in this order. */
  entries?: { check?: Reference; heartbeat?: Reference; public_name: string }[]
}
