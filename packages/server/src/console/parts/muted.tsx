// Until when something is muted, and the buttons by which somebody mutes it or ends that.
import type { VNode } from 'preact'
import { MOST_DAYS, mute, type Muteable, type MuteRow, unmute } from '../../domain/mutes/mute.ts'
import { Button } from '../design/button.tsx'
import { PostForm } from '../frame.tsx'
import { type MemberContext, redirect, type RedirectAnswer } from '../route.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** In the morning, when it is muted until tomorrow. */
const MORNING_MS = 9 * HOUR_MS
/** For how long something is muted, by the values of the form. */
export const MUTE_CHOICES = {
  '1h': '1 hour',
  '4h': '4 hours',
  tomorrow: 'until tomorrow, 09:00 UTC',
  date: 'until the date below',
} as const

/** `path`: the page of what it is about. */
export function Muting({ path, muted }: { path: string; muted: MuteRow | undefined }): VNode {
  return (
    <section aria-label="Mute">
      {muted === undefined ? null : (
        <>
          <p>
            Muted until <time dateTime={muted.muted_until}>{minuteOf(muted.muted_until)} UTC</time> by {muted.muted_by}:
            nobody is told of anything. What is still true then is told then.
          </p>
          <PostForm action={`${path}/unmute`} class="inline">
            <Button>Unmute now</Button>
          </PostForm>
        </>
      )}
      <details class="part">
        <summary>{muted === undefined ? 'Mute' : 'Mute for another time'}</summary>
        <PostForm action={`${path}/mute`}>
          <div class="field">
            <label for="mute-for">For how long</label>
            <select id="mute-for" name="for">
              {Object.entries(MUTE_CHOICES).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="mute-until">Date and time (UTC)</label>
            <p class="hint" id="mute-until-hint">
              Only for "{MUTE_CHOICES.date}", at most {MOST_DAYS} days from now.
            </p>
            <input type="datetime-local" id="mute-until" name="until" aria-describedby="mute-until-hint" />
          </div>
          <Button>Mute</Button>
        </PostForm>
      </details>
    </section>
  )
}

export async function muteOne(context: MemberContext, what: Pick<Muteable, 'kind' | 'guid'>): Promise<RedirectAnswer> {
  const { deps, org, viewer, form, returnPath } = context
  const until = muteEnd(form.text('for'), form.text('until'), deps.clock.now())
  await mute(deps, { org_id: org.org_id, ...what }, until, viewer)
  return redirect(
    returnPath(form.text('to')) ?? `/${what.kind}s/${what.guid}`,
    `Muted until ${minuteOf(until.toISOString())} UTC.`,
  )
}

export async function unmuteOne(
  { deps, org, viewer, form, returnPath }: MemberContext,
  what: Pick<Muteable, 'kind' | 'guid'>,
): Promise<RedirectAnswer> {
  const isChanged = await unmute(deps, { org_id: org.org_id, ...what }, viewer)
  const to = returnPath(form.text('to')) ?? `/${what.kind}s/${what.guid}`
  return redirect(to, isChanged ? 'It is muted no more.' : 'It was not muted.')
}

/** No date at all, which is refused, for anything that the form does not offer. */
export function muteEnd(choice: string, date: string, now: Date): Date {
  if (choice === '1h') return new Date(now.getTime() + HOUR_MS)
  if (choice === '4h') return new Date(now.getTime() + 4 * HOUR_MS)
  if (choice === 'tomorrow') return new Date((Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS + MORNING_MS)
  return choice === 'date' && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(date) ? new Date(`${date}Z`) : new Date(NaN)
}

function minuteOf(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ')
}
