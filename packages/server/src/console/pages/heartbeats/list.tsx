// The heartbeats of an org.
import type { VNode } from 'preact'
import { readShownHeartbeats, type ShownHeartbeat } from '../../../domain/heartbeats/read.ts'
import { type Care, readCare } from '../../../domain/incidents/care.ts'
import { readSettings } from '../../../domain/organisations/entitlements.ts'
import { CareMarks } from '../../parts/care.tsx'
import { type MemberContext, page, type PageAnswer } from '../../route.ts'
import { HeartbeatMark, LastBeat, NextDue, RunTime, SinceWhen } from './parts.tsx'

export async function heartbeatsPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [heartbeats, { plan, plan_name }, careOf] = await Promise.all([
    readShownHeartbeats(deps, org.org_id),
    readSettings(deps, org.org_id),
    readCare(deps, org.org_id),
  ])
  const count = heartbeats.length
  return page(
    'Heartbeats',
    <>
      <h1>Heartbeats</h1>
      {count === 0 ? (
        <Empty />
      ) : (
        <>
          <p class="actions">
            <a class="button" href="/heartbeats/new">
              New heartbeat
            </a>
          </p>
          <Table heartbeats={heartbeats} careOf={careOf} now={deps.clock.now()} />
        </>
      )}
      <p class="hint">
        {count} of {plan.max_heartbeats} {plan.max_heartbeats === 1 ? 'heartbeat' : 'heartbeats'} on the {plan_name}{' '}
        plan.
      </p>
    </>,
  )
}

function Empty(): VNode {
  return (
    <div class="empty">
      <p>
        There is no heartbeat yet. A heartbeat watches a job of yours from the inside: the job calls a URL each time it
        has run, and when the calls stop, your channels are told. Backups, cron jobs, queues.
      </p>
      <a class="button" href="/heartbeats/new">
        New heartbeat
      </a>
    </div>
  )
}

function Table(props: { heartbeats: readonly ShownHeartbeat[]; careOf: ReadonlyMap<string, Care>; now: Date }): VNode {
  const { heartbeats, careOf, now } = props
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">For</th>
            <th scope="col">Last beat</th>
            <th scope="col">Next due</th>
            <th scope="col">Run time</th>
          </tr>
        </thead>
        <tbody>
          {heartbeats.map((heartbeat) => (
            <tr key={heartbeat.guid}>
              <td class="name">
                <a href={`/heartbeats/${heartbeat.guid}`}>{heartbeat.name}</a>
              </td>
              <td>
                <HeartbeatMark heartbeat={heartbeat} now={now} />
                <CareMarks care={careOf.get(heartbeat.guid)} now={now} />
              </td>
              <td>
                <SinceWhen heartbeat={heartbeat} now={now} />
              </td>
              <td class="word">
                <LastBeat heartbeat={heartbeat} now={now} />
              </td>
              <td class="word">
                <NextDue heartbeat={heartbeat} now={now} />
              </td>
              <td class="word">
                <RunTime duration_ms={heartbeat.last_duration_ms} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
