// Which checks wait for a private definition, and which definitions no check asks for.
import type { Check } from '@dogwatch/monitor-sdk'
import { type Definitions, isBlank } from './private-definitions.ts'

export interface DefinitionsDiff {
  /** Checks without content, on the server and here. They are not run. */
  waiting: string[]
  /** Definitions of checks that this monitor does not have. */
  unmatched: string[]
  /** Definitions of checks whose content the server has; the server's is run. */
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
