// Formats the texts of the tools. Texts from targets or other people become one line of limited length, and no secret of a check
// is shown.

import { assertionWords } from '@dogwatch/check-rules/assertion-words'
import type { Assertion } from '@dogwatch/check-rules/assertions'
import { appliesTo, CHECK_FIELDS } from '@dogwatch/check-rules/fields'
import { schemeOf } from '@dogwatch/check-rules/schemes'
import { isConfidential, shownUrl } from '../file/confidential.ts'
import type { Schemas } from '../index.ts'

type Check = Schemas['ConfiguredCheck']
type Incident = Schemas['Incident']
type Detail = Schemas['IncidentInDetail']
type PlanChange = Schemas['BulkChanged']

const MOST_LINE = 300
const MOST_TEXT = 20_000
const MOST_ENTRIES = 30

/** Returns one line without control characters. */
export function line(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
  return plain.length > MOST_LINE ? `${plain.slice(0, MOST_LINE - 1)}…` : plain
}

export function textOf(lines: readonly string[]): string {
  const text = lines.map((one) => line(one)).join('\n')
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text
}

export function incidentLine({
  id,
  kind,
  name,
  guid,
  began_at,
  ended_at,
  cause,
  verdict,
  acknowledged_by,
}: Incident): string {
  const until = ended_at === undefined ? '' : `, until ${ended_at}`
  const why = verdict === undefined ? '' : ` (${verdict})`
  const who = acknowledged_by === undefined ? '' : `; acknowledged by ${acknowledged_by}`
  return `${kind} ${name} (${guid}): down since ${began_at}${until}: ${cause}${why}${who}; incident ${id}`
}

export function incidentLines(incident: Detail): string[] {
  const {
    failure,
    ping,
    monitors = [],
    timeline = [],
    notes = [],
    neighbours = [],
    postmortem,
    muted_until,
    until_resolved,
    held,
    end_reason,
  } = incident
  return [
    incidentLine(incident),
    ...(end_reason === undefined ? [] : [`Reason for the end: ${end_reason}.`]),
    ...(held === undefined ? [] : [`No one has been notified yet: the alert will be sent ${held}.`]),
    ...(muted_until === undefined
      ? []
      : [`Muted until ${until_resolved === true ? 'the incident ends' : muted_until}.`]),
    ...(failure ? [`Failed result at ${failure.ran_at}: ${failureWords(failure)}`] : []),
    ...(ping?.exit_code === undefined ? [] : [`The job reported exit code ${ping.exit_code}.`]),
    ...monitors.slice(0, MOST_ENTRIES).map(monitorLine),
    ...timeline.slice(0, MOST_ENTRIES).map(({ at, title, planned }) => `${at}${planned ? ' (planned)' : ''}: ${title}`),
    ...notes.slice(0, MOST_ENTRIES).map(({ created_at, author, note }) => `Note by ${author}, ${created_at}: ${note}`),
    ...(postmortem ? [`Postmortem by ${postmortem.edited_by}, ${postmortem.edited_at}: ${postmortem.text}`] : []),
    ...neighbours
      .slice(0, MOST_ENTRIES)
      .map(({ kind, name, began_at }) => `Started within a minute of this incident: ${kind} ${name}, ${began_at}`),
  ]
}

function failureWords({
  monitor_name,
  monitor_id,
  latency_ms,
  http_status,
  error,
}: Schemas['IncidentFailure']): string {
  const status = http_status === undefined ? '' : `, status ${http_status}`
  return `${error ?? 'unknown error'}${status}, after ${latency_ms} ms, from ${monitor_name ?? monitor_id}`
}

function monitorLine({ id, name, failing_since, failures, last_at }: Schemas['IncidentMonitor']): string {
  const where = `Monitor ${name ?? id}`
  if (failing_since === undefined) return `${where}: not failing, last result ${last_at}`
  return `${where}: failing since ${failing_since}, ${failures ?? 1} in a row`
}

export function resultLine(result: Schemas['Result']): string {
  const { ran_at, monitor_id, monitor_name, success, latency_ms, http_status, error, retries } = result
  const parts = [
    success ? 'passed' : `failed: ${error ?? 'unknown error'}`,
    ...(http_status === undefined ? [] : [`status ${http_status}`]),
    `${latency_ms} ms`,
    ...(retries === undefined ? [] : [`after ${retries} ${retries === 1 ? 'retry' : 'retries'}`]),
    `from ${monitor_name ?? monitor_id}`,
  ]
  return `${ran_at}: ${parts.join(', ')}`
}

/** Describes a check: its state, its runs, and the rules that judge it. */
export function checkLines(check: Check): string[] {
  const { name, guid, key, url, state, state_since, enabled, depends_on, tags = [] } = check
  return [
    `${name} (${guid}${key === undefined ? '' : `, key:${key}`})`,
    url === ''
      ? 'The target is in a private definition, which is stored only on the monitor.'
      : `Target: ${shownUrl(url)}`,
    `State: ${state ?? (enabled ? 'unknown' : 'paused')}${state_since === undefined ? '' : ` since ${state_since}`}.`,
    runWords(check),
    ...ruleWords(check).map((rule) => `Rule: ${rule}`),
    ...alertWords(check).map((rule) => `Alerts: ${rule}`),
    ...(depends_on === undefined
      ? []
      : [`Depends on ${depends_on}: alerts about this check wait while the dependency is down.`]),
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}.`]),
  ]
}

function runWords(check: Check): string {
  const { interval_sec, timeout_sec, all_monitors, monitors = [], post_data, headers = {} } = check
  const scheme = schemeOf(check.url)
  // A WebSocket sends the body as a message.
  const isMessage = post_data !== undefined && scheme !== undefined && !appliesTo('method', scheme)
  const { method = post_data === undefined || isMessage ? undefined : 'POST' } = check
  const { ip_family = 'any', proxy, max_redirects } = check
  const where = all_monitors ? 'all monitors in turn' : `${monitors.length} monitors in turn`
  const names = Object.keys(headers)
  const request = [
    ...(method === undefined ? [] : [`with ${method}`]),
    ...(isMessage ? ['with a message'] : []),
    ...(names.length === 0 ? [] : [`with the headers ${names.join(', ')}`]),
    ...(ip_family === 'any' ? [] : [ip_family === 'both' ? 'over IPv4 and over IPv6' : `over IPv${ip_family}`]),
    ...(max_redirects ? [`with at most ${max_redirects} redirects`] : []),
    ...(proxy === undefined ? [] : [`through the proxy ${shownUrl(proxy)}`]),
  ]
  return [`Runs every ${interval_sec} s from ${where}, with a timeout of ${timeout_sec ?? 10} s`, ...request].join(', ')
}

function ruleWords(check: Check): string[] {
  const { match_string, match_mode = '', status_code_op = '', status_code_value, status_codes = [] } = check
  const assertions = (check.assertions ?? []) as readonly Assertion[]
  const status = CHECK_FIELDS.status_code_op.words.find(([word]) => word === status_code_op)
  const match = CHECK_FIELDS.match_mode.words.find(([word]) => word === match_mode)
  return [
    ...(/^https?:/i.test(check.url)
      ? [
          status_codes.length > 0
            ? `the status must be one of ${status_codes.join(', ')}`
            : `the status ${[status?.[1], status_code_value].filter(Boolean).join(' ')}`,
        ]
      : []),
    ...(match_string === '' ? [] : [`the response ${match?.[1] ?? match_mode}: ${match_string}`]),
    ...(check.max_response_time_ms ? [`the response time is at most ${check.max_response_time_ms} ms`] : []),
    ...(check.cert_expiry_warn_days ? [`the certificate has more than ${check.cert_expiry_warn_days} days left`] : []),
    ...assertions.map(assertionWords),
    ...(check.insecure_skip_verify ? ['the certificate is not verified'] : []),
    ...(check.disable_redirects ? ['redirects are not followed'] : []),
    ...(check.invert_result ? ['inverted: fails when the target responds normally'] : []),
  ]
}

function alertWords(check: Check): string[] {
  const {
    down_interval_sec = 1,
    retry_count = 0,
    up_successes = 1,
    down_places = 0,
    down_majority,
    resend_interval_sec,
  } = check
  return [
    `down after ${down_interval_sec} ${down_interval_sec === 1 ? 'failure' : 'failures in a row'}${retry_count > 0 ? `, each after ${retry_count} ${retry_count === 1 ? 'retry' : 'retries'}` : ''}`,
    ...(down_majority
      ? ['a majority of its monitors must fail']
      : down_places > 0
        ? [`${down_places} monitors must fail`]
        : []),
    ...(up_successes > 1 ? [`recovered after ${up_successes} successes in a row`] : []),
    ...(resend_interval_sec ? [`a reminder every ${resend_interval_sec} s`] : []),
  ]
}

/** Describes a plan. For a field that may contain a secret, says only that it changes. */
export function planLines(changes: readonly PlanChange[]): string[] {
  return changes.flatMap(({ action, kind, key, id, fields }) => [
    `${action} ${kind} ${key ?? id}`,
    ...fields.map((one) => `  ${one.field}: ${differenceWords(one)}`),
  ])
}

function differenceWords({ field, before, after, compared }: PlanChange['fields'][number]): string {
  if (compared === false) return 'has a secret that the token cannot compare'
  return isConfidential(field) ? 'changed (not shown)' : `${valueOf(before)} -> ${valueOf(after)}`
}

function valueOf(value: unknown): string {
  if (value === undefined) return 'not set'
  return typeof value === 'string' ? shownUrl(value) : JSON.stringify(value)
}

export function runWordsOf({ state, result, monitor_name, monitor_id }: Schemas['Run']): string {
  const where = `from ${monitor_name ?? monitor_id}`
  if (state !== 'done' || !result)
    return state === 'lost' ? `The monitor did not report a result, ${where}.` : `Still waiting ${where}.`
  if (result.success === undefined) return `No verdict, ${where}: ${result.not_run ?? 'unknown'}.`
  const parts = [
    result.success ? 'It passed' : `It failed: ${result.error ?? result.kind ?? 'unknown error'}`,
    ...(result.http_status === undefined ? [] : [`status ${result.http_status}`]),
    ...(result.latency_ms === undefined ? [] : [`${result.latency_ms} ms`]),
    ...(result.certificate_days === undefined ? [] : [`the certificate has ${result.certificate_days} days left`]),
  ]
  const seen = (result.assertions ?? []).map(({ passed, seen: value }, index) => {
    const outcome = passed === undefined ? 'not judged' : passed ? 'passed' : 'failed'
    return ` Assertion ${index + 1} ${outcome}, with the value ${value}.`
  })
  return `${parts.join(', ')}, ${where}.${seen.join('')}`
}
