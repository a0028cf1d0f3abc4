// Renders the outcome of a run that a person requested.

import { failureWords } from '@dogwatch/channels/failure-words'
import type { AskedRun } from '@dogwatch/domain/checks/ask-run'
import { Outcome } from '../../design/badge.tsx'
import { type Fact, Facts } from '../../design/layout.tsx'
import { expiryText } from './shown.tsx'

/** Words for the kinds of failures that monitors report: the rule that failed, or what went wrong. */
const KINDS = new Map(
  Object.entries({
    ok: 'None',
    status: 'Status code',
    match: 'Response content',
    cert_expiry: 'Certificate expiry',
    assertion: 'Assertion',
    slow: 'Response time',
    inverted: 'Target responded (inverted check)',
    config: 'Invalid definition',
    dns: 'DNS lookup',
    refused: 'Connection refused',
    timeout: 'Timeout',
    unreachable: 'Target unreachable',
    reset: 'Connection reset',
    tls: 'TLS handshake',
    http: 'Invalid HTTP response',
    redirect: 'Too many or invalid redirects',
    blocked: 'Address not allowed for this monitor',
  }),
)

const NOT_RUN = new Map(
  Object.entries({
    unknown_check: 'This monitor is not assigned to the check or does not have its definition.',
    no_verdict: 'No result: the monitor had a network or system problem of its own. Try again in a minute.',
    busy: 'The monitor is busy. Try again in a minute.',
  }),
)

const PHASES = [
  ['dns', 'DNS lookup'],
  ['connect', 'Connect'],
  ['tls', 'TLS handshake'],
  ['first_byte', 'Time to first byte'],
  ['body', 'Response body'],
] as const

interface RunOutcomeProps {
  run: AskedRun
  heading?: 'h2' | 'h3'
  /** Assertions of the definition that ran, in words. */
  assertions?: readonly string[]
}

/** Renders the outcome of a run, or says what the run is waiting for. */
export function RunOutcome({ run, heading: Heading = 'h2', assertions = [] }: RunOutcomeProps) {
  const { report, handed_at, isOver, monitor_name, monitor_id } = run
  const name = monitor_name === '' ? monitor_id : monitor_name
  if (isOver) {
    const why =
      handed_at === null
        ? 'The monitor was offline'
        : 'The monitor went offline, or its agent version does not support Run now'
    return <p class="fault">{`No response from ${name} within 2 min. ${why}.`}</p>
  }
  if (!report) {
    return (
      <p>
        {handed_at === null ? `Waiting for ${name} to pick up the run. This takes up to 30 s.` : `Running on ${name}…`}
      </p>
    )
  }
  const { success, not_run } = report
  if (success === undefined) {
    return (
      <p class="fault">
        {NOT_RUN.get(not_run ?? '') ?? 'The monitor did not run the check. Try again, or choose another monitor.'}
      </p>
    )
  }
  return (
    <>
      <p class="standing">
        <Outcome isGood={success} words={['Passed', 'Failed']} /> from {name}
      </p>
      {report.error === undefined ? null : <p>{failureWords(report.error)}</p>}
      <Facts facts={factsOf(report)} />
      <Judged outcomes={report.assertions} assertions={assertions} heading={Heading} />
      <Redirects to={report.redirects} heading={Heading} />
      {report.response_sample === undefined ? null : (
        <>
          <Heading>Response (first 2 kB)</Heading>
          <pre class="sample" tabIndex={0}>
            {report.response_sample}
          </pre>
        </>
      )}
    </>
  )
}

type Report = NonNullable<AskedRun['report']>

function factsOf(report: Report): (Fact | undefined)[] {
  const { success, kind = '', http_status = 0, latency_ms, address, certificate_days, phases = {} } = report
  return [
    success === true ? undefined : ['Failed rule', KINDS.get(kind) ?? kind],
    http_status > 0 ? ['Status code', String(http_status)] : undefined,
    latency_ms === undefined ? undefined : ['Response time', `${latency_ms} ms`],
    ...PHASES.flatMap(([phase, term]): Fact[] => (phases[phase] === undefined ? [] : [[term, `${phases[phase]} ms`]])),
    address === undefined ? undefined : ['Address', address],
    certificate_days === undefined ? undefined : ['Certificate', expiryText(certificate_days)],
  ]
}

interface JudgedProps {
  outcomes: Report['assertions']
  assertions: readonly string[]
  heading: 'h2' | 'h3'
}

/** Renders each assertion with its outcome and the value that the monitor saw. */
function Judged({ outcomes = [], assertions, heading: Heading }: JudgedProps) {
  if (outcomes.length === 0) return null
  return (
    <>
      <Heading>Assertions</Heading>
      <ol class="judged">
        {outcomes.map(({ passed, seen }, index) => (
          <li>
            <Outcome isGood={passed === true} words={['Passed', passed === undefined ? 'Not judged' : 'Failed']} />{' '}
            {assertions[index] ?? `Assertion ${index + 1}`}
            <br />
            <span class="hint">Value: {seen}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

function Redirects({ to, heading: Heading }: { to: readonly string[] | undefined; heading: 'h2' | 'h3' }) {
  if (!to || to.length === 0) return null
  return (
    <>
      <Heading>Redirects</Heading>
      <ol>
        {to.map((location) => (
          <li>{location}</li>
        ))}
      </ol>
    </>
  )
}
