// Edits the address and contents of the public status page. The form lists one page of checks and heartbeats, and keeps the
// others unchanged.

import { FieldError } from '@dogwatch/domain/errors'
import {
  type ChosenEntry,
  editStatusPage,
  randomAddress,
  readStatusPageSettings,
  requireAddress,
  requireDescription,
  requirePublicName,
  requireTitle,
  type StatusPageSettings,
  type SubjectRow,
} from '@dogwatch/domain/status-page/edit'
import type { ComponentChildren } from 'preact'
import { Button, ButtonLink } from '../design/button.tsx'
import { Table } from '../design/table.tsx'
import type { Form } from '../form.ts'
import { describedBy, Field, FieldFault } from '../parts/field.tsx'
import { FaultyForm, faultOf, faultsFound, type Labels, useFault } from '../parts/form-faults.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { PageLinks } from '../parts/pager.tsx'
import { PostForm } from '../post-form.tsx'
import type { FormFault } from '../refusal.ts'
import { Link, SearchForm } from '../rights.tsx'
import {
  type Answer,
  get,
  type MemberContext,
  type PageAnswer,
  page,
  pathWith,
  post,
  type Route,
  redirect,
} from '../route.ts'

const PATH = '/settings/status-page/entries'
const ALL_PATH = `${PATH}/all`
const SEARCH = 'search-entries'
/** Maximum number of rows in the form. Each row has three fields. */
const ROWS = 25

/** A check or heartbeat in the form. */
interface Line {
  subject: SubjectRow
  is_shown: boolean
  public_name: string
  /** Position, from 1. Empty for the end. */
  position: string
}

/** Page and search that select the listed checks and heartbeats. */
interface View {
  search: string
  page: number
}

interface Values {
  slug: string
  title: string
  description: string
  lines: readonly Line[]
  view: View
}

/** Returns the name of a field. It comes from an item of the organisation, never from submitted data. */
function fieldOf({ kind, guid }: Pick<SubjectRow, 'kind' | 'guid'>, what: 'show' | 'name' | 'position'): string {
  return `${what}-${kind}-${guid}`
}

function viewOf(text: (name: string) => string): View {
  const page = text('page')
  return { search: text('q').trim().slice(0, 200), page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1 }
}

function hrefOf({ search, page }: View): string {
  return pathWith(PATH, { q: search, page: page > 1 ? String(page) : '' })
}

function matching(subjects: readonly SubjectRow[], { search }: View): SubjectRow[] {
  const wanted = search.toLowerCase()
  return subjects.filter(({ name, public_name }) => `${name}\n${public_name ?? ''}`.toLowerCase().includes(wanted))
}

/** Returns the requested page. A page beyond the last becomes the last. */
function paged(found: readonly SubjectRow[], view: View): { rows: readonly SubjectRow[]; at: number; pages: number } {
  const pages = Math.max(1, Math.ceil(found.length / ROWS))
  const at = Math.min(view.page, pages)
  return { rows: found.slice((at - 1) * ROWS, at * ROWS), at, pages }
}

/** Whether the status page shows an item. A heartbeat needs both its own setting and a saved entry. */
const isShown = ({ is_shown, position }: SubjectRow) => is_shown && position !== null

function entryOf({ kind, guid, name, public_name }: SubjectRow): ChosenEntry {
  return { kind, guid, public_name: public_name ?? name }
}

function stored({ page: saved, subjects, org_name }: StatusPageSettings, view: View): Values {
  const places = new Map(subjects.filter(isShown).map((subject, index) => [subject, String(index + 1)]))
  return {
    slug: saved?.slug ?? '',
    title: saved?.title ?? org_name,
    description: saved?.description ?? '',
    lines: paged(matching(subjects, view), view).rows.map((subject) => ({
      subject,
      is_shown: subject.is_shown,
      public_name: subject.public_name ?? subject.name,
      position: places.get(subject) ?? '',
    })),
    view,
  }
}

function submittedValues(form: Form, subjects: readonly SubjectRow[]): Values {
  return {
    slug: form.text('slug').trim(),
    title: form.text('title'),
    description: form.text('description'),
    lines: subjects
      .filter((subject) => form.isOn(fieldOf(subject, 'name')))
      .map((subject) => ({
        subject,
        is_shown: form.isOn(fieldOf(subject, 'show')),
        public_name: form.text(fieldOf(subject, 'name')),
        position: form.text(fieldOf(subject, 'position')).trim(),
      })),
    view: viewOf((name) => form.text(name)),
  }
}

/** Returns the entries of the page after these lines are saved. Entries that the form did not list keep their order. */
function entriesAfter(subjects: readonly SubjectRow[], lines: readonly Line[]): ChosenEntry[] {
  const lineOf = new Map(lines.map((line) => [line.subject, line]))
  const stayed = new Set<SubjectRow>()
  const entries: ChosenEntry[] = []
  for (const [index, subject] of subjects.filter(isShown).entries()) {
    const line = lineOf.get(subject)
    if (line && (!line.is_shown || !['', String(index + 1)].includes(line.position))) continue
    stayed.add(subject)
    entries.push(line ? { ...entryOf(subject), public_name: line.public_name } : entryOf(subject))
  }
  const moved = lines
    .filter(({ subject, is_shown }) => is_shown && !stayed.has(subject))
    .map(({ subject: { kind, guid }, public_name, position }) => ({
      entry: { kind, guid, public_name },
      at: position === '' ? Number.POSITIVE_INFINITY : Number(position) - 1,
    }))
  for (const { entry, at } of moved.toSorted((a, b) => a.at - b.at))
    entries.splice(Math.min(at, entries.length), 0, entry)
  return entries
}

function requirePosition(field: string, position: string): void {
  if (position === '' || /^[1-9]\d{0,5}$/.test(position)) return
  throw new FieldError('invalid', field, 'must be a whole number of at least 1')
}

/** Returns the labels of the fields under the names that refusals use. */
function labelsOf({ lines }: Values): Labels {
  const ofEntries = lines.flatMap(({ subject }): [string, string][] => [
    [fieldOf(subject, 'name'), `Public name of ${subject.name}`],
    [fieldOf(subject, 'position'), `Position of ${subject.name}`],
  ])
  return {
    address: { label: 'URL slug', input: 'slug' },
    title: 'Title',
    description: 'Description',
    ...Object.fromEntries(ofEntries),
  }
}

/** Returns all faults of a form that can be found without a database query. */
function faultsIn(values: Values, labels: Labels, isNew: boolean): FormFault[] {
  const { slug, title, description, lines } = values
  const ofEntries = lines
    .filter(({ is_shown }) => is_shown)
    .flatMap(({ subject, public_name, position }) => [
      () => requirePublicName(fieldOf(subject, 'name'), public_name),
      () => requirePosition(fieldOf(subject, 'position'), position),
    ])
  const checks = [
    () => void (isNew && slug === '' ? '' : requireAddress(slug)),
    () => requireTitle(title),
    () => requireDescription(description),
    ...ofEntries,
  ]
  return faultsFound(checks, (refused) => faultOf(refused, labels))
}

async function entriesPage(
  context: MemberContext,
  settings: StatusPageSettings,
  values: Values,
  faults: readonly FormFault[] = [],
): Promise<PageAnswer> {
  return page(
    'Status page',
    <section>
      <SettingsHead at="/settings/status-page" title="Status page content" />
      <p>
        <Link href="/settings/status-page">Turn the status page on or off</Link>
      </p>
      {settings.is_allowed ? (
        <>
          <Address context={context} settings={settings} />
          <FaultyForm faults={faults}>
            <EntriesForm settings={settings} values={values} />
          </FaultyForm>
        </>
      ) : (
        <p class="empty">{`Status pages are not included in the ${settings.plan_name} plan.`}</p>
      )}
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}

function Address({ context, settings }: { context: MemberContext; settings: StatusPageSettings }) {
  const { page: saved, is_enabled } = settings
  if (!saved) return <p>Save your changes to create the status page.</p>
  const url = `${context.options.public_url}/status/${saved.slug}`
  if (!is_enabled) return <p>{`The status page is off. When turned on, it will be at ${url}`}</p>
  return (
    <p>
      Public URL: <Link href={`/status/${saved.slug}`}>{url}</Link>. Changes appear within 30 s.
    </p>
  )
}

function EntriesForm({ settings, values }: { settings: StatusPageSettings; values: Values }) {
  const { slug, title, description, lines, view } = values
  const { subjects, page: saved } = settings
  return (
    <>
      <PostForm action={PATH} hidden={{ q: view.search, page: view.page }}>
        <div class="narrow">
          <Field
            name="slug"
            label="URL slug"
            value={slug}
            hint={`The part of the URL after /status/. Use lower-case letters, digits and hyphens.${saved ? '' : ' Leave empty for a random address.'}`}
            required={saved !== undefined}
          />
          <Field name="title" label="Title" value={title} required />
          <Field
            name="description"
            label="Description"
            value={description}
            hint="Optional. Shown below the title."
            rows={3}
          />
        </div>
        {subjects.length > ROWS || view.search !== '' ? <Search view={view} /> : null}
        {subjects.length === 0 ? (
          <p class="empty">
            No checks or heartbeats yet. <Link href="/checks">Create a check</Link> to show it here.
          </p>
        ) : (
          <EntriesTable subjects={subjects} lines={lines} view={view} />
        )}
        <Button kind="primary" text="Save changes" />
      </PostForm>
      <SearchForm id={SEARCH} action={PATH} role="search" aria-label="Checks and heartbeats" />
      <ShowAll subjects={subjects} view={view} />
    </>
  )
}

/** Renders the search above the table. It is a form of its own, because forms cannot be nested. */
function Search({ view: { search } }: { view: View }) {
  return (
    <div class="filters">
      <label class="search">
        <span class="heard">Search checks and heartbeats</span>
        <input
          type="search"
          name="q"
          form={SEARCH}
          value={search}
          placeholder="Search checks and heartbeats"
          maxLength={200}
        />
      </label>
      <Button icon="search" form={SEARCH} text="Search" />
      {search === '' ? null : <ButtonLink kind="quiet" href={PATH} text="Clear search" />}
    </div>
  )
}

function EntriesTable({ subjects, lines, view }: { subjects: readonly SubjectRow[] } & Pick<Values, 'lines' | 'view'>) {
  const found = matching(subjects, view)
  const { at, pages } = paged(found, view)
  if (found.length === 0) return <p class="empty">No checks or heartbeats match this search.</p>
  return (
    <>
      <p>
        Everyone can see the public names. A public name is the same as the internal name until you change it, so review
        the names before you save. Entries with lower positions come first. The status page shows{' '}
        {subjects.filter(isShown).length} of {subjects.length} checks and heartbeats.
        {pages > 1 ? ' Save before you search or open another page. Entries on other pages are kept.' : ''}
      </p>
      <Table
        columns={['Show', 'Internal name', 'Public name', 'Position']}
        name="Internal name"
        numbers={['Position']}
        rows={lines.map((line) => [`${line.subject.kind} ${line.subject.guid}`, ...cellsOf(line)])}
      />
      <PageLinks
        label="Pages of checks and heartbeats"
        at={at}
        pages={pages}
        isLast={at === pages}
        hrefOf={(page) => hrefOf({ ...view, page })}
      />
    </>
  )
}

/** Renders a button that adds all matches at once, if there are more than the form lists. */
function ShowAll({ subjects, view }: { subjects: readonly SubjectRow[]; view: View }) {
  const found = matching(subjects, view)
  const hidden = found.filter((subject) => !isShown(subject)).length
  if (found.length <= ROWS || hidden === 0) return null
  return (
    <PostForm action={ALL_PATH} hidden={{ q: view.search }}>
      <p class="hint">
        Adds the {hidden} hidden entries{view.search === '' ? '' : ' that match the search'} to the end of the status
        page, under their internal names.
      </p>
      <Button
        confirm={`Show all ${hidden} on the status page? Their names become public.`}
        text={`Show all ${hidden}`}
      />
    </PostForm>
  )
}

function cellsOf({ subject, is_shown, public_name, position }: Line): ComponentChildren[] {
  const { kind, name } = subject
  return [
    <input type="checkbox" name={fieldOf(subject, 'show')} checked={is_shown} aria-label={`Show ${name}`} />,
    [name, <p class="hint">{kind}</p>],
    <CellField
      name={fieldOf(subject, 'name')}
      label={`Public name of ${name}`}
      input={{ type: 'text', value: public_name }}
    />,
    <CellField
      name={fieldOf(subject, 'position')}
      label={`Position of ${name}`}
      input={{ type: 'number', min: 1, max: 999_999, value: position, placeholder: 'last' }}
    />,
  ]
}

/** Renders a field of a table. The heading of its column is its visible label. */
function CellField({ name, label, input }: { name: string; label: string; input: object }) {
  const { fault, autofocus } = useFault(name)
  const id = `field-${name}`
  return (
    <>
      <input id={id} name={name} aria-label={label} autofocus={autofocus} {...describedBy(id, { fault })} {...input} />
      <FieldFault id={id} fault={fault} />
    </>
  )
}

async function saveAs(
  context: MemberContext,
  settings: StatusPageSettings,
  values: Values,
  entries: readonly ChosenEntry[],
): Promise<Answer> {
  const { deps, viewer, org } = context
  const { title, description, view } = values
  const slug = values.slug === '' && !settings.page ? randomAddress(deps) : values.slug
  try {
    const listed = new Set(values.lines.map(({ subject }) => subject))
    const undecided = settings.subjects.filter((subject) => !listed.has(subject))
    await editStatusPage(deps, org.org_id, { slug, title, description, entries, undecided }, viewer)
    return redirect(hrefOf(view), 'Status page saved.')
  } catch (error) {
    return entriesPage(context, settings, values, [faultOf(error, labelsOf(values))])
  }
}

export const STATUS_PAGE_ROUTES: readonly Route[] = [
  get(PATH, 'org_admin', async (context) => {
    const settings = await readStatusPageSettings(context.deps, context.org.org_id)
    const view = viewOf((name) => context.query[name] ?? '')
    return entriesPage(context, settings, stored(settings, view))
  }),
  post(PATH, 'org_admin', async (context) => {
    const settings = await readStatusPageSettings(context.deps, context.org.org_id)
    const values = submittedValues(context.form, settings.subjects)
    const faults = faultsIn(values, labelsOf(values), settings.page === undefined)
    if (faults.length > 0) return entriesPage(context, settings, values, faults)
    return saveAs(context, settings, values, entriesAfter(settings.subjects, values.lines))
  }),
  post(ALL_PATH, 'org_admin', async (context) => {
    const settings = await readStatusPageSettings(context.deps, context.org.org_id)
    const values = stored(settings, { ...viewOf((name) => context.form.text(name)), page: 1 })
    const saved = settings.subjects.filter(isShown)
    const added = matching(settings.subjects, values.view).filter((subject) => !isShown(subject))
    return saveAs(context, settings, values, [...saved, ...added].map(entryOf))
  }),
]
