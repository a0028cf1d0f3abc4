// Builds the audit records of items that can be switched off: channels and heartbeats.
import type { AuditRecord } from './record.ts'
import type { AuditAction } from './sentences.ts'

/** Audit actions for one kind of item. */
export interface SwitchActions {
  create: AuditAction
  edit: AuditAction
  on: AuditAction
  off: AuditAction
}

/** An item after a change, by its name and whether it is enabled. */
interface SwitchedItem {
  name: string
  enabled: boolean
}

/** Returns the audit records of created items. Items can be created switched off. */
export function recordsOfCreated(
  org_id: number,
  actions: SwitchActions,
  items: readonly (SwitchedItem & Pick<AuditRecord, 'detail'>)[],
): AuditRecord[] {
  return items.flatMap(({ name, enabled, detail }) => [
    { org_id, action: actions.create, subject: name, ...(detail && { detail }) },
    ...(enabled ? [] : [{ org_id, action: actions.off, subject: name }]),
  ])
}

/** An edited item. `changed`: changed fields, without `enabled`. */
export interface EditedItem extends SwitchedItem {
  held: SwitchedItem
  changed: readonly string[]
  /** Further details of the edit. */
  more?: Record<string, unknown>
}

/** Returns the audit records of items that were edited, switched on or off, both or neither. */
export function recordsOfEdited(org_id: number, actions: SwitchActions, items: readonly EditedItem[]): AuditRecord[] {
  return items.flatMap(({ name, enabled, held, changed, more }) => [
    ...(changed.length > 0 ? [{ org_id, action: actions.edit, subject: held.name, detail: { changed, ...more } }] : []),
    ...(enabled === held.enabled ? [] : [{ org_id, action: enabled ? actions.on : actions.off, subject: name }]),
  ])
}
