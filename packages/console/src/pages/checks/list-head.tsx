// Renders the part above the list of checks: problems, recent deletions and keyboard shortcuts.
import type { UndoableDeletion } from '@dogwatch/domain/checks/deletions'
import type { ListedCheck } from '@dogwatch/domain/checks/list'
import type { PauseBatch } from '@dogwatch/domain/checks/undo-switch'
import { Button, ButtonLink } from '../../design/button.tsx'
import { EmptyState, Notice } from '../../design/layout.tsx'
import { Ago, At, span, useNow } from '../../parts/time.tsx'
import { PostButton } from '../../post-form.tsx'
import { Link } from '../../rights.tsx'
import { queryOf, type View } from './list-view.ts'

const NAMED = 5

/**
 * Returns the title of the browser tab, with the number of checks in each bad state. Omits the checks that are down, because the
 * frame begins every title with their number.
 */
export function titleOf(checks: readonly ListedCheck[]): string {
  const count = (which: ListedCheck['state']) => checks.filter(({ state }) => state === which).length
  const [unmonitored, failing, degraded] = [count('unmonitored'), count('failing'), count('degraded')]
  const wrong = [
    ...(unmonitored > 0 ? [`${unmonitored} not monitored`] : []),
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
  ]
  return wrong.length === 0 ? 'Checks' : `Checks: ${wrong.join(', ')}`
}

export function Empty() {
  return (
    <EmptyState
      icon="list-checks"
      title="No checks yet"
      action={
        <p class="actions">
          <ButtonLink href="/checks/new" kind="primary" text="Create check" />
          <ButtonLink href="/checks/import" text="Import checks" />
        </p>
      }
    >
      A check monitors a website, port or certificate. It runs on shared monitors or on{' '}
      <Link href="/monitors">your own monitors</Link>.
    </EmptyState>
  )
}

/** Renders a headline that sums up the states of all checks. */
export function Summary({ checks }: { checks: readonly ListedCheck[] }) {
  const of = (state: ListedCheck['state']) => checks.filter((check) => check.state === state)
  const [down, silent, failing, degraded] = [of('down'), of('unmonitored'), of('failing'), of('degraded')]
  const [unknown, paused] = [of('unknown'), of('paused')]
  const running = checks.length - paused.length
  const isCalm = down.length + silent.length + failing.length + degraded.length === 0
  const calmTone = unknown.length > 0 || running === 0 ? 'idle' : 'good'
  const tone = down.length > 0 ? 'bad' : isCalm ? calmTone : 'warn'
  return (
    <div class={`summary ${tone}`} role="status">
      <Wrong checks={down} of={checks.length} word="down" />
      <Wrong checks={silent} of={checks.length} word="not monitored" />
      <Wrong checks={failing} of={checks.length} word="failing, but not yet down" />
      <Wrong checks={degraded} of={checks.length} word="degraded" />
      {isCalm ? <p>{calm(running, unknown.length)}</p> : null}
      {paused.length === 0 ? null : (
        <p class="hint">{paused.length === 1 ? '1 check is' : `${paused.length} checks are`} paused.</p>
      )}
    </div>
  )
}

function Wrong({ checks, of, word }: { checks: readonly ListedCheck[]; of: number; word: string }) {
  const now = useNow()
  if (checks.length === 0) return null
  const shown = checks.toSorted((a, b) => (b.since ?? '').localeCompare(a.since ?? '')).slice(0, NAMED)
  const rest = checks.length - shown.length
  return (
    <p>
      <strong>
        {checks.length} of {of} {of === 1 ? 'check' : 'checks'} {checks.length === 1 ? 'is' : 'are'} {word}
      </strong>
      :{' '}
      {shown.map(({ guid, name, since }, index) => (
        <span>
          {index > 0 ? ', ' : ''}
          <Link href={`/checks/${guid}`}>{name}</Link>
          {since === null ? '' : ` (for ${span((now.getTime() - Date.parse(since)) / 1000)})`}
        </span>
      ))}
      {rest > 0 ? ` and ${rest} more` : ''}
    </p>
  )
}

function calm(running: number, unknown: number): string {
  if (running === 0) return 'All checks are paused.'
  if (unknown === running)
    return running === 1 ? 'The check has no results yet.' : `No results yet for ${running} checks.`
  if (unknown > 0)
    return `${running - unknown} of ${running} checks are up. ${unknown} ${unknown === 1 ? 'has' : 'have'} no results yet.`
  return running === 1 ? 'The check is up.' : `All ${running} checks are up.`
}

/** A pause or resume that can be undone with a button. */
export interface Undoable extends PauseBatch {
  batch: string
}

/** Renders the button that undoes the last pause or resume. */
export function UndoSwitch({ kind, guids, batch, view }: Undoable & { view: View }) {
  const words = `${kind === 'pause' ? 'pausing' : 'resuming'} ${guids.length === 1 ? '1 check' : `${guids.length} checks`}`
  return (
    <Notice>
      <PostButton
        action="/checks/undo"
        hidden={{ view: queryOf(view), batch }}
        icon="rotate-ccw"
        text={`Undo ${words}`}
      />
    </Notice>
  )
}

/** Renders recent deletions that can still be undone. */
export function Deletions({ deletions, view }: { deletions: readonly UndoableDeletion[]; view: View }) {
  if (deletions.length === 0) return null
  return (
    <>
      {deletions.map((one) => (
        <Notice>
          <div class="undo">
            <p>
              <strong>{namesIn(one)}</strong> deleted by {one.deleted_by} <Ago at={one.deleted_at} />. You can undo this
              until <At at={one.undo_until} />.
            </p>
            <PostButton
              action="/checks/undo"
              hidden={{ view: queryOf(view), deletion: one.batch_id }}
              icon="rotate-ccw"
              label={`Undo deletion of ${namesIn(one)}`}
              text="Undo"
            />
          </div>
        </Notice>
      ))}
    </>
  )
}

function namesIn({ names, count }: UndoableDeletion): string {
  const rest = count - names.length
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['/', 'Search'],
  ['j', 'Next check'],
  ['k', 'Previous check'],
  ['x', 'Select check'],
  ['Enter', 'Open check'],
  ['?', 'Show keyboard shortcuts'],
]

/** Renders the keyboard shortcuts, which need scripts. */
export function Keys() {
  return (
    <>
      <p class="keys" hidden>
        <Button type="button" kind="quiet" label="Keyboard shortcuts" text="Keyboard shortcuts ">
          <kbd>?</kbd>
        </Button>
      </p>
      <dialog id="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keyboard shortcuts</h2>
        <dl class="keys">
          {KEYS.map(([key, does]) => (
            <div>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <Button text="Close" />
        </form>
      </dialog>
    </>
  )
}
