// Renders the part of a check's form that tests the entered definition before it is saved.
import { Choice } from '../../parts/field.tsx'
import { Link, useMay } from '../../rights.tsx'
import { nameAndCity } from '../monitors/parts.tsx'
import { wordsOf } from './assertion-drafts.ts'
import { FOR_RUNS } from './form-parts.ts'
import type { CheckFormProps } from './form-shape.ts'
import { RunOutcome } from './run-parts.tsx'

export function TestParts({ action, draft, options, tested, test_from = '' }: CheckFormProps) {
  const monitors = options.filter(({ is_on }) => is_on)
  const way = { formaction: `${action}/test#tested`, formnovalidate: true }
  if (!useMay()('POST', way.formaction)) return null
  return (
    <section aria-labelledby="test" {...FOR_RUNS}>
      <h2 id="test">Test check</h2>
      <p class="hint">
        Runs the definition above once, on one of your monitors. The definition is not saved, and no alerts are sent.
        The result is deleted after 10 minutes.
      </p>
      {monitors.length === 0 ? (
        <p>
          No monitors to test with. <Link href="/monitors">Add a monitor</Link>.
        </p>
      ) : (
        <>
          <Choice
            name="test_from"
            label="Test from"
            value={test_from}
            options={[['', 'Any monitor'], ...monitors.map((one) => [one.id, nameAndCity(one)] as const)]}
          />
          <p class="actions">
            <button type="submit" data-test="tested" {...way}>
              Test check
            </button>
          </p>
        </>
      )}
      <div id="tested" aria-live="polite">
        {tested === undefined ? null : (
          <>
            <RunOutcome run={tested} heading="h3" assertions={wordsOf(draft.texts.assertions)} />
            {tested.report || tested.isOver ? null : (
              <p class="actions">
                <button type="submit" class="quiet" data-pending name="run" value={tested.run_id} {...way}>
                  Show result
                </button>
              </p>
            )}
          </>
        )}
      </div>
    </section>
  )
}
