// Runs a check now, out of turn, and shows the outcome.
import { assertionWords } from '@dogwatch/check-rules/assertion-words'
import { askToRun, readRun, waitForRun } from '@dogwatch/domain/checks/ask-run'
import type { MonitorSight } from '@dogwatch/domain/checks/inspect'
import { readOneCheck } from '@dogwatch/domain/checks/read'
import { DomainError } from '@dogwatch/domain/errors'
import { requireRoomToAsk } from '@dogwatch/domain/limits/rooms'
import { Button } from '../../design/button.tsx'
import { PostForm } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, type PageAnswer, page, redirect } from '../../route.ts'
import { nameOf } from '../monitors/parts.tsx'
import { editorOf } from './editor.ts'
import { RunOutcome } from './run-parts.tsx'
import { WAIT_MS } from './test.ts'

/** Renders the button that runs a check now, with a choice if several monitors are online. */
export function RunNow({ path, monitors }: { path: string; monitors: readonly MonitorSight[] }) {
  const online = monitors.filter(({ is_online, is_able }) => is_online && is_able)
  return (
    <PostForm action={`${path}/run`} class="inline">
      {online.length < 2 ? null : (
        <select name="from" aria-label="Monitor to run from">
          <option value="">Any monitor</option>
          {online.map((monitor) => (
            <option value={monitor.id}>{nameOf(monitor)}</option>
          ))}
        </select>
      )}
      <Button kind="quiet" text="Run now" />
    </PostForm>
  )
}

export async function runOne(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form, params, options, limiter } = context
  const { check = '' } = params
  await readOneCheck(deps, org.org_id, check)
  await requireRoomToAsk(limiter, { org_id: org.org_id, person_id: viewer.person_id })
  const { run_id, monitor_id } = await askToRun(deps, editorOf(context), check, {
    monitor: form.text('from') || undefined,
  })
  options.onAsked(monitor_id)
  return redirect(`/checks/${check}/runs/${run_id}`)
}

export async function runPage({ deps, org, viewer, params, options }: MemberContext): Promise<PageAnswer> {
  const { check: guid = '', run: run_id = '' } = params
  const check = await readOneCheck(deps, org.org_id, guid)
  const { run_wait_ms = WAIT_MS } = options
  const { check_id } = await readRun(deps, org.org_id, run_id)
  if (check_id !== check.check_id)
    throw new DomainError('missing', 'this run does not exist or has expired. Run the check again')
  const run = await waitForRun(deps, { org_id: org.org_id, person_id: viewer.person_id }, run_id, run_wait_ms)
  return page(
    `Test run: ${check.name}`,
    <section class="narrow">
      <p>
        <Link href={`/checks/${guid}`}>{check.name}</Link>
      </p>
      <h1>Run now</h1>
      <div id="outcome" aria-live="polite">
        <RunOutcome run={run} assertions={check.assertions.map(assertionWords)} />
        {run.report || run.isOver ? (
          <p class="hint">
            This run counts like any scheduled run.
            {check.url === '' ? ' For private definitions, only the outcome is shown.' : ''} This page expires after 10
            minutes.
          </p>
        ) : (
          <p>
            <Link href={`/checks/${guid}/runs/${run_id}`} data-reload>
              Refresh
            </Link>
          </p>
        )}
      </div>
    </section>,
  )
}
