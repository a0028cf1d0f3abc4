// Tests the definition in the form of a check, and shows the form again with the outcome.
import { type AskedRun, askToTry, waitForRun } from '@dogwatch/domain/checks/ask-run'
import { type CheckRow, readOneCheck } from '@dogwatch/domain/checks/read'
import { DomainError } from '@dogwatch/domain/errors'
import { requireRoomToAsk } from '@dogwatch/domain/limits/rooms'
import type { FormFault } from '../../refusal.ts'
import type { Answer, MemberContext } from '../../route.ts'
import { type CheckDraft, draftFrom, entryOf, readDraft } from './draft.ts'
import { editorOf } from './editor.ts'
import { copiedCheck, draw, editForm, newForm } from './form.tsx'
import { faultsOfForm } from './form-faults.ts'
import type { CheckFormShape } from './form-shape.ts'

/**
 * Maximum time that a page waits for the outcome of a run. It suffices for targets that respond in time; for others, the person
 * asks again.
 */
export const WAIT_MS = 8_000

export async function testNew(context: MemberContext): Promise<Answer> {
  return test(context, undefined, newForm)
}

export async function testEdited(context: MemberContext): Promise<Answer> {
  const check = await readOneCheck(context.deps, context.org.org_id, context.params.check ?? '')
  return test(context, check, (draft) => editForm(check, draft))
}

async function test(
  context: MemberContext,
  check: CheckRow | undefined,
  formOf: (draft: CheckDraft) => CheckFormShape,
): Promise<Answer> {
  const draft = draftFrom(context.form)
  const test_from = context.form.text('test_from')
  const stored = check ?? (await copiedCheck(context, draft))
  try {
    const tested = await findTested(context, draft, check, stored)
    return await draw(context, check, () => ({ ...formOf(draft), test_from, tested }))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return draw(context, check, ({ settings }) => ({
      ...formOf(draft),
      test_from,
      faults: faultsOfTest(error, readDraft(draft, stored), settings),
    }))
  }
}

/** Returns the faults of a form that is only tested, which needs neither a name nor monitors. */
function faultsOfTest(...of: Parameters<typeof faultsOfForm>): FormFault[] {
  const [error, { entry, faults }, settings] = of
  return faultsOfForm(error, { entry: { ...entry, name: nameIn(entry) }, faults }, settings)
}

function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' && name !== '' ? name : 'Untitled check'
}

/** Returns the outcome of the test that the form names, or of a new test if it names none. */
async function findTested(
  context: MemberContext,
  draft: CheckDraft,
  check: CheckRow | undefined,
  stored: CheckRow | undefined,
): Promise<AskedRun> {
  const { deps, org, viewer, form, options, limiter } = context
  const { run_wait_ms = WAIT_MS } = options
  const who = { org_id: org.org_id, person_id: viewer.person_id }
  const run = form.text('run')
  if (run !== '') return waitForRun(deps, who, run, run_wait_ms)
  const entry = entryOf(draft, stored)
  await requireRoomToAsk(limiter, who)
  const whom = { monitor: form.text('test_from') || undefined, preferred: draft.who === 'chosen' ? draft.monitors : [] }
  const asked = await askToTry(
    deps,
    editorOf(context),
    { ...entry, name: nameIn(entry) },
    { ...whom, check_id: check?.check_id ?? null, original: stored?.guid },
  )
  options.onAsked(asked.monitor_id)
  return waitForRun(deps, who, asked.run_id, run_wait_ms)
}
