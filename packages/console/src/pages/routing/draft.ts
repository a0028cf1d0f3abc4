// Converts a route to and from the fields of its form.
import { readTagLine } from '@dogwatch/check-rules/tags'
import { DomainError, FieldError } from '@dogwatch/domain/errors'
import type { EditedRoute } from '@dogwatch/domain/routing/edit'
import { GROUPS, type Group, SEVERITIES } from '@dogwatch/domain/routing/natures'
import type { AlertRoute, Quiet, RouteStep, Scope } from '@dogwatch/domain/routing/route'
import type { Form } from '../../form.ts'
import { duration, readDuration } from '../../parts/duration.ts'
import { in24Hours } from '../../parts/typed-time.ts'

export interface StepDraft {
  after: string
  channels: readonly string[]
  /** Channel of each week of a rotation. '' if no channel is chosen for a week. */
  weeks: readonly string[]
  starts_on: string
  at: string
}

/** Scope of a route or maintenance window, as fields. */
export interface ScopeDraft {
  scope: 'all' | 'tags' | 'chosen'
  tags: string
  /** Chosen subjects, as `check GUID` or `heartbeat GUID`. */
  chosen: readonly string[]
}

export interface Draft extends ScopeDraft {
  name: string
  enabled: boolean
  events: readonly string[]
  severity: string
  delay: string
  zone: string
  quiet_from: string
  quiet_to: string
  quiet_days: readonly string[]
  quiet_holds_down: boolean
  /** Steps, at their positions in the form. An empty step can precede others. */
  steps: readonly StepDraft[]
}

/** Maximum number of steps in a form. A step can have up to `MOST_WEEKS` weeks. */
export const MOST_STEPS = 10
export const MOST_WEEKS = 52

const BLANK_STEP: StepDraft = { after: '', channels: [], weeks: [], starts_on: '', at: '' }

export const BLANK: Draft = {
  name: '',
  enabled: true,
  scope: 'all',
  tags: '',
  chosen: [],
  events: [],
  severity: '',
  delay: '',
  zone: 'UTC',
  quiet_from: '',
  quiet_to: '',
  quiet_days: [],
  quiet_holds_down: false,
  steps: [],
}

/** Returns the steps of a draft, and an empty one to fill in. */
export function stepsShown({ steps }: Draft): readonly StepDraft[] {
  return steps.length < MOST_STEPS
    ? [...steps, ...(steps.length === 0 ? [BLANK_STEP] : []), BLANK_STEP].slice(0, MOST_STEPS)
    : steps
}

export function draftFrom(form: Form): Draft {
  return {
    ...form.texts(['name', 'severity', 'delay', 'zone', 'quiet_from', 'quiet_to']),
    ...scopeFrom(form),
    enabled: form.isOn('enabled'),
    events: form.all('events'),
    quiet_days: form.all('quiet_days'),
    quiet_holds_down: form.isOn('quiet_holds_down'),
    steps: stepsFrom(form),
  }
}

/** Reads all steps up to the last one that is filled in. */
function stepsFrom(form: Form): StepDraft[] {
  const steps = Array.from({ length: MOST_STEPS }, (_, n) => stepFrom(form, n))
  return steps.slice(0, steps.findLastIndex(isFilled) + 1)
}

export function scopeFrom(form: Form): ScopeDraft {
  const scope = form.text('scope').trim()
  return {
    scope: scope === 'tags' || scope === 'chosen' ? scope : 'all',
    tags: form.text('tags').trim(),
    chosen: form.all('chosen'),
  }
}

function stepFrom(form: Form, n: number): StepDraft {
  return {
    after: form.text(`step${n}-after`).trim(),
    channels: form.all(`step${n}-channels`),
    weeks: form.all(`step${n}-weeks`).slice(0, MOST_WEEKS),
    starts_on: form.text(`step${n}-starts_on`).trim(),
    at: form.text(`step${n}-at`).trim(),
  }
}

function isFilled({ after, channels, weeks }: StepDraft): boolean {
  return after !== '' || channels.length > 0 || weeks.some((week) => week !== '')
}

export function draftOf(route: AlertRoute): Draft {
  const { name, enabled, scope, events, severity, delay_sec, quiet, steps } = route
  const turns = steps.flatMap((step) => ('rotation' in step ? [step.rotation] : []))
  return {
    name,
    enabled,
    ...scopeDraft(scope),
    events,
    severity: severity ?? '',
    delay: delay_sec === 0 ? '' : duration(delay_sec),
    zone: quiet?.zone ?? turns[0]?.zone ?? 'UTC',
    quiet_from: quiet?.from ?? '',
    quiet_to: quiet?.to ?? '',
    quiet_days: (quiet?.days ?? []).map(String),
    quiet_holds_down: quiet?.holds_down === true,
    steps: steps.map(stepDraft),
  }
}

export function scopeDraft(scope: Scope): ScopeDraft {
  if ('all' in scope) return { scope: 'all', tags: '', chosen: [] }
  if ('tags' in scope) return { scope: 'tags', tags: scope.tags.join(', '), chosen: [] }
  const chosen = [
    ...scope.checks.map((guid) => `check ${guid}`),
    ...scope.heartbeats.map((guid) => `heartbeat ${guid}`),
  ]
  return { scope: 'chosen', tags: '', chosen }
}

function stepDraft(step: RouteStep): StepDraft {
  const after = step.after_sec === 0 ? '' : duration(step.after_sec)
  if (!('rotation' in step)) return { ...BLANK_STEP, after, channels: step.channel_ids.map(String) }
  const { channel_ids, starts_on, at } = step.rotation
  return { after, channels: [], weeks: channel_ids.map(String), starts_on, at }
}

/** Reads a route from the fields. The rules for routes apply only when it is saved. */
export function wantedOf(draft: Draft): EditedRoute {
  return {
    name: draft.name,
    enabled: draft.enabled,
    scope: scopeOf(draft),
    events: (Object.keys(GROUPS) as Group[]).filter((group) => draft.events.includes(group)),
    severity: SEVERITIES.find((severity) => severity === draft.severity) ?? null,
    quiet: quietOf(draft),
    delay_sec: readDuration('delay_sec', draft.delay),
    steps: stepsOf(draft),
  }
}

/** Returns the first step, and each later step that has a time. */
function stepsOf({ steps, zone }: Draft): RouteStep[] {
  const [first, ...others] = steps
  if (!first) return []
  if (!isFilled(first)) {
    throw new DomainError('invalid', 'choose a channel under “Step 1: notify first”, because the route has later steps')
  }
  return [
    stepOf(first, 0, zone),
    ...others.filter(({ after }) => after !== '').map((step) => stepOf(step, readDuration('steps', step.after), zone)),
  ]
}

/** Labels of the scopes, in the order of the form. */
export const SCOPE_WORDS = {
  all: 'Everything, including monitors',
  tags: 'Checks and heartbeats by tag',
  chosen: 'Selected checks and heartbeats',
} as const

/** Returns the selected scope. Refuses values that a person entered for another scope, because they would be lost. */
export function scopeOf({ scope, tags, chosen }: ScopeDraft): Scope {
  if (scope !== 'tags' && tags !== '') throw unused('tags', 'clear this field')
  if (scope !== 'chosen' && chosen.length > 0) throw unused('chosen', 'clear this selection')
  if (scope === 'all') return { all: true }
  if (scope === 'tags') return { tags: readTagLine(tags) }
  const of = (kind: string) => chosen.flatMap((one) => (one.startsWith(`${kind} `) ? [one.slice(kind.length + 1)] : []))
  return { checks: of('check'), heartbeats: of('heartbeat') }
}

function unused(field: 'tags' | 'chosen', otherwise: string): DomainError {
  const words = `only apply to the scope “${SCOPE_WORDS[field]}”. Choose that scope or ${otherwise}`
  return new FieldError('invalid', field, words)
}

function quietOf({ quiet_from, quiet_to, quiet_days, quiet_holds_down, zone }: Draft): Quiet | null {
  if (quiet_from === '' && quiet_to === '') return null
  const days = quiet_days.map(Number)
  return { from: in24Hours(quiet_from), to: in24Hours(quiet_to), days, zone, holds_down: quiet_holds_down }
}

function stepOf({ channels, weeks, starts_on, at }: StepDraft, after_sec: number, zone: string): RouteStep {
  const turns = weeks.filter((week) => week !== '')
  if (turns.length === 0) return { after_sec, channel_ids: channels.map(Number) }
  if (channels.length > 0) {
    throw new DomainError(
      'invalid',
      'a step can notify either a list of channels or a weekly rotation. Clear one of them',
    )
  }
  return {
    after_sec,
    rotation: { channel_ids: turns.map(Number), starts_on, at: at === '' ? '09:00' : in24Hours(at), zone },
  }
}
