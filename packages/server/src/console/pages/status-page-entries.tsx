// What the public status page shows, and under which names.
import type { VNode } from 'preact'
import {
  type ChosenEntry,
  editStatusPage,
  proposeSlug,
  readStatusPageSettings,
  requireAddress,
  requireDescription,
  requireOrder,
  requirePublicName,
  requireTitle,
  type StatusPageSettings,
  type SubjectRow,
} from '../../domain/status-page/edit.ts'
import type { Form } from '../form.ts'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { PostForm } from '../frame.tsx'
import { describedBy, Field, FieldFault } from '../parts/field.tsx'
import { faultOf, faultsFound, FaultyForm, type FormFault, type Labels, useFault } from '../parts/form-faults.tsx'
import { SettingsNav } from '../parts/settings-nav.tsx'
import { get, LONG_FORM, type MemberContext, page, type PageAnswer, post, redirect, type Route } from '../route.ts'

const PATH = '/settings/status-page/entries'

/** One check or heartbeat in the form. */
interface Line {
  subject: SubjectRow
  is_shown: boolean
  public_name: string
  order: string
}

interface Values {
  slug: string
  title: string
  description: string
  lines: readonly Line[]
}

/** Fields are named after what the org has, never after what was sent. */
function fieldOf({ kind, guid }: SubjectRow, what: 'show' | 'name' | 'order'): string {
  return `${what}-${kind}-${guid}`
}

function stored({ deps }: MemberContext, { page: saved, subjects, org_name }: StatusPageSettings): Values {
  return {
    slug: saved?.slug ?? proposeSlug(deps),
    title: saved?.title ?? org_name,
    description: saved?.description ?? '',
    lines: subjects.map((subject, index) => ({
      subject,
      is_shown: subject.is_shown,
      public_name: subject.public_name ?? subject.name,
      order: String((index + 1) * 10),
    })),
  }
}

function submittedValues(form: Form, subjects: readonly SubjectRow[]): Values {
  return {
    slug: form.text('slug').trim(),
    title: form.text('title'),
    description: form.text('description'),
    lines: subjects.map((subject) => ({
      subject,
      is_shown: form.isOn(fieldOf(subject, 'show')),
      public_name: form.text(fieldOf(subject, 'name')),
      order: form.text(fieldOf(subject, 'order')),
    })),
  }
}

function chosenOf({ lines }: Values): ChosenEntry[] {
  return lines
    .filter(({ is_shown }) => is_shown)
    .map(({ subject: { kind, guid }, public_name, order }) => ({ kind, guid, public_name, order: orderOf(order) }))
}

function orderOf(text: string): number {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN
}

/** As refusals name them. */
function labelsOf({ lines }: Values): Labels {
  const ofEntries = lines.flatMap(({ subject }): [string, string][] => [
    [fieldOf(subject, 'name'), `The public name of ${subject.name}`],
    [fieldOf(subject, 'order'), `The order of ${subject.name}`],
  ])
  return {
    address: { label: 'Address', input: 'slug' },
    title: 'Title',
    description: 'Description',
    ...Object.fromEntries(ofEntries),
  }
}

/** All that is wrong with a form before anything is looked up. */
function faultsIn(values: Values, labels: Labels): FormFault[] {
  const { slug, title, description, lines } = values
  const ofEntries = lines
    .filter(({ is_shown }) => is_shown)
    .flatMap(({ subject, public_name, order }) => [
      () => requirePublicName(fieldOf(subject, 'name'), public_name),
      () => requireOrder(fieldOf(subject, 'order'), orderOf(order)),
    ])
  const checks = [
    () => requireAddress(slug),
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
      <PageHead title="Settings" />
      <SettingsNav at="/settings/status-page" />
      <h2>What the status page shows</h2>
      <p>
        <a href="/settings/status-page">Switch the page on or off</a>
      </p>
      {settings.is_allowed ? (
        <>
          <Address context={context} settings={settings} />
          <FaultyForm faults={faults}>
            <EntriesForm values={values} />
          </FaultyForm>
        </>
      ) : (
        <p class="empty">{`The ${settings.plan_name} plan has no status page.`}</p>
      )}
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}

function Address({ context, settings }: { context: MemberContext; settings: StatusPageSettings }): VNode {
  const { page: saved, is_enabled } = settings
  if (!saved) return <p>There is no page before this is saved for the first time.</p>
  const url = `${context.options.public_url}/status/${saved.slug}`
  if (!is_enabled) return <p>{`The page is switched off. Its address will be ${url}`}</p>
  return (
    <p>
      The page is at <a href={`/status/${saved.slug}`}>{url}</a>. What is saved here shows there after half a minute.
    </p>
  )
}

function EntriesForm({ values: { slug, title, description, lines } }: { values: Values }): VNode {
  return (
    <PostForm action={PATH}>
      <div class="narrow">
        <Field
          name="slug"
          label="Address"
          value={slug}
          hint="What stands behind /status/ in its address: lower-case letters, digits and hyphens."
          required
        />
        <Field name="title" label="Title" value={title} required />
        <Field
          name="description"
          label="Description"
          value={description}
          hint="Said under the title. It may be empty."
          rows={3}
        />
      </div>
      {lines.length === 0 ? (
        <p class="empty">
          There is nothing to show yet. <a href="/checks">Create a check</a> first.
        </p>
      ) : (
        <EntriesTable lines={lines} />
      )}
      <Button kind="primary">Save changes</Button>
    </PostForm>
  )
}

function EntriesTable({ lines }: { lines: readonly Line[] }): VNode {
  return (
    <>
      <p>
        Everybody can read the public names. Until you change one, it is the name that you use yourselves: look at each
        before you save. Lower numbers come first.
      </p>
      <Table
        columns={[
          { label: 'Show' },
          { label: 'Yours', isName: true },
          { label: 'Public name' },
          { label: 'Order', isNumber: true },
        ]}
        rows={lines.map((line) => ({ key: `${line.subject.kind} ${line.subject.guid}`, cells: cellsOf(line) }))}
      />
    </>
  )
}

function cellsOf({ subject, is_shown, public_name, order }: Line): VNode[] {
  const { kind, name } = subject
  return [
    <input type="checkbox" name={fieldOf(subject, 'show')} checked={is_shown} aria-label={`Show ${name}`} />,
    <>
      {name}
      <p class="hint">{kind}</p>
    </>,
    <CellField
      name={fieldOf(subject, 'name')}
      label={`Public name of ${name}`}
      input={{ type: 'text', value: public_name }}
    />,
    <CellField
      name={fieldOf(subject, 'order')}
      label={`Order of ${name}`}
      input={{ type: 'number', min: 0, max: 9999, value: order }}
    />,
  ]
}

/** A field of a table, whose heading is its label. */
function CellField({ name, label, input }: { name: string; label: string; input: object }): VNode {
  const { fault, autofocus } = useFault(name)
  const id = `field-${name}`
  return (
    <>
      <input id={id} name={name} aria-label={label} autofocus={autofocus} {...describedBy(id, { fault })} {...input} />
      <FieldFault id={id} fault={fault} />
    </>
  )
}

export const STATUS_PAGE_ROUTES: readonly Route[] = [
  get(PATH, 'org_admin', async (context) => {
    const settings = await readStatusPageSettings(context.deps, context.org.org_id)
    return entriesPage(context, settings, stored(context, settings))
  }),
  post(
    PATH,
    'org_admin',
    async (context) => {
      const { deps, viewer, org, form } = context
      const settings = await readStatusPageSettings(deps, org.org_id)
      const values = submittedValues(form, settings.subjects)
      const labels = labelsOf(values)
      const faults = faultsIn(values, labels)
      if (faults.length > 0) return entriesPage(context, settings, values, faults)
      try {
        await editStatusPage(deps, org.org_id, { ...values, entries: chosenOf(values) }, viewer)
        return redirect(PATH, 'The status page is saved.')
      } catch (error) {
        return entriesPage(context, settings, values, [faultOf(error, labels)])
      }
    },
    LONG_FORM,
  ),
]
