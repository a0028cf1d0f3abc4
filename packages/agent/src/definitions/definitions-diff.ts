// Compares a file of private definitions with the checks that wait for one.
import type { Check } from '@dogwatch/monitor-sdk'
import { type Definitions, isBlank } from './private-definitions.ts'

export interface DefinitionsDiff {
  /** Guids of checks whose definition neither this machine nor the server has. These checks do not run. */
  waiting: string[]
  /** Guids in the file that belong to no check of this monitor. */
  unmatched: string[]
  /** Guids in the file whose definition the server has, too. The agent uses the server's definition. */
  not_private: string[]
}

export function diffDefinitions(checks: readonly Check[], definitions: Definitions): DefinitionsDiff {
  const held = new Map(checks.map((check) => [check.guid, check]))
  const defined = [...definitions.keys()]
  return {
    waiting: checks.filter((check) => isBlank(check) && !definitions.has(check.guid)).map(({ guid }) => guid),
    unmatched: defined.filter((guid) => !held.has(guid)),
    not_private: defined.filter((guid) => !isBlank(held.get(guid) ?? { url: '' })),
  }
}
