// Importing checks from a file, with a preview, and exporting them.
import { HIDDEN } from '@dogwatch/check-rules/secrets'
import type { VNode } from 'preact'
import { readShownChecks } from '../../../domain/checks/read.ts'
import { toFileCheck } from '../../../domain/checks/file.ts'
import { importChecks } from '../../../domain/checks/import.ts'
import { type Foreseen, type Preview, previewImport } from '../../../domain/checks/preview.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { MonitorChoice } from '../../../domain/checks/assign.ts'
import { Button } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import { Table } from '../../design/table.tsx'
import { PostForm } from '../../frame.tsx'
import { Choice, Fault, Field } from '../../parts/field.tsx'
import { type Answer, type MemberContext, page, type PageAnswer, redirect } from '../../route.ts'
import { sentence } from '../problem.tsx'
import { shown } from './set-fields.tsx'
import { labelOf } from './words.ts'

const WHO: readonly (readonly [string, string])[] = [
  ['keep', 'Those that run them now; new checks get none'],
  ['all', 'All monitors, for every check in the file'],
]

const CRUMBS = [{ href: '/checks', label: 'Checks' }]

export async function exportFile({ deps, org }: MemberContext): Promise<Answer> {
  const checks = await readShownChecks(deps, org.org_id)
  const text = `${JSON.stringify(checks.map(toFileCheck), null, 2)}\n`
  return { kind: 'file', name: 'checks.json', type: 'application/json', text }
}

export async function importPage(): Promise<PageAnswer> {
  return importForm('', 'keep')
}

export async function previewPage({ deps, org, form }: MemberContext): Promise<Answer> {
  const [text, who] = [form.text('file'), form.text('who')]
  try {
    return confirmPage(text, who, await previewImport(deps, org.org_id, parse(text)))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return importForm(text, who, sentence(error.message))
  }
}

export async function importOnes({ deps, org, viewer, form }: MemberContext): Promise<Answer> {
  const [text, who] = [form.text('file'), form.text('who')]
  try {
    const confirmed = { actor: viewer, preview: form.text('preview') }
    const { guids } = await importChecks(deps, org.org_id, parse(text), choiceOf(who), confirmed)
    return redirect('/checks', guids.length === 1 ? '1 check is imported.' : `${guids.length} checks are imported.`)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (error.kind !== 'conflict') return importForm(text, who, sentence(error.message))
    return confirmPage(text, who, await previewImport(deps, org.org_id, parse(text)), sentence(error.message))
  }
}

function choiceOf(who: string): MonitorChoice | undefined {
  return who === 'all' ? 'all' : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new DomainError('invalid', 'the file must contain valid json')
  }
}

function importForm(text: string, who: string, fault?: string): PageAnswer {
  return page(
    'Import checks',
    <section class="narrow">
      <PageHead title="Import checks" crumbs={CRUMBS} />
      <p>
        In the shape of <a href="/checks/export">an export</a>: an array of checks. One with the guid of a check of
        yours is put in its place; the others are new. A secret that stands there as {HIDDEN} keeps its value. Nothing
        is done before you have seen what would change.
      </p>
      <Fault line={fault} />
      <PostForm action="/checks/import">
        <p class="field" data-into="field-file" hidden>
          <label for="import-from">From a file</label>
          <input id="import-from" type="file" accept=".json,application/json" />
        </p>
        <Field name="file" label="The checks, as JSON" rows={14} value={text} required />
        <Choice name="who" label="Who runs them" value={who} options={WHO} />
        <Button kind="primary">Show what would change</Button>
      </PostForm>
    </section>,
    fault === undefined ? 200 : 400,
  )
}

function confirmPage(text: string, who: string, { checks, token }: Preview, conflict?: string): PageAnswer {
  const of = (kind: Foreseen['kind']) => checks.filter((check) => check.kind === kind)
  const [fresh, changed, same] = [of('new'), of('changed'), of('same')]
  return page(
    'What the import changes',
    <section>
      <PageHead title="What the import changes" crumbs={CRUMBS} />
      <Fault line={conflict} />
      <p>
        {fresh.length} new, {changed.length} changed, {same.length} as they are.{' '}
        {who === 'all' ? 'All monitors will run every one of them.' : 'Monitors stay as they are; new checks get none.'}
      </p>
      {fresh.length === 0 ? null : (
        <>
          <h2>New</h2>
          <ul>
            {fresh.map(({ name, content }, index) => (
              <li key={index}>
                {name}: {content.url === '' ? 'private definition' : content.url}, every {content.interval_sec} s
              </li>
            ))}
          </ul>
        </>
      )}
      {changed.length === 0 ? null : <Changes checks={changed} />}
      {same.length === 0 ? null : (
        <>
          <h2>As they are</h2>
          <p>{same.map(({ name }) => name).join(', ')}</p>
        </>
      )}
      <PostForm action="/checks/import/confirm">
        <input type="hidden" name="file" value={text} />
        <input type="hidden" name="who" value={who} />
        <input type="hidden" name="preview" value={token} />
        <p class="actions">
          <Button kind="primary">Import exactly this</Button>
          <a href="/checks/import">No, go back</a>
        </p>
      </PostForm>
    </section>,
    conflict === undefined ? 200 : 409,
  )
}

function Changes({ checks }: { checks: readonly Foreseen[] }): VNode {
  return (
    <>
      <h2>Changed</h2>
      <Table
        columns={[{ label: 'Check', isName: true }, { label: 'What' }, { label: 'Is' }, { label: 'Will be' }]}
        rows={checks.flatMap(({ name, guid, content, changes }) =>
          changes.map(({ field, from, to }) => ({
            key: `${guid ?? ''} ${field}`,
            cells: [
              name,
              labelOf(field),
              <span class="value">{brief(shown(field, from))}</span>,
              <span class="value">
                {isSecretAlone(from, to) ? 'Another hidden value' : brief(shown(field, to))}
                {field === 'url' && content.url === '' ? 'wiped: the definition becomes private' : ''}
              </span>,
            ],
          })),
        )}
      />
    </>
  )
}

/** Whether two values that differ look the same. */
function isSecretAlone(from: unknown, to: unknown): boolean {
  return JSON.stringify(from) === JSON.stringify(to)
}

const BRIEF = 200

function brief(text: string): string {
  return text.length > BRIEF ? `${text.slice(0, BRIEF)}…` : text
}
