// Imports checks from a file, with a preview, and exports them.
import { HIDDEN, hideSecrets } from '@dogwatch/check-rules/secrets'
import { toFileCheck } from '@dogwatch/domain/checks/file'
import { type ImportAssignment, importChecks } from '@dogwatch/domain/checks/import'
import { type Foreseen, type ImportPreview, previewImport } from '@dogwatch/domain/checks/preview'
import { readChecks } from '@dogwatch/domain/checks/read'
import { DomainError } from '@dogwatch/domain/errors'
import { jsonPieces, lazyList } from '@dogwatch/runtime/json-pieces'
import { readJson } from '@dogwatch/runtime/json-text'
import { Button } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { Choice, Fault, Field } from '../../parts/field.tsx'
import { narrowPage } from '../../parts/pages.tsx'
import { span } from '../../parts/time.tsx'
import { PostForm } from '../../post-form.tsx'
import { wholeFaults } from '../../refusal.ts'
import { showAgain } from '../../refused-form.ts'
import { Link } from '../../rights.tsx'
import { type Answer, type MemberContext, type PageAnswer, page, redirect } from '../../route.ts'
import { shown } from './set-fields.tsx'
import { labelOf } from './words.ts'

const WHO: readonly (readonly [string, string])[] = [
  ['new', 'New checks run on all monitors; existing checks keep their monitors'],
  ['all', 'All checks in the file run on all monitors'],
  ['keep', 'New checks do not run until you assign monitors; existing checks keep their monitors'],
]
const WHAT_RUNS = new Map([
  ['all', 'All of these checks will run on all monitors.'],
  ['keep', 'Existing checks keep their monitors. New checks do not run until you assign monitors.'],
])
const NEW_RUN = 'New checks run on all monitors. Existing checks keep their monitors.'

const IMPORT = '/checks/import'
const CRUMBS = [{ href: '/checks', label: 'Checks' }]

export async function exportFile({ deps, org }: MemberContext): Promise<Answer> {
  const checks = await readChecks(deps, org.org_id)
  const text = jsonPieces(
    lazyList(checks, (check) => toFileCheck(hideSecrets(check))),
    2,
  )
  return { kind: 'file', name: 'checks.json', type: 'application/json', text }
}

/** Renders the changes that an import would make. `conflict` says why the previous preview is out of date. */
export async function previewPage({ deps, org, form }: MemberContext, conflict?: string): Promise<PageAnswer> {
  const [text, who] = [form.text('file'), form.text('who')]
  return confirmPage(text, who, await previewImport(deps, org.org_id, await parse(text)), conflict)
}

/** Shows every refusal on the page, such as that of a plan with too few checks. */
export const faultsOfFile = wholeFaults()

export async function importOnes(context: MemberContext): Promise<Answer> {
  const { deps, org, viewer, form } = context
  const [text, who] = [form.text('file'), form.text('who')]
  try {
    const confirmed = { actor: viewer, preview: form.text('preview') }
    const { guids } = await importChecks(deps, org.org_id, await parse(text), assignmentOf(who), confirmed)
    return redirect('/checks', guids.length === 1 ? '1 check imported.' : `${guids.length} checks imported.`)
  } catch (error) {
    const faults = faultsOfFile(error)
    if ((error as DomainError).kind !== 'conflict') return showAgain({ ...context, path: IMPORT }, faults, importPage)
    return previewPage(context, faults[0]?.line)
  }
}

function assignmentOf(who: string): ImportAssignment | undefined {
  return who === 'all' ? 'all' : who === 'keep' ? undefined : 'new'
}

/** Limits of an import file. Any export that fits into a form is below them. */
const BOUNDS = { levels: 30_000, values: 200_000, names: 20_000 }

async function parse(text: string): Promise<unknown> {
  const read = await readJson(Buffer.from(text), BOUNDS)
  if ('value' in read) return read.value
  throw new DomainError('invalid', `the file ${read.fault}`)
}

export async function importPage(): Promise<PageAnswer> {
  return narrowPage(
    'Import checks',
    <>
      <p>
        Import checks from a JSON array, in the format of <Link href="/checks/export">an export</Link>. A check with the
        guid of an existing check replaces the existing check. All other checks are created. A secret written as{' '}
        {HIDDEN} keeps its current value. You can review all changes before they are imported.
      </p>
      <PostForm action={IMPORT}>
        <p class="field" data-into="field-file" hidden>
          <label for="import-from">Load from a file</label>
          <input id="import-from" type="file" accept=".json,application/json" />
        </p>
        <Field name="file" label="JSON to import" rows={14} required />
        <Choice name="who" label="Monitors" value="new" options={WHO} />
        <Button kind="primary" text="Review changes" />
      </PostForm>
    </>,
    { crumbs: CRUMBS },
  )
}

function confirmPage(text: string, who: string, { checks, token }: ImportPreview, conflict?: string): PageAnswer {
  const of = (kind: Foreseen['kind']) => checks.filter((check) => check.kind === kind)
  const [fresh, changed, same] = [of('new'), of('changed'), of('same')]
  return page(
    'Review import',
    <section>
      <PageHead title="Review import" crumbs={CRUMBS} />
      <Fault line={conflict} />
      <p>
        Checks in this file: {fresh.length} new, {changed.length} changed, {same.length} unchanged.{' '}
        {WHAT_RUNS.get(who) ?? NEW_RUN}
      </p>
      {fresh.length === 0 ? null : (
        <>
          <h2>New</h2>
          <ul>
            {fresh.map(({ name, content }) => (
              <li>
                {name}: {content.url === '' ? 'Private definition' : content.url}, every {span(content.interval_sec)}
              </li>
            ))}
          </ul>
        </>
      )}
      {changed.length === 0 ? null : (
        <>
          <h2>Changed</h2>
          <Table
            columns={['Check', 'Field', 'Current', 'New']}
            name="Check"
            rows={changed.flatMap(({ name, guid, content, changes }) =>
              changes.map(({ field, from, to }) => [
                `${guid ?? ''} ${field}`,
                name,
                labelOf(field),
                <span class="value">{brief(shown(field, from))}</span>,
                <span class="value">
                  {isSecretAlone(from, to) ? 'Changed (hidden)' : brief(shown(field, to))}
                  {field === 'url' && content.url === '' ? 'Erased: the definition becomes private' : ''}
                </span>,
              ]),
            )}
          />
        </>
      )}
      {same.length === 0 ? null : [<h2>Unchanged</h2>, <p>{same.map(({ name }) => name).join(', ')}</p>]}
      <PostForm action="/checks/import/confirm" hidden={{ file: text, who, preview: token }}>
        <p class="actions">
          <Button kind="primary" text="Import checks" />
          <Link href="/checks/import">Back</Link>
        </p>
      </PostForm>
    </section>,
    conflict === undefined ? 200 : 409,
  )
}

/** Whether two values look the same although they differ, because only a hidden secret differs. */
function isSecretAlone(from: unknown, to: unknown): boolean {
  return JSON.stringify(from) === JSON.stringify(to)
}

const BRIEF = 200

function brief(text: string): string {
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text
}
