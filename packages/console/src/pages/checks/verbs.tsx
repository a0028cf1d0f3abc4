// Handles the buttons of a check: pause, resume, delete, make its definition private. The last two ask first.
import { HIDDEN } from '@dogwatch/check-rules/secrets'
import { changeChecks } from '@dogwatch/domain/checks/change-many'
import { BLANK_DEFINITION } from '@dogwatch/domain/checks/check'
import { toFileCheck } from '@dogwatch/domain/checks/file'
import { requireOfMonitors, switchCheck, wipeDefinition } from '@dogwatch/domain/checks/pause-delete-wipe'
import { readOneCheck } from '@dogwatch/domain/checks/read'
import { Button } from '../../design/button.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { deletionPage, questionPage } from '../../parts/pages.tsx'
import { PostForm } from '../../post-form.tsx'
import { type Answer, type MemberContext, type PageAnswer, redirect } from '../../route.ts'
import { editorOf } from './editor.ts'

/** Pauses or resumes a check. */
export async function switchOne(context: MemberContext, on: boolean): Promise<Answer> {
  const guid = guidOf(context)
  await switchCheck(context.deps, guid, on, editorOf(context))
  return redirect(`/checks/${guid}`, on ? 'Check resumed.' : 'Check paused.')
}

export async function deletePage(context: MemberContext): Promise<PageAnswer> {
  const { guid, name } = await readOneCheck(context.deps, context.org.org_id, guidOf(context))
  const about =
    'Monitors stop running this check. The check, its results and its incidents are hidden at once. You can undo the deletion for 10 minutes. After that, the definition is erased. The results and incidents stay hidden, and are deleted when they are older than the retention period of your plan.'
  return deletionPage({ name, path: `/checks/${guid}`, what: 'check', about })
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
  const asked = { title: `Make the definition of ${name} private`, back: `/checks/${guid}` }
  const question = `${asked.title}?`
  if (check.url === '') {
    return questionPage({ ...asked, question, about: <p>This definition is already private.</p>, form: null })
  }
  const about = (
    <>
      <p>
        This erases the target, headers, request body and success criteria from this server. It cannot be undone, so
        copy the definition below first.
      </p>
      <ul>
        <li>Add the definition to the private definitions file on your own monitors. The check fails until you do.</li>
        <li>Shared monitors stop running the check.</li>
        <li>Stored errors and responses are erased, along with any mention of the target in past alerts.</li>
        {copy.includes(HIDDEN) ? (
          <li>In your copy, replace each {HIDDEN} with its secret, which is not shown here.</li>
        ) : null}
      </ul>
      <CopyBlock id="definition" label="Private definitions file" text={copy} />
    </>
  )
  const form = (
    <PostForm action={`/checks/${guid}/wipe`}>
      <Button kind="danger" text="Make private" />
    </PostForm>
  )
  return questionPage({ ...asked, question, about, form })
}

export async function wipeOne(context: MemberContext): Promise<Answer> {
  const guid = guidOf(context)
  await wipeDefinition(context.deps, guid, editorOf(context))
  return redirect(`/checks/${guid}`, 'Definition erased from this server.')
}

function guidOf({ params }: MemberContext): string {
  return params.check ?? ''
}
