// What a run that a person asked for came to, as pages show it.
import type { VNode } from 'preact'
import { failureWords } from '../../../channels/failure-words.ts'
import type { AskedRun } from '../../../domain/checks/ask-run.ts'
import { StateMark } from '../../parts/state.tsx'

/** Which rule failed, or what went wrong, by the kind that the monitor tells. */
const KINDS = new Map(
  Object.entries({
    ok: 'None',
    status: 'Status code',
    match: 'Content',
    cert_expiry: 'Certificate expiry',
    slow: 'Response time',
    inverted: 'Invert: the target responds',
    config: 'The definition cannot be run',
    dns: 'Name lookup',
    refused: 'Connection refused',
    timeout: 'Timeout',
    unreachable: 'Target unreachable',
    reset: 'Connection reset',
    tls: 'TLS handshake',
    http: 'Invalid HTTP response',
    redirect: 'Redirects',
    blocked: 'Address not allowed for this monitor',
  }),
)

const NOT_RUN = new Map(
  Object.entries({
    unknown_check: 'The monitor does not run this check, or has no definition of it.',
    no_verdict: 'The monitor could not tell: its own network or machine was in trouble. Try again in a minute.',
    busy: 'The monitor has too much to do. Try again in a minute.',
  }),
)

const PHASES = [
  ['dns', 'Name lookup'],
  ['connect', 'Connect'],
  ['tls', 'TLS handshake'],
  ['first_byte', 'First byte'],
  ['body', 'Response body'],
] as const

export function monitorName({ monitor_name, monitor_id }: AskedRun): string {
  return monitor_name === '' ? monitor_id : monitor_name
}

/** The outcome; while there is none, what is waited for. */
export function RunOutcome({ run, heading: Heading = 'h2' }: { run: AskedRun; heading?: 'h2' | 'h3' }): VNode {
  const { report, handed_at, isOver } = run
  const name = monitorName(run)
  if (isOver) {
    const why = handed_at === null ? 'It was offline' : 'It went offline, or its agent is too old to be asked'
    return <p class="fault">{`${name} did not answer within 2 min. ${why}.`}</p>
  }
  if (!report) {
    return (
      <p>
        {handed_at === null
          ? `Waiting for ${name}. It is asked at its next sync, within 30 s.`
          : `${name} was asked and has not answered yet.`}
      </p>
    )
  }
  const { success, not_run } = report
  if (success === undefined) {
    return <p class="fault">{NOT_RUN.get(not_run ?? '') ?? 'The monitor did not run the check.'}</p>
  }
  return (
    <>
      <p class="standing">
        <StateMark state={success ? 'up' : 'down'} /> seen by {name}
      </p>
      {report.error === undefined ? null : <p>{failureWords(report.error)}</p>}
      <Facts report={report} />
      <Redirects to={report.redirects} heading={Heading} />
      {report.response_sample === undefined ? null : (
        <>
          <Heading>Response, first 2 kB</Heading>
          <pre class="sample" tabIndex={0}>
            {report.response_sample}
          </pre>
        </>
      )}
    </>
  )
}

type Report = NonNullable<AskedRun['report']>

function Facts({ report }: { report: Report }): VNode {
  const { success, kind = '', http_status = 0, latency_ms, address, certificate_days, phases = {} } = report
  const facts: (readonly [string, string])[] = [
    ...(success === true ? [] : [['Failed rule', KINDS.get(kind) ?? kind] as const]),
    ...(http_status > 0 ? [['Status', String(http_status)] as const] : []),
    ...(latency_ms === undefined ? [] : [['Latency', `${latency_ms} ms`] as const]),
    ...PHASES.flatMap(([phase, label]) => {
      const ms = phases[phase]
      return ms === undefined ? [] : [[label, `${ms} ms`] as const]
    }),
    ...(address === undefined ? [] : [['Address', address] as const]),
    ...(certificate_days === undefined ? [] : [['Certificate', daysText(certificate_days)] as const]),
  ]
  return (
    <dl class="facts grid">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function daysText(days: number): string {
  if (days < 0) return 'expired'
  return `${days} ${days === 1 ? 'day' : 'days'} left`
}

function Redirects({
  to,
  heading: Heading,
}: {
  to: readonly string[] | undefined
  heading: 'h2' | 'h3'
}): VNode | null {
  if (!to || to.length === 0) return null
  return (
    <>
      <Heading>Redirects</Heading>
      <ol>
        {to.map((location, i) => (
          <li key={i}>{location}</li>
        ))}
      </ol>
    </>
  )
}
