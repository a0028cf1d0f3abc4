// Lists the heartbeats of an organisation.
import { readHeartbeatBars, readShownHeartbeats } from '@dogwatch/domain/heartbeats/read'
import { readCare } from '@dogwatch/domain/incidents/care'
import { readSettings } from '@dogwatch/domain/organisations/entitlements'
import { ButtonLink } from '../../design/button.tsx'
import { EmptyState, PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { CareMarks } from '../../parts/care.tsx'
import { usageText } from '../../parts/plan-usage.tsx'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { DaysBar } from './bars.tsx'
import { HeartbeatMark, LastBeat, NextDue, problemsFirst, RunTime, SinceWhen, scheduleText } from './parts.tsx'

export async function heartbeatsPage({ deps, org }: MemberContext): Promise<PageAnswer> {
  const [heartbeats, { plan, plan_name }, careOf] = await Promise.all([
    readShownHeartbeats(deps, org.org_id),
    readSettings(deps, org.org_id),
    readCare(deps, org.org_id),
  ])
  const count = heartbeats.length
  const now = deps.clock.now()
  const usage = usageText(count, plan.max_heartbeats, 'heartbeat')
  const ids = heartbeats.map(({ heartbeat_id }) => heartbeat_id)
  const bars = await readHeartbeatBars(deps, org.org_id, ids)
  const create = <ButtonLink href="/heartbeats/new" kind="primary" icon="plus" text="New heartbeat" />
  return page(
    'Heartbeats',
    <>
      <PageHead title="Heartbeats" actions={count === 0 ? null : create} />
      {count === 0 ? (
        <EmptyState icon="heart-pulse" title="No heartbeats yet" action={create}>
          A heartbeat monitors a backup, cron job or queue. Your job pings a URL after each run. If the pings stop, your
          channels are notified.
        </EmptyState>
      ) : (
        <Table
          columns={[
            'Name',
            'State',
            'Time in this state',
            'Last ping',
            'Next ping due',
            'Last run duration',
            'Last 30 days (UTC)',
          ]}
          name="Name"
          words={['Last ping', 'Next ping due', 'Last run duration']}
          rows={problemsFirst(heartbeats, now).map((heartbeat) => [
            heartbeat.guid,
            <>
              <Link href={`/heartbeats/${heartbeat.guid}`}>{heartbeat.name}</Link>
              <p class="hint">{scheduleText(heartbeat)}</p>
              <CareMarks care={careOf.get(heartbeat.guid)} />
            </>,
            <HeartbeatMark heartbeat={heartbeat} />,
            <SinceWhen heartbeat={heartbeat} />,
            <LastBeat heartbeat={heartbeat} />,
            <NextDue heartbeat={heartbeat} />,
            <RunTime duration_ms={heartbeat.last_duration_ms} />,
            <DaysBar days={bars.get(heartbeat.heartbeat_id) ?? []} />,
          ])}
        />
      )}
      <p class="hint">
        {usage}
        {usage.includes(' of ') ? ' used' : ''} on the {plan_name} plan.
      </p>
    </>,
  )
}
