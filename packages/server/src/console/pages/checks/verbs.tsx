// Handles the buttons of a check: pause, resume, delete, make its definition private. The last two ask first.
import { HIDDEN } from '@dogwatch/check-rules/secrets'
import { changeChecks } from '../../../domain/checks/change-many.ts'
import { BLANK_DEFINITION } from '../../../domain/checks/check.ts'
import { toFileCheck } from '../../../domain/checks/file.ts'
import { requireOfMonitors, switchCheck, wipeDefinition } from '../../../domain/checks/pause-delete-wipe.ts'
import { readOneCheck } from '../../../domain/checks/read.ts'
import { Button } from '../../design/button.tsx'
import { acknowledgeOne } from '../../parts/acknowledged.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { muteOne, unmuteOne } from '../../parts/muted.tsx'
import { PostForm } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, type PageAnswer, page, redirect } from '../../route.ts'
import { editorOf } from './editor.ts'

export async function pauseOne(context: MemberContext): Promise<Answer> {
  return switchOne(context, false, 'Check paused.')
}

export async function resumeOne(context: MemberContext): Promise<Answer> {
  return switchOne(context, true, 'Check resumed.')
}

/** Acknowledges the open incident of a check, or takes that back. */
export function acknowledgeCheck(context: MemberContext, on: boolean): Promise<Answer> {
  return acknowledgeOne(context, { kind: 'check', guid: guidOf(context) }, on)
}

export function muteCheck(context: MemberContext): Promise<Answer> {
  return muteOne(context, { kind: 'check', guid: guidOf(context) })
}

export function unmuteCheck(context: MemberContext): Promise<Answer> {
  return unmuteOne(context, { kind: 'check', guid: guidOf(context) })
}

async function switchOne(context: MemberContext, on: boolean, notice: string): Promise<Answer> {
  const guid = guidOf(context)
  await switchCheck(context.deps, guid, on, editorOf(context))
  return redirect(`/checks/${guid}`, notice)
}

export async function deletePage(context: MemberContext): Promise<PageAnswer> {
  const { guid, name } = await readOneCheck(context.deps, context.org.org_id, guidOf(context))
  return page(
    `Delete ${name}`,
    <section class="narrow">
      <h1>Delete “{name}”?</h1>
      <p>
        Monitors stop running this check. The check, its results and its incidents are hidden at once. You can undo the
        deletion for 10 minutes. After that, the definition is erased. The results and incidents stay hidden, and are
        deleted when they are older than the retention period of your plan.
      </p>
      <Confirm action={`/checks/${guid}/delete`} button="Delete check" back={`/checks/${guid}`} />
    </section>,
  )
}

export async function deleteOne(context: MemberContext): Promise<Answer> {
  const { name } = await readOneCheck(context.deps, context.org.org_id, guidOf(context))
  await changeChecks(context.deps, editorOf(context), [guidOf(context)], { kind: 'delete' })
  return redirect('/checks', `${name} deleted. You can undo this for 10 minutes.`)
}

export async function wipePage(context: MemberContext): Promise<PageAnswer> {
  const check = await readOneCheck(context.deps, context.org.org_id, guidOf(context))
  requireOfMonitors(check.url)
  const { guid, name } = check
  const kept = Object.entries(toFileCheck(check)).filter(([field, value]) => field in BLANK_DEFINITION && value !== '')
  const copy = JSON.stringify({ [guid]: Object.fromEntries(kept) }, null, 2)
  return page(
    `Make the definition of ${name} private`,
    <section class="narrow">
      <h1>Make the definition of {name} private?</h1>
      {check.url === '' ? (
        <p>This definition is already private.</p>
      ) : (
        <>
          <p>
            This erases the target, headers, request body and success criteria from this server. It cannot be undone, so
            copy the definition below first.
          </p>
          <ul>
            <li>
              Add the definition to the private definitions file on your own monitors. The check fails until you do.
            </li>
            <li>Shared monitors stop running the check.</li>
            <li>Stored errors and responses are erased, along with any mention of the target in past alerts.</li>
            {copy.includes(HIDDEN) ? (
              <li>In your copy, replace each {HIDDEN} with its secret, which is not shown here.</li>
            ) : null}
          </ul>
          <CopyBlock id="definition" label="Private definitions file" text={copy} />
          <Confirm action={`/checks/${guid}/wipe`} button="Make private" back={`/checks/${guid}`} />
        </>
      )}
    </section>,
  )
}

export async function wipeOne(context: MemberContext): Promise<Answer> {
  const guid = guidOf(context)
  await wipeDefinition(context.deps, guid, editorOf(context))
  return redirect(`/checks/${guid}`, 'Definition erased from this server.')
}

function Confirm({ action, button, back }: { action: string; button: string; back: string }) {
  return (
    <PostForm action={action}>
      <p class="actions">
        <Button kind="danger" text={button} />
        <Link href={back}>Cancel</Link>
      </p>
    </PostForm>
  )
}

function guidOf({ params }: MemberContext): string {
  return params.check ?? ''
}
