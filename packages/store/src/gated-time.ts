// Marks times by which rows may be deleted for their age. Only the gate of deletions makes them, because deleted rows do not come
// back.

declare const gated: unique symbol

/** Time that the gate of deletions has approved. Statements that delete by age accept no other. */
export type GatedTime = string & { readonly [gated]: true }

/** Marks a time that the gate has checked. Only `domain/retention` may call it. */
export function gatedTime(at: string): GatedTime {
  return at as GatedTime
}
