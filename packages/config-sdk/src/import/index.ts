// Imports the configuration of another tool into dogwatch.yaml.
import { importBetterStack } from './better-stack.ts'
import { importBlackbox } from './blackbox/index.ts'
import { importGatus } from './gatus/index.ts'
import { importHealthchecks } from './healthchecks.ts'
import type { ImportResult } from './moving.ts'
import { importUptimeKuma } from './uptime-kuma/index.ts'
import { importUptimeRobot } from './uptimerobot/index.ts'

export type { ImportResult, Secret } from './moving.ts'
export { ImportError } from './reading.ts'
export { countsOf, tableOf } from './table.ts'

export interface Source {
  name: string
  /** Description of the files to pass, for people. */
  files: string
  about: string
  /** Maximum number of files that the import accepts. */
  most: number
  /** Imports the files. `now` decides which maintenance is over, and when recurring windows begin. */
  read(paths: readonly string[], now: Date): ImportResult
}

const MANY = 50

export const SOURCES: readonly Source[] = [
  {
    name: 'uptime-kuma',
    files: 'kuma.db, or the backup.json of version 1',
    about: 'monitors, notifications, tags, groups, maintenance and the status page of Uptime Kuma 1.x or 2.x',
    most: 1,
    read: ([path = ''], now) => importUptimeKuma(path, now),
  },
  {
    name: 'gatus',
    files: 'config.yaml, or all files of a configuration folder',
    about: 'endpoints, external endpoints, alerting and maintenance of Gatus',
    most: MANY,
    read: importGatus,
  },
  {
    name: 'healthchecks',
    files: 'the JSON of /api/v3/checks/ and of /api/v3/channels/',
    about: 'Healthchecks checks, which become heartbeats',
    most: MANY,
    read: importHealthchecks,
  },
  {
    name: 'uptimerobot',
    files:
      'the JSON of getMonitors with alert_contacts=1&mwindows=1&custom_http_headers=1&custom_http_statuses=1&http_request_details=true, or of /v3/monitors',
    about: 'monitors, alert contacts and maintenance windows of UptimeRobot',
    most: MANY,
    read: importUptimeRobot,
  },
  {
    name: 'better-stack',
    files: 'the JSON of /api/v2/monitors, /heartbeats, /monitor-groups and /heartbeat-groups',
    about: 'monitors and heartbeats of Better Stack',
    most: MANY,
    read: importBetterStack,
  },
  {
    name: 'blackbox',
    files: 'prometheus.yml, and blackbox.yml',
    about: 'targets that Prometheus probes through blackbox_exporter',
    most: 2,
    read: (paths) => importBlackbox(paths),
  },
]
