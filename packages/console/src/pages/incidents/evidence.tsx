// Shows the evidence for an incident: its first failing result in full, and what each monitor saw and sees.
import { failureWords } from '@dogwatch/channels/failure-words'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import type { IncidentInDetail, MonitorSight, WholeResult } from '@dogwatch/domain/incidents/inspect'
import { Outcome } from '../../design/badge.tsx'
import { Card, type Fact, Facts } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Ago } from '../../parts/time.tsx'

export function Evidence({ view }: { view: IncidentInDetail }) {
  const { incident, failure, ping, sights } = view
  if (incident.kind === 'heartbeat')
    return ping === undefined ? null : (
      <Card title="Job output">
        <p>{ping.exit_code === null ? 'The job reported a failure.' : `The job exited with code ${ping.exit_code}.`}</p>
        {ping.body === null || ping.body === '' ? null : (
          <pre class="sample" tabIndex={0}>
            {ping.body}
          </pre>
        )}
      </Card>
    )
  return (
    <>
      {isTargetOfServer(incident.url ?? '') ? null : (
        <Card title="First failure">
          {failure === undefined ? (
            <p>No longer available: results are deleted after the retention period.</p>
          ) : (
            <Failure failure={failure} />
          )}
        </Card>
      )}
      {sights.length === 0 ? null : (
        <Card title="Status by monitor">
          <Sights sights={sights} isOver={incident.ended_at !== null} />
        </Card>
      )}
    </>
  )
}

const TIMINGS = [
  ['dns_ms', 'DNS'],
  ['connect_ms', 'Connect'],
  ['tls_ms', 'TLS'],
  ['first_byte_ms', 'Time to first byte'],
  ['transfer_ms', 'Download'],
] as const

function Failure({ failure }: { failure: WholeResult }) {
  const { ran_at, monitor_id, monitor_name, http_status, latency_ms, error, response_sample, retries } = failure
  const facts: (Fact | undefined)[] = [
    ['Time', <Ago at={ran_at} />],
    ['Monitor', monitor_name === '' ? monitor_id : monitor_name],
    http_status > 0 ? ['Status code', String(http_status)] : undefined,
    ['Response time', `${latency_ms} ms`],
    ...TIMINGS.flatMap(([name, term]): Fact[] => (failure[name] === null ? [] : [[term, `${failure[name]} ms`]])),
    retries === null ? undefined : ['Retries', String(retries)],
    failure.cert_expires_at === null ? undefined : ['Certificate expires', <Ago at={failure.cert_expires_at} />],
  ]
  return (
    <>
      {error === null ? null : <p class="cause">{failureWords(error)}</p>}
      <Facts facts={facts} />
      {response_sample === null ? null : (
        <details>
          <summary>Response</summary>
          <pre class="sample" tabIndex={0}>
            {response_sample}
          </pre>
        </details>
      )}
    </>
  )
}

const FAILURES = 'Failures in a row at incident start'

function Sights({ sights, isOver }: { sights: readonly MonitorSight[]; isOver: boolean }) {
  return (
    <Table
      columns={['Monitor', 'State at incident start', 'First failure', FAILURES, ...(isOver ? [] : ['Current state'])]}
      name="Monitor"
      numbers={[FAILURES]}
      rows={sights.map(({ monitor_id, name, then, now: current }) => [
        monitor_id,
        name.trim() === '' ? monitor_id : name,
        then === undefined ? (
          'No recent result'
        ) : (
          <Outcome isGood={then.failed_at === null} words={['Passing', 'Failing']} />
        ),
        then === undefined || then.failed_at === null ? '–' : <Ago at={then.failed_at} />,
        then === undefined ? '–' : String(then.failures),
        ...(isOver
          ? []
          : [
              current === undefined ? (
                'No recent result'
              ) : (
                <>
                  <Outcome isGood={!current.failing} words={['Passing', 'Failing']} /> <Ago at={current.ran_at} />
                </>
              ),
            ]),
      ])}
    />
  )
}
