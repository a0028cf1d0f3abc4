// Defines what the form of a check is made of.
import type { AskedRun } from '@dogwatch/domain/checks/ask-run'
import type { readMonitorOptions } from '@dogwatch/domain/checks/inspect'
import type { readOtherChecks } from '@dogwatch/domain/checks/read'
import type { SuggestedMember } from '@dogwatch/domain/judged/members'
import type { OrgSettings } from '@dogwatch/domain/organisations/entitlements'
import type { FormFault } from '../../refusal.ts'
import type { CheckDraft } from './draft.ts'

/** Data that every form shows, whatever its values are. */
export interface CheckFormData {
  options: Awaited<ReturnType<typeof readMonitorOptions>>
  settings: OrgSettings
  /** Checks that this one can depend on. */
  others: Awaited<ReturnType<typeof readOtherChecks>>
  /** Names that can be members of a composite check. */
  members: readonly SuggestedMember[]
}

export interface CheckFormShape {
  title: string
  action: string
  button: string
  draft: CheckDraft
  /** Whether the form may make the definition private. An existing check has a page of its own for that. */
  mayBePrivate: boolean
  faults?: readonly FormFault[]
  /** Outcome of the test of the definition. */
  tested?: AskedRun
  /** ID of the monitor for the test. Empty for any. */
  test_from?: string
}

export interface CheckFormProps
  extends Omit<CheckFormShape, 'faults'>,
    Pick<CheckFormData, 'settings' | 'others' | 'members'> {
  faults: readonly FormFault[]
  options: CheckFormData['options']['options']
}
