// Renders the list of checks: problems first, searched, filtered, and changed several at a time.

import { readDeletions } from '@dogwatch/domain/checks/deletions'
import { readMonitorOptions } from '@dogwatch/domain/checks/inspect'
import {
  groupByTag,
  type ListedCheck,
  readHistories,
  readList,
  readRows,
  type TagGroup,
} from '@dogwatch/domain/checks/list'
import { readSwitched } from '@dogwatch/domain/checks/undo-switch'
import { readCare } from '@dogwatch/domain/incidents/care'
import type { ComponentChildren, VNode } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { PageHead } from '../../design/layout.tsx'
import type { Form } from '../../form.ts'
import { Fault } from '../../parts/field.tsx'
import { PageLinks } from '../../parts/pager.tsx'
import { PostForm } from '../../post-form.tsx'
import { useMay } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import { Deletions, Empty, Keys, Summary, titleOf, type Undoable, UndoSwitch } from './list-head.tsx'
import { BulkBar, Filters, NoMatch, StateChips } from './list-parts.tsx'
import { CheckTable } from './list-table.tsx'
import { BULK_PATH, hrefOf, queryOf, type View, viewOf } from './list-view.ts'

const PAGE_ROWS = 100

/** Outcome of the last change: the refused form with its fault, or a pause or resume to undo. */
interface ListFeedback {
  fault?: string
  selected?: ReadonlySet<string>
  /** Whether the change concerned all checks that match. */
  isAll?: boolean
  form?: Form
  /** Pause or resume that can be undone. */
  undoable?: Undoable
}

export async function listPage(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, query } = context
  const batch = query.undo ?? ''
  const switched = batch === '' ? undefined : await readSwitched(deps, org.org_id, batch)
  return drawList(context, viewOf(query), switched && { undoable: { ...switched, batch } })
}

export async function drawList(context: MemberContext, wanted: View, refused: ListFeedback = {}): Promise<PageAnswer> {
  const { deps, org } = context
  const [list, deletions, { options }, careOf] = await Promise.all([
    readList(deps, org.org_id, wanted.filter, wanted.sort),
    readDeletions(deps, org.org_id),
    readMonitorOptions(deps, org.org_id, null),
    readCare(deps, org.org_id),
  ])
  const { view, groups, pages } = pageOf(list.checks, wanted)
  const shown = [...new Map(groups.flatMap(({ checks }) => checks.map((one) => [one.check_id, one]))).values()]
  const rowOf = await readRows(deps, org.org_id, shown)
  const { recentOf, from } = await readHistories(deps, org.org_id, [...rowOf.values()])
  const matching = list.checks.length
  const filled = groups.map(({ tag, checks }) => ({
    tag,
    checks: checks.flatMap(({ check_id }) => rowOf.get(check_id) ?? []),
  }))
  const rows = {
    groups: filled,
    recentOf,
    from,
    selected: refused.selected ?? new Set<string>(),
    careOf,
    isByLatency: view.sort === 'latency',
  }
  return page(
    titleOf(list.all),
    <>
      <PageHead title="Checks" actions={list.all.length === 0 ? null : <Actions />} />
      <Fault line={refused.fault} />
      {refused.undoable === undefined ? null : <UndoSwitch {...refused.undoable} view={view} />}
      <Deletions deletions={deletions} view={view} />
      {list.all.length === 0 ? <Empty /> : <Summary checks={list.all} />}
      {list.all.length === 0 ? null : (
        <>
          <StateChips view={view} counts={list.counts} />
          <Filters view={view} tags={list.tags} monitors={options} />
          {matching === 0 ? (
            <NoMatch view={view} />
          ) : (
            <Selectable
              view={view}
              bar={<BulkBar {...refused} matching={matching} onPage={shown.length} monitors={options} />}
            >
              <p class="hint">{countLine(matching, list.all.length, pages, view)}</p>
              <CheckTable {...rows} />
              <PageLinks
                label="Pagination"
                at={view.page}
                pages={pages}
                isLast={view.page === pages}
                hrefOf={(at) => hrefOf({ ...view, page: at })}
              />
            </Selectable>
          )}
          <Keys />
        </>
      )}
    </>,
    refused.fault === undefined ? 200 : 400,
  )
}

interface SelectableProps {
  view: View
  /** Actions for the selected rows. */
  bar: VNode
  children: ComponentChildren
}

/** Renders the rows in a form with the actions. A viewer who may only read gets the rows alone. */
function Selectable({ view, bar, children }: SelectableProps) {
  if (!useMay()('POST', BULK_PATH)) return <>{children}</>
  return (
    <PostForm action={BULK_PATH} id="bulk" hidden={{ view: queryOf(view) }}>
      {children}
      {bar}
    </PostForm>
  )
}

/** Returns the rows of the requested page, in groups. A page beyond the last becomes the last. */
function pageOf(
  checks: readonly ListedCheck[],
  view: View,
): { view: View; groups: TagGroup<ListedCheck>[]; pages: number } {
  const all = view.by_tag ? groupByTag(checks, view.filter.tag) : [{ tag: undefined, checks: [...checks] }]
  const rows = all.reduce((sum, group) => sum + group.checks.length, 0)
  const pages = Math.max(1, Math.ceil(rows / PAGE_ROWS))
  const at = Math.min(view.page, pages)
  const [first, last] = [(at - 1) * PAGE_ROWS, at * PAGE_ROWS]
  let before = 0
  const groups = all.map((group) => {
    const cut = group.checks.slice(Math.max(0, first - before), Math.max(0, last - before))
    before += group.checks.length
    return { ...group, checks: cut }
  })
  return { view: { ...view, page: at }, groups: groups.filter(({ checks: some }) => some.length > 0), pages }
}

function countLine(matching: number, all: number, pages: number, { page: at }: View): string {
  const of = matching === all ? `${all} ${all === 1 ? 'check' : 'checks'}` : `Showing ${matching} of ${all} checks`
  return pages === 1 ? `${of}.` : `${of}. Page ${at} of ${pages}.`
}

function Actions() {
  return (
    <>
      <ButtonLink href="/checks/import" text="Import checks" />
      <ButtonLink href="/checks/export" text="Export checks" />
      <ButtonLink href="/checks/new" kind="primary" icon="plus" text="New check" />
    </>
  )
}
