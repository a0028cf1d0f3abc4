// Imports the checks of Healthchecks, each as a heartbeat, from the JSON of its API.
import { basename } from 'node:path'
import type { FileHeartbeat } from '../file/format.ts'
import {
  Audit,
  carried,
  differently,
  entryOf,
  type Fields,
  flag,
  history,
  impossible,
  internal,
  isBlank,
  lostUnless,
  number,
  numberOf,
  objectsOf,
  onlyWhere,
  type Rules,
  readFields,
  text,
  textOf,
  UNKNOWN,
  unread,
  type Whole,
} from './audit.ts'
import { type ImportResult, Moving } from './moving.ts'
import { ImportError, readJson, requireFields } from './reading.ts'
import { graceWithin, MOST_HEARTBEAT_SEC, secondsWithin } from './schedules.ts'

interface Draft {
  heartbeat: FileHeartbeat
}

const MAIL = 'pings by email and keywords in pings are not supported'
const AGAIN = 'Dogwatch creates a new ping URL; update the job to call it'

export const CHECK: Rules<Draft> = {
  name: text(carried),
  slug: text(differently('used as the key in the file')),
  tags: text((value, { draft }) => {
    draft.heartbeat.tags = value.split(' ').filter((tag) => tag !== '')
    return carried
  }),
  desc: unread(impossible('heartbeats have no description; consider a tag')),
  grace: number((seconds, { draft }) => {
    draft.heartbeat.grace_sec = graceWithin(seconds)
    return carried
  }),
  timeout: number((seconds, { draft }) => {
    draft.heartbeat.interval_sec = secondsWithin(seconds, MOST_HEARTBEAT_SEC)
    return carried
  }),
  schedule: text((value, { draft, source }) => {
    draft.heartbeat.cron = fieldsOf(value).join(' ')
    draft.heartbeat.cron_zone = textOf(source.tz) || 'UTC'
    return carried
  }),
  tz: onlyWhere(({ source }) => source.schedule !== undefined, text(carried)),
  status: text((value, { draft }) => {
    if (value === 'paused') draft.heartbeat.enabled = false
    return value === 'paused' ? carried : impossible('history and current state are not imported')
  }),
  manual_resume: lostUnless(flag, [false], 'a paused heartbeat must be resumed manually, not by a ping'),
  methods: unread(impossible('heartbeats accept pings with any method')),
  subject: unread(impossible(MAIL)),
  subject_fail: unread(impossible(MAIL)),
  start_kw: unread(impossible(MAIL)),
  success_kw: unread(impossible(MAIL)),
  failure_kw: unread(impossible(MAIL)),
  filter_subject: lostUnless(flag, [false], MAIL),
  filter_body: lostUnless(flag, [false], MAIL),
  filter_http_body: lostUnless(flag, [false], MAIL),
  filter_default_fail: lostUnless(flag, [false], MAIL),
  n_pings: history,
  started: history,
  last_ping: history,
  next_ping: history,
  last_duration: history,
  badge_url: unread(impossible('Dogwatch has its own badges')),
  uuid: internal,
  unique_key: internal,
  ping_url: unread(differently(AGAIN)),
  update_url: internal,
  pause_url: internal,
  resume_url: internal,
  channels: unread(impossible('the API does not return alert destinations; create channels, and routes by tag')),
}

export function importHealthchecks(paths: readonly string[]): ImportResult {
  const audit = new Audit()
  const into = new Moving(audit)
  const files = paths.map((path) => requireFields(readJson(path), basename(path)))
  if (!files.some(({ checks }) => Array.isArray(checks)))
    throw new ImportError('the file has no list of checks, so it is not a Healthchecks API response')
  const whole: Whole = { audit, kind: 'file', thing: 'Healthchecks' }
  for (const file of files) {
    for (const check of objectsOf(whole, file.checks, 'checks')) readCheck(check, into)
    for (const channel of objectsOf(whole, file.channels, 'channels')) {
      const kind = textOf(channel.kind).slice(0, 40)
      audit.refuse(
        'integration',
        textOf(channel.name) || kind,
        '',
        `the API does not return the destination; create a channel of kind ${entryOf(KINDS, kind) ?? 'webhook-template'}`,
      )
    }
    for (const [field, value] of Object.entries(file)) {
      if (field !== 'checks' && field !== 'channels' && !isBlank(value))
        audit.say('file', 'Healthchecks', field, impossible(UNKNOWN))
    }
  }
  return into.finish()
}

/** Kinds of channels by the kinds of its integrations. */
const KINDS: Readonly<Record<string, string>> = {
  apprise: 'apprise',
  call: 'twilio-voice',
  discord: 'discord',
  email: 'email',
  googlechat: 'google-chat',
  gotify: 'gotify',
  matrix: 'matrix',
  mattermost: 'mattermost',
  msteamsw: 'teams',
  ntfy: 'ntfy',
  opsgenie: 'opsgenie',
  pd: 'pagerduty',
  po: 'pushover',
  rocketchat: 'mattermost',
  signal: 'signal',
  slack: 'slack',
  sms: 'twilio-sms',
  telegram: 'telegram',
  webhook: 'webhook',
  zulip: 'zulip',
}

function readCheck(source: Fields, into: Moving): void {
  const { audit } = into
  const thing = textOf(source.name) || textOf(source.slug) || textOf(source.uuid) || 'check'
  if (source.schedule !== undefined && !isCron(fieldsOf(source.schedule))) {
    return audit.refuse(
      'check',
      thing,
      '',
      "its schedule is not valid in Debian's cron; use an expression with the same times",
    )
  }
  if (source.schedule === undefined && numberOf(source.timeout) === undefined) {
    return audit.refuse('check', thing, '', 'has neither a timeout nor a schedule')
  }
  const draft: Draft = { heartbeat: { name: thing, grace_sec: 0 } }
  const made = { audit, kind: 'check', thing }
  readFields({ ...made, source, draft }, source, CHECK)
  into.heartbeat(into.key('heartbeats', textOf(source.slug) || thing), draft.heartbeat, made)
}

function fieldsOf(schedule: unknown): string[] {
  const text = textOf(schedule)
  return text.includes('\n') ? [] : text.split(' ').filter(Boolean)
}

/**
 * Whether Debian's cron reads the fields like Healthchecks, which also supports last days (`L`, `LW`) and numbered ones (`5#1`).
 */
function isCron(fields: readonly string[]): boolean {
  const [, , day = '', , weekday = ''] = fields
  return fields.length === 5 && !/[LW]/i.test(day) && !/[L#]/i.test(weekday)
}
