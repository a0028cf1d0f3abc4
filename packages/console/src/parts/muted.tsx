// Renders when a mute ends, and the buttons that mute an item or end its mute.
import { type Muteable, type MuteEnd, type MuteRow, mute, unmute } from '@dogwatch/domain/mutes/mute'
import { dayStart, instantAt, wallTime } from '@dogwatch/domain/people/wall-clock'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icons.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { useMay } from '../rights.tsx'
import { type MemberContext, type RedirectAnswer, redirect } from '../route.ts'
import { clockText, dayText, hourText, type Times } from '../times.ts'
import { Ago, At, useNow, useTimes } from './time.tsx'

const HOUR_MS = 3_600_000
/** Durations of a mute: the value of the form, its label, and hours. */
const DURATIONS = [
  ['1h', 'for 1 hour', 1],
  ['4h', 'for 4 hours', 4],
  ['8h', 'for 8 hours', 8],
  ['1d', 'for 1 day', 24],
] as const
const RESOLVED = 'resolved'
const UNTIL_RESOLVED = 'until resolved'
/** Time of day at which a mute until the morning ends. */
const MORNING = '09:00'

/**
 * Returns the choices for a mute without a date: values of the form, and their labels. `isDown` means that an incident is open.
 */
export function muteChoices(
  now: Date,
  times: Times,
  isDown = false,
): readonly (readonly [value: string, label: string])[] {
  const morning = nextMorning(now, times)
  const away = morning.getTime() - now.getTime()
  // In whole hours, because the page would otherwise change every minute.
  const lasts = away < HOUR_MS ? 'less than 1 h' : `about ${Math.round(away / HOUR_MS)} h`
  return [
    ...DURATIONS.map(([value, label]) => [value, label] as const),
    ['morning', `until ${hourText(morning, times)}, ${dayText(morning, times)} (${lasts}, ${times.zone})`],
    ...(isDown ? [[RESOLVED, UNTIL_RESOLVED] as const] : []),
  ]
}

/**
 * Returns the choices for a mute by a link in an alert, which lasts until the next morning at most. The form and its POST both
 * use them.
 */
export function linkMuteChoices(now: Date, times: Times): readonly (readonly [value: string, label: string])[] {
  const morning = nextMorning(now, times)
  return muteChoices(now, times).filter(([value]) => muteEnd(value, '', now, times) <= morning)
}

/** Returns the next 9 o'clock by the person's clock: today's, if it is still to come. */
function nextMorning(now: Date, { zone }: Times): Date {
  const today = wallTime(now, zone).slice(0, 10)
  const morning = instantAt(`${today}T${MORNING}`, zone) ?? now
  if (morning > now) return morning
  const midnight = dayStart(today, zone, 1) ?? now
  return instantAt(`${wallTime(midnight, zone).slice(0, 10)}T${MORNING}`, zone) ?? now
}

interface MuteMenuProps {
  /** Path of the item to mute. */
  path: string
  name: string
  /** Path of the page to return to. Default: the item's own page. */
  to?: string
  kind?: 'quiet' | 'secondary'
  label?: string
  /** Whether an incident is open. */
  isDown: boolean
}

/** Renders a button that offers the durations of a mute, for viewers who may mute the item. */
export function MuteMenu({ path, name, to, kind = 'quiet', label = 'Mute', isDown }: MuteMenuProps) {
  const times = useTimes()
  const now = useNow()
  const may = useMay()
  if (!may('POST', `${path}/mute`)) return null
  return (
    <details class="choices">
      <summary class={kind === 'quiet' ? 'button quiet' : 'button'}>
        <Icon name="bell-off" />
        <span>
          {label}
          <span class="heard"> {name}</span>…
        </span>
      </summary>
      <div>
        <PostForm action={`${path}/mute`} hidden={{ to }}>
          {muteChoices(now, times, isDown).map(([value, text]) => (
            <Button kind="quiet" name="for" value={value} label={`Mute ${name} ${text}`} text={text} />
          ))}
        </PostForm>
        <PostForm action={`${path}/mute`} hidden={{ to, for: 'date' }}>
          <label>
            Until ({times.zone}) <input type="datetime-local" name="until" required />
          </label>
          <Button label={`Mute ${name} until this time`} text="Mute until this time" />
        </PostForm>
      </div>
    </details>
  )
}

type MutingProps = Pick<MuteMenuProps, 'path' | 'name' | 'isDown'> & { muted: MuteRow | undefined }

/** Renders when a mute ends. The text follows the name of the person who muted. */
export function MutedUntil({
  muted_until,
  until_resolved,
}: Pick<MuteRow, 'muted_until'> & { until_resolved: boolean | null }) {
  return until_resolved === true ? (
    <> {UNTIL_RESOLVED}</>
  ) : (
    <>
      ; ends <Ago at={muted_until} />
    </>
  )
}

export function Muting({ path, name, muted, isDown }: MutingProps) {
  const may = useMay()
  if (muted === undefined && !may('POST', `${path}/mute`)) return null
  return (
    <section aria-label="Mute">
      {muted === undefined ? null : (
        <>
          <p>
            Muted by {muted.muted_by}{' '}
            {muted.until_resolved ? UNTIL_RESOLVED : ['until ', <At at={muted.muted_until} />]}. No notifications are
            sent while muted. Alerts for problems still open are sent when the mute ends.
          </p>
          <PostButton action={`${path}/unmute`} icon="bell" text="Unmute now" />
        </>
      )}
      <MuteMenu
        path={path}
        name={name}
        kind={muted === undefined ? 'secondary' : 'quiet'}
        label={muted === undefined ? 'Mute' : 'Change mute'}
        isDown={isDown}
      />
    </section>
  )
}

export async function muteOne(context: MemberContext, what: Pick<Muteable, 'kind' | 'guid'>): Promise<RedirectAnswer> {
  const { deps, org, viewer, form, times, returnPath } = context
  const now = deps.clock.now()
  const until = muteEnd(form.text('for'), form.text('until'), now, times)
  await mute(deps, { org_id: org.org_id, ...what }, until, viewer)
  return redirect(
    returnPath(form.text('to')) ?? `/${what.kind}s/${what.guid}`,
    until === 'resolved'
      ? `Muted ${UNTIL_RESOLVED}. No notifications are sent until then.`
      : `Muted until ${clockText(until, now, times)}.`,
  )
}

export async function unmuteOne(
  { deps, org, viewer, form, returnPath }: MemberContext,
  what: Pick<Muteable, 'kind' | 'guid'>,
): Promise<RedirectAnswer> {
  const isChanged = await unmute(deps, { org_id: org.org_id, ...what }, viewer)
  const to = returnPath(form.text('to')) ?? `/${what.kind}s/${what.guid}`
  return redirect(to, isChanged ? 'Unmuted. Notifications are on again.' : 'Alerts were not muted.')
}

/** Returns the end of a mute. Returns an invalid date, which the domain refuses, for anything that the form does not offer. */
export function muteEnd(choice: string, date: string, now: Date, times: Times): MuteEnd {
  if (choice === RESOLVED) return 'resolved'
  const hours = DURATIONS.find(([value]) => value === choice)?.[2]
  if (hours !== undefined) return new Date(now.getTime() + hours * HOUR_MS)
  if (choice === 'morning') return nextMorning(now, times)
  return (choice === 'date' ? instantAt(date, times.zone) : undefined) ?? new Date(NaN)
}
