// Previews who would be notified of an event, by the rule that decides about alerts.
import { DomainError } from '@dogwatch/domain/errors'
import type { EventType } from '@dogwatch/domain/events/event'
import { EVENT_NAMES } from '@dogwatch/domain/events/names'
import { instantAt, wallTime } from '@dogwatch/domain/people/wall-clock'
import {
  type NamedSubject,
  type PreviewedChannel,
  previewAlert,
  type RoutingPreview,
  readSubjects,
  typesOf,
} from '@dogwatch/domain/routing/preview'
import { holdWords } from '@dogwatch/domain/routing/words'
import { Button } from '../../design/button.tsx'
import { Notice, PageHead } from '../../design/layout.tsx'
import { type Row, Table } from '../../design/table.tsx'
import { Choice, Field } from '../../parts/field.tsx'
import { FaultyForm, faultAt, faultsFound } from '../../parts/form-faults.tsx'
import { AlertingNav } from '../../parts/nav.tsx'
import { At, useNow, useTimes } from '../../parts/time.tsx'
import { dayTimeInput, in24Hours } from '../../parts/typed-time.ts'
import { type FormFault, sentence } from '../../refusal.ts'
import { Link, SearchForm } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'
import type { Times } from '../../times.ts'

/** Values of the form's fields. */
interface PreviewQuery {
  about: string
  event: string
  at: string
}

const MONITORS = 'monitors'

export async function whoPage({ deps, org, query, times }: MemberContext): Promise<PageAnswer> {
  const subjects = await readSubjects(deps, org.org_id)
  const asked: PreviewQuery = { about: query.about ?? '', event: query.event ?? '', at: query.at ?? '' }
  const isAsked = asked.about !== '' || asked.event !== ''
  const { preview, faults = [] }: PreviewOutcome = isAsked ? await answer({ deps, org, times }, asked) : {}
  return page(
    'Alert preview',
    <>
      <PageHead title="Alerting" />
      <AlertingNav at="/channels/who" />
      <div class="narrow">
        <p>See which channels an alert would notify, when, and why.</p>
        <FaultyForm faults={faults}>
          <AskForm asked={asked} subjects={subjects} />
        </FaultyForm>
      </div>
      {preview ? (
        <section>
          <h2>Notified channels</h2>
          {preview.hold === undefined ? null : (
            <Notice>
              Alert on hold: {preview.hold.words}
              {preview.hold.until === null ? null : [' until ', <At at={preview.hold.until} />]}.
            </Notice>
          )}
          {preview.answers.length + preview.disabled.length === 0 ? (
            <p class="empty">
              No one would be notified, because there are no channels yet.{' '}
              <Link href="/channels/new">Create channel</Link>
            </p>
          ) : (
            <Table
              columns={['Channel', 'Time', 'Reason']}
              name="Channel"
              rows={[
                ...preview.answers.map(
                  (one): Row => [one.channel_id, one.name, <When answer={one} />, sentence(one.why)],
                ),
                ...preview.disabled.map((name): Row => [name, name, 'Not notified', 'Channel disabled.']),
              ]}
            />
          )}
        </section>
      ) : null}
    </>,
    faults.length === 0 ? 200 : 400,
  )
}

interface PreviewOutcome {
  preview?: RoutingPreview
  faults?: readonly FormFault[]
}

async function answer(
  { deps, org, times }: Pick<MemberContext, 'deps' | 'org' | 'times'>,
  { about, event, at }: PreviewQuery,
): Promise<PreviewOutcome> {
  const [kind, guid = ''] = about.split(' ')
  const subject = kind === 'check' || kind === 'heartbeat' ? ({ kind, guid } as const) : undefined
  const typed = () => typeOf(event, subject?.kind)
  const when = () => (at === '' ? deps.clock.now() : timeOf(at, times))
  const faults = [
    ...faultsFound([typed], (refused) => faultAt(refused, 'event')),
    ...faultsFound([when], (refused) => faultAt(refused, 'at')),
  ]
  if (faults.length > 0) return { faults }
  try {
    return { preview: await previewAlert(deps, org.org_id, { type: typed(), subject, at: when() }) }
  } catch (error) {
    // The subject no longer exists. This page reports that as a fault of the form.
    const isGone = error instanceof DomainError && error.kind === 'missing'
    return { faults: [faultAt(isGone ? new DomainError('invalid', error.message) : error, 'about')] }
  }
}

/** Returns the chosen alert. If none is chosen, returns the first one that can happen. */
function typeOf(event: string, kind: 'check' | 'heartbeat' | undefined): EventType {
  const types = typesOf(kind)
  const type = event === '' ? types[0] : types.find((one) => one === event)
  if (!type)
    throw new DomainError(
      'invalid',
      `“${labelOf(event) ?? 'This alert'}” does not apply to this selection. Choose another alert`,
    )
  return type
}

/** Returns the label of an alert that a form names, or undefined if it is unknown. */
function labelOf(event: string): string | undefined {
  return Object.hasOwn(EVENT_NAMES, event) ? EVENT_NAMES[event as EventType] : undefined
}

/** Reads a time by the viewer's clock, or in UTC if the text says so. Throws DomainError for any other text. */
function timeOf(text: string, { zone }: Times): Date {
  const at = instantOf(text, zone)
  if (at === undefined) throw new DomainError('invalid', 'enter a date and time such as 2026-11-23 03:00')
  return at
}

function instantOf(text: string, zone: string): Date | undefined {
  const given = text.trim()
  const inUtc = given.replace(/(?:Z| UTC)$/, '')
  return instantAt(in24Hours(inUtc), inUtc === given ? zone : 'UTC')
}

/** Returns the requested time by the viewer's clock. Returns a text that is no time as the person typed it. */
function shownTime(text: string, now: Date, { zone }: Times): string {
  const at = text === '' ? now : instantOf(text, zone)
  return at === undefined ? text : wallTime(at, zone)
}

function AskForm({ asked, subjects }: { asked: PreviewQuery; subjects: readonly NamedSubject[] }) {
  const now = useNow()
  const times = useTimes()
  const options = subjects.map(({ kind, guid, name }) => [`${kind} ${guid}`, `${name} (${kind})`] as const)
  const types = [...typesOf('check'), ...typesOf('heartbeat'), ...typesOf(undefined)]
  return (
    <SearchForm action="/channels/who">
      <Choice
        name="about"
        label="Check, heartbeat or all monitors"
        value={asked.about}
        options={[...options, [MONITORS, 'All monitors']]}
      />
      <Choice name="event" label="Alert" value={asked.event} options={types.map((type) => [type, EVENT_NAMES[type]])} />
      <Field name="at" label="Time" {...dayTimeInput(shownTime(asked.at, now, times))} unit={times.zone} />
      <Button kind="primary" text="Preview alert" />
    </SearchForm>
  )
}

function When({ answer }: { answer: PreviewedChannel }) {
  if (answer.kind === 'now') return <>Immediately</>
  if (answer.kind === 'never') return <>Not notified</>
  const { until, by } = answer
  return (
    <>
      {until === null ? 'When the hold ends' : <At at={until.toISOString()} />} ({holdWords(by)})
    </>
  )
}
