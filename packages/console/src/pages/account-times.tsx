// Lets a person choose how they read times, in a section of their account page.

import type { Viewer } from '@dogwatch/domain/people/sessions'
import { chooseTimes } from '@dogwatch/domain/people/times'
import { Card } from '../design/layout.tsx'
import { Choice, ZoneChoice } from '../parts/field.tsx'
import { PostForm } from '../post-form.tsx'
import { type PersonContext, post, type RedirectAnswer, type Route, redirect } from '../route.ts'

export function TimesForm({ viewer: { time_zone, hour_clock } }: { viewer: Viewer }) {
  return (
    <Card title="Date and time">
      <PostForm action="/account/times">
        <ZoneChoice
          name="time_zone"
          value={time_zone ?? ''}
          empty="Same as browser"
          hint="Used on every page. Maintenance windows and quiet hours keep their own time zones."
        />
        <Choice
          name="hour_clock"
          label="Time format"
          value={String(hour_clock ?? '')}
          options={[
            ['', 'Same as browser'],
            ['24', '24-hour (14:03)'],
            ['12', '12-hour (2:03 pm)'],
          ]}
        />
        <button type="submit">Save changes</button>
      </PostForm>
    </Card>
  )
}

async function saveTimes({ deps, viewer, form }: PersonContext): Promise<RedirectAnswer> {
  const hours = form.integer('hour_clock')
  const time_zone = form.text('time_zone').trim()
  await chooseTimes(deps, viewer, {
    time_zone: time_zone === '' ? null : time_zone,
    hour_clock: hours === 0 ? null : hours,
  })
  return redirect('/account', 'Date and time settings saved.')
}

export const ACCOUNT_TIMES_ROUTES: readonly Route[] = [post('/account/times', 'person', saveTimes)]
