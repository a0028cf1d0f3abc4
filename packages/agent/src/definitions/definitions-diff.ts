// Compares a file of private definitions with the checks that wait for one.
import type { Check } from '@dogwatch/monitor-sdk'
import { type Definitions, isBlank } from './private-definitions.ts'

export interface DefinitionsDiff {
  /** Checks without content, here and on the server. They do not run. */
  waiting: string[]
  /** Definitions of checks that this monitor does not have. */
  unmatched: string[]
  /** Definitions of checks whose content the server has; the server's content is used. */
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
