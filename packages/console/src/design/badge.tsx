// Renders badges. States differ by icon and word as well as by colour.
import { Icon, type IconName } from './icons.tsx'

export type Tone = 'good' | 'bad' | 'warn' | 'idle'

const STATES = {
  up: ['circle-check', 'Up', 'good'],
  online: ['circle-check', 'Online', 'good'],
  down: ['circle-x', 'Down', 'bad'],
  offline: ['circle-x', 'Offline', 'bad'],
  failing: ['triangle-alert', 'Failing', 'warn'],
  degraded: ['activity', 'Degraded', 'warn'],
  late: ['clock-alert', 'Late', 'warn'],
  unmonitored: ['eye-off', 'Not monitored', 'warn'],
  unknown: ['circle-dashed', 'No data', 'idle'],
  new: ['circle-dashed', 'New', 'idle'],
  maintenance: ['wrench', 'Maintenance', 'warn'],
  paused: ['circle-pause', 'Paused', 'idle'],
  disabled: ['ban', 'Disabled', 'idle'],
  reset: ['rotate-ccw', 'Reset', 'warn'],
  unseen: ['circle-dashed', 'Never seen', 'idle'],
} as const satisfies Record<string, readonly [icon: IconName, word: string, tone: Tone]>

export type State = keyof typeof STATES
export const STATE_NAMES = Object.keys(STATES) as State[]

/** Returns the word that all pages use for a state, such as `Down`. */
export function stateWord(state: State): string {
  return STATES[state][1]
}

/** Renders a state in a table or a sentence. */
export function StateMark({ state }: { state: State }) {
  const [icon, word, tone] = STATES[state]
  return <Mood tone={tone} icon={icon} text={word} />
}

/** Renders a state beside a heading. */
export function StateBadge({ state }: { state: State }) {
  const [icon, word, tone] = STATES[state]
  return <Badge tone={tone} icon={icon} text={word} />
}

interface BadgeProps {
  tone?: Tone
  icon?: IconName
  text: string
}

export function Badge({ tone = 'idle', icon, text }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {icon === undefined ? null : <Icon name={icon} />}
      {text}
    </span>
  )
}

/** Renders a word with an icon and a colour, for outcomes that are not states: `Delivered`, `Failed`. */
export function Mood({ tone, icon, text }: BadgeProps & { tone: Tone; icon: IconName }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} />
      {text}
    </span>
  )
}

/** Renders whether something succeeds, in two words: the one for success and the one for failure. */
export function Outcome({ isGood, words }: { isGood: boolean; words: readonly [good: string, bad: string] }) {
  return (
    <Mood tone={isGood ? 'good' : 'bad'} icon={isGood ? 'circle-check' : 'circle-x'} text={words[isGood ? 0 : 1]} />
  )
}
