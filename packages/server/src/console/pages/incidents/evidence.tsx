// What an incident rests on: its first failing result in full, and which monitors agreed.
import type { VNode } from 'preact'
import type { IncidentInDetail, WholeResult, Witness } from '../../../domain/incidents/inspect.ts'
import { Mood } from '../../design/badge.tsx'
import { Card, type Fact, Facts } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Ago } from '../../parts/time.tsx'

export function Evidence({ view, now }: { view: IncidentInDetail; now: Date }): VNode | null {
  const { incident, failure, ping, witnesses } = view
  if (incident.kind === 'heartbeat') return ping === undefined ? null : <Reported ping={ping} />
  return (
    <>
      <Card title="First failing result">
        {failure === undefined ? <p>It is not stored any more.</p> : <Failure failure={failure} now={now} />}
      </Card>
      {witnesses.length === 0 ? null : (
        <Card title="Which monitors agreed">
          <Witnesses witnesses={witnesses} now={now} />
        </Card>
      )}
    </>
  )
}

const TIMINGS = [
  ['dns_ms', 'DNS'],
  ['connect_ms', 'Connect'],
  ['tls_ms', 'TLS'],
  ['first_byte_ms', 'First byte'],
  ['transfer_ms', 'Transfer'],
] as const

function Failure({ failure, now }: { failure: WholeResult; now: Date }): VNode {
  const { ran_at, monitor_id, monitor_name, http_status, latency_ms, error, response_sample, retries } = failure
  const facts: (Fact | undefined)[] = [
    { term: 'Ran', value: <Ago at={ran_at} now={now} /> },
    { term: 'Monitor', value: monitor_name === '' ? monitor_id : monitor_name },
    http_status > 0 ? { term: 'Status', value: String(http_status) } : undefined,
    { term: 'Latency', value: `${latency_ms} ms` },
    ...TIMINGS.map(([name, term]) => {
      const ms = failure[name]
      return ms === null ? undefined : { term, value: `${ms} ms` }
    }),
    retries === null ? undefined : { term: 'Repeated before', value: retries === 1 ? 'once' : `${retries} times` },
    failure.cert_expires_at === null
      ? undefined
      : { term: 'Certificate ends', value: <Ago at={failure.cert_expires_at} now={now} /> },
  ]
  return (
    <>
      {error === null ? null : <p class="cause">{error}</p>}
      <Facts facts={facts} />
      {response_sample === null ? null : (
        <details>
          <summary>What the target sent</summary>
          <pre class="sample" tabIndex={0}>
            {response_sample}
          </pre>
        </details>
      )}
    </>
  )
}

function Witnesses({ witnesses, now }: { witnesses: readonly Witness[]; now: Date }): VNode {
  return (
    <Table
      columns={[
        { label: 'Monitor', isName: true },
        { label: 'Saw' },
        { label: 'First failure' },
        { label: 'Failures in a row', isNumber: true },
      ]}
      rows={witnesses.map(({ monitor_id, name, failed_at, failures }) => ({
        key: monitor_id,
        cells: [
          name.trim() === '' ? monitor_id : name,
          failed_at === null ? (
            <Mood tone="good" icon="circle-check">
              It was fine
            </Mood>
          ) : (
            <Mood tone="bad" icon="circle-x">
              It failed
            </Mood>
          ),
          failed_at === null ? '–' : <Ago at={failed_at} now={now} />,
          String(failures),
        ],
      }))}
    />
  )
}

function Reported({ ping }: { ping: { exit_code: number | null; body: string | null } }): VNode {
  return (
    <Card title="What the job reported">
      <p>{ping.exit_code === null ? 'It reported a failure.' : `It ended with exit code ${ping.exit_code}.`}</p>
      {ping.body === null || ping.body === '' ? null : (
        <pre class="sample" tabIndex={0}>
          {ping.body}
        </pre>
      )}
    </Card>
  )
}
