// Marks times for deleting older rows. Only the gate of deletions makes such times, because deleted rows cannot be
// restored.

declare const gated: unique symbol

/** Time that the gate of deletions has approved. Statements that delete rows by age accept no other times. */
export type GatedTime = string & { readonly [gated]: true }

/** Marks a time that the gate of deletions has approved. Only `domain/retention` may call this function. */
export function gatedTime(at: string): GatedTime {
  return at as GatedTime
}
