// Shows the alerts that a check would have caused in the last 30 days under other rules.

import { count, numberText } from '@dogwatch/channels/wording'
import { rowOf } from '@dogwatch/check-rules/fields'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { DAYS as PERIOD_DAYS, startOfPeriod } from '@dogwatch/domain/checks/chart-span'
import { readOneCheck } from '@dogwatch/domain/checks/read'
import {
  ALERT_FIELDS,
  alertFieldsOf,
  type ReplayOfCheck,
  type ReplayOutcome,
  replayCheck,
} from '@dogwatch/domain/checks/replay'
import { fromDate } from '@dogwatch/runtime/timestamps'
import type { VNode } from 'preact'
import { Table } from '../../design/table.tsx'
import type { Form } from '../../form.ts'
import { requireRoomToReplay } from '../../limits.ts'
import { Field, Tick } from '../../parts/field.tsx'
import { Ago } from '../../parts/time.tsx'
import { PostForm } from '../../post-form.tsx'
import { showAgain } from '../../refused-form.ts'
import { Link } from '../../rights.tsx'
import { type MemberContext, type PageAnswer, page } from '../../route.ts'

const DAYS = PERIOD_DAYS.month

/** Renders the form, and the outcome of a test. */
export async function replayPage({ deps, org, params }: MemberContext, outcome?: VNode): Promise<PageAnswer> {
  const check = await readOneCheck(deps, org.org_id, params.check ?? '')
  return page(
    `Test alert settings: ${check.name}`,
    <section class="narrow">
      <p>
        <Link href={`/checks/${check.guid}`}>{check.name}</Link>
      </p>
      <h1>Test alert settings</h1>
      <p>
        See how many alerts the settings below would have sent over the last {DAYS} days (UTC). The count takes routes,
        maintenance, mutes and dependencies into account. Nothing is saved, and no alerts are sent.
      </p>
      {outcome}
      <PostForm action={`/checks/${check.guid}/replay`}>
        {alertFieldsOf(check.url).map((field) => (
          <Input field={field} value={check[field]} />
        ))}
        <p class="actions">
          <button type="submit">Test settings</button>
          <Link class="button quiet" href={`/checks/${check.guid}/edit`}>
            Edit check
          </Link>
        </p>
      </PostForm>
    </section>,
  )
}

export async function replayOne(context: MemberContext): Promise<PageAnswer> {
  const { deps, org, params, form } = context
  const { guid, url } = await readOneCheck(deps, org.org_id, params.check ?? '')
  await requireRoomToReplay(context)
  const from = fromDate(startOfPeriod('month', deps.clock.now()))
  const replay = await replayCheck(deps, { guid, org_id: org.org_id }, { from }, rulesFrom(form))
  return showAgain(context, [], (again) => replayPage(again, <Outcome replay={replay} url={url} />))
}

/** Reads the rules. Texts that are not whole numbers stay unchanged, so that the domain refuses them and names the bounds. */
function rulesFrom(form: Form): object {
  return Object.fromEntries<unknown>(
    ALERT_FIELDS.map((field) => {
      const text = form.text(field).trim()
      if (rowOf(field).kind === 'yes-no') return [field, form.isOn(field)]
      return [field, /^\d{0,15}$/.test(text) ? Number(text) : text]
    }),
  )
}

function Input({ field, value }: { field: (typeof ALERT_FIELDS)[number]; value: number | boolean }) {
  const row = rowOf(field)
  const given = { name: field, label: row.label, hint: row.hint }
  if (typeof value === 'boolean') return <Tick {...given} checked={value} />
  const bounds = row.kind === 'whole' ? { min: row.min, max: row.max } : {}
  return <Field {...given} {...bounds} type="number" value={value || ''} />
}

const WORDS = {
  'check.down': 'down',
  'check.up': 'recovered',
  'check.reminder': 'reminders',
  'check.flapping': 'flapping',
  'check.settled': 'settled',
} as const

function Outcome({ replay: { given, present, results }, url }: { replay: ReplayOfCheck; url: string }) {
  const basis = isTargetOfServer(url) ? 'the states' : count(results, 'result')
  return (
    <section aria-labelledby="outcome">
      <h2 id="outcome">
        {count(given.told, 'alert')} with the tested settings, {count(present.told, 'alert')} with the current settings
      </h2>
      <p>
        Based on {basis} from the last {DAYS} days. Tested settings: {countsOf(given)}. Current settings:{' '}
        {countsOf(present)}.
      </p>
      {given.channels.length === 0 ? null : (
        <Table
          caption="Alerts by channel"
          columns={['Channel', 'Tested settings', 'Current settings']}
          name="Channel"
          numbers={['Tested settings', 'Current settings']}
          rows={given.channels.map(({ id, name, told }) => {
            const before = present.channels.find((channel) => channel.id === id)?.told ?? 0
            return [id, <Link href={`/channels/${id}`}>{name}</Link>, told, before]
          })}
        />
      )}
      {given.newest.length === 0 ? null : (
        <details>
          <summary>Latest alerts with the tested settings</summary>
          <ul>
            {given.newest.toReversed().map(({ at, type }) => (
              <li>
                {WORDS[type]}, <Ago at={at} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function countsOf({ counts }: ReplayOutcome): string {
  const parts = Object.entries(WORDS).flatMap(([type, word]) => {
    const told = counts[type as keyof typeof WORDS] ?? 0
    return told === 0 ? [] : [`${numberText(told)} ${word}`]
  })
  return parts.length === 0 ? 'none' : parts.join(', ')
}
