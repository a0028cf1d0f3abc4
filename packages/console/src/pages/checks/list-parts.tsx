// Renders the controls of the list of checks: the filters, and the actions for selected checks.
import { SCHEME_ROWS, schemeRow } from '@dogwatch/check-rules/schemes'
import type { readMonitorOptions } from '@dogwatch/domain/checks/inspect'
import {
  KINDS,
  type Kind,
  LISTED_STATES,
  type ListedState,
  NO_FILTER,
  SORTS,
  type Sort,
} from '@dogwatch/domain/checks/list'
import { stateWord } from '../../design/badge.tsx'
import { Button, ButtonLink } from '../../design/button.tsx'
import type { Form } from '../../form.ts'
import { type ChoiceProps, Options, Radio, Tick } from '../../parts/field.tsx'
import { Link, SearchForm } from '../../rights.tsx'
import { nameAndCity } from '../monitors/parts.tsx'
import { hrefOf, isFiltered, PATH, toggled, type View, withFilter } from './list-view.ts'

export type Monitors = Awaited<ReturnType<typeof readMonitorOptions>>['options']

/** Renders the number of checks in each state. Each number links to those checks. */
export function StateChips({ view, counts }: { view: View; counts: Readonly<Record<ListedState, number>> }) {
  const { states } = view.filter
  const shown = LISTED_STATES.filter((state) => counts[state] > 0 || states.includes(state))
  return (
    <nav class="chips" aria-label="Filter by state">
      <Link href={hrefOf(withFilter(view, { states: [] }))} aria-current={states.length === 0 ? 'true' : undefined}>
        All
      </Link>
      {shown.map((state) => (
        <Link href={hrefOf(toggled(view, state))} aria-current={states.includes(state) ? 'true' : undefined}>
          {stateWord(state)} <span class="count">{counts[state]}</span>
        </Link>
      ))}
    </nav>
  )
}

const SORT_WORDS: Readonly<Record<Sort, string>> = {
  problems: 'Problems first',
  name: 'Name',
  latency: 'Slowest first',
  change: 'Recently changed first',
}

/** Returns the label of a check type, as in the form. Schemes with the same label are distinguished by name. */
function kindWord(kind: Kind): string {
  if (kind === 'private') return 'Private definition'
  const { label } = schemeRow(kind)
  const isShared = SCHEME_ROWS.some((other) => other.name !== kind && other.label === label)
  return isShared ? `${label} (${kind})` : label
}

export function Filters({ view, tags, monitors }: { view: View; tags: readonly string[]; monitors: Monitors }) {
  const { search, states, tag, kind, monitor } = view.filter
  const allTags = tag === '' || tags.includes(tag) ? tags : [...tags, tag]
  return (
    <SearchForm class="filters" action={PATH} role="search" aria-label="Search and filter checks">
      <label class="search">
        <span class="heard">Search checks</span>
        <input type="search" name="q" value={search} placeholder="Search name, target or tag" maxLength={200} />
      </label>
      {states.length === 0 ? null : <input type="hidden" name="state" value={states.join(',')} />}
      {tags.length === 0 && tag === '' ? null : (
        <Select name="tag" label="Tag" any="All tags" value={tag} options={allTags.map((one) => [one, one])} />
      )}
      <Select
        name="kind"
        label="Type"
        any="All types"
        value={kind ?? ''}
        options={KINDS.map((one) => [one, kindWord(one)])}
      />
      {monitors.length === 0 ? null : (
        <Select
          name="monitor"
          label="Monitor"
          any="All monitors"
          value={monitor}
          options={monitors.map((one) => [one.id, nameAndCity(one)])}
        />
      )}
      <Select name="sort" label="Sort by" value={view.sort} options={SORTS.map((one) => [one, SORT_WORDS[one]])} />
      {tags.length === 0 ? null : (
        <label class="tick">
          <input type="checkbox" name="group" value="tag" checked={view.by_tag} /> Group by tag
        </label>
      )}
      <Button icon="search" text="Apply filters" />
      {isFiltered(view) ? (
        <ButtonLink kind="quiet" href={hrefOf({ ...view, filter: NO_FILTER, page: 1 })} text="Clear filters" />
      ) : null}
    </SearchForm>
  )
}

/** `any` is the label of the empty choice. */
type SelectProps = Pick<ChoiceProps, 'name' | 'label' | 'value' | 'options'> & { any?: string }

function Select({ name, label, any, value, options }: SelectProps) {
  return (
    <label>
      <span class="heard">{label}</span>
      <select name={name}>
        {any === undefined ? null : <option value="">{any}</option>}
        <Options options={options} value={value} />
      </select>
    </label>
  )
}

export function NoMatch({ view }: { view: View }) {
  return (
    <div class="empty">
      <p>No checks match these filters.</p>
      <p>
        <Link href={hrefOf({ ...view, filter: NO_FILTER, page: 1 })}>Clear filters</Link>
      </p>
    </div>
  )
}

interface BulkProps {
  /** Number of checks that match the filters. `onPage` of them are on this page. */
  matching: number
  onPage: number
  monitors: Monitors
  isAll?: boolean
  /** Submitted form, if it was refused. */
  form?: Form
}

/** Renders the actions for the ticked checks. */
export function BulkBar({ matching, onPage, monitors, isAll = false, form }: BulkProps) {
  const sent = (name: string) => form?.text(name) ?? ''
  return (
    <section class="bulk" aria-label="Bulk actions">
      <input type="hidden" name="matching" value={matching} />
      <div class="row">
        <strong data-selected>Selected checks:</strong>
        <div class="actions">
          <Do what="pause">Pause</Do>
          <Do what="resume">Resume</Do>
          <Button kind="danger" name="do" value="delete" text="Delete" />
        </div>
        {matching > onPage ? (
          <label>
            <input type="checkbox" name="all_matching" checked={isAll} /> Select all {matching} matching checks
          </label>
        ) : null}
      </div>
      <details class="part" open={form !== undefined && !['pause', 'resume', 'delete'].includes(sent('do'))}>
        <summary>Edit tags, interval or monitors</summary>
        <div class="beside">
          <label for="bulk-tags">Tags</label>
          <input id="bulk-tags" name="tags" value={sent('tags')} placeholder="web, production" />
          <Do what="add-tags">Add tags</Do>
          <Do what="remove-tags">Remove tags</Do>
        </div>
        <div class="beside">
          <label for="bulk-interval">Interval</label>
          <span class="with-unit">
            <input id="bulk-interval" name="interval_sec" inputMode="numeric" value={sent('interval_sec')} />
            <span class="unit">seconds</span>
          </span>
          <Do what="set-interval">Set interval</Do>
        </div>
        {monitors.length === 0 ? null : <AssignPart monitors={monitors} {...(form && { form })} />}
      </details>
    </section>
  )
}

function AssignPart({ monitors, form }: { monitors: Monitors; form?: Form }) {
  const ticked = form?.all('monitors') ?? []
  const how = form?.text('how') || 'add'
  return (
    <fieldset>
      <legend>Monitors</legend>
      <Radio name="how" value="add" label="Add selected monitors" chosen={how} />
      <Radio name="how" value="replace" label="Replace with selected monitors" chosen={how} />
      <Radio name="how" value="all" label="All monitors, including any added later" chosen={how} />
      <div class="inset">
        {monitors.map((monitor) => (
          <Tick name="monitors" value={monitor.id} label={nameAndCity(monitor)} checked={ticked.includes(monitor.id)} />
        ))}
      </div>
      <Do what="assign">Assign monitors</Do>
    </fieldset>
  )
}

function Do({ what, children }: { what: string; children: string }) {
  return <Button name="do" value={what} text={children} />
}
