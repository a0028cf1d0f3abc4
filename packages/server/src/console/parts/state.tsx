// States, which differ by shape and word as well as by colour.
import type { VNode } from 'preact'

export type State =
  | 'up'
  | 'down'
  | 'degraded'
  | 'maintenance'
  | 'paused'
  | 'unknown'
  | 'new'
  | 'offline'
  | 'online'
  | 'unmonitored'
  | 'disabled'
  | 'reset'
  | 'unseen'

const SHAPES: Readonly<Record<State, readonly [shape: string, word: string, tone: string]>> = {
  up: ['●', 'Up', 'good'],
  online: ['●', 'Online', 'good'],
  down: ['▼', 'Down', 'bad'],
  offline: ['▼', 'Offline', 'bad'],
  degraded: ['◆', 'Degraded', 'warn'],
  unmonitored: ['◌', 'Not monitored', 'warn'],
  unknown: ['◌', 'No data', 'idle'],
  new: ['◌', 'New', 'idle'],
  maintenance: ['◇', 'Under maintenance', 'warn'],
  paused: ['❚❚', 'Paused', 'idle'],
  disabled: ['❚❚', 'Disabled', 'idle'],
  reset: ['↺', 'Reset', 'warn'],
  unseen: ['◌', 'Never seen', 'idle'],
}

export function StateMark({ state }: { state: State }): VNode {
  const [shape, word, tone] = SHAPES[state]
  return (
    <span class={`state ${tone}`}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  )
}
