// Renders acknowledgements and mutes beside the state of a check or heartbeat in a list.
import type { Care } from '../../domain/incidents/care.ts'
import { MutedUntil } from './muted.tsx'
import { Ago } from './time.tsx'

export function CareMarks({ care }: { care: Care | undefined }) {
  if (!care) return null
  const { acknowledged_at, acknowledged_by, muted_until, muted_by, until_resolved } = care
  return (
    <>
      {acknowledged_at === null ? null : (
        <span class="hint care-mark">
          Acknowledged by {acknowledged_by} · <Ago at={acknowledged_at} />
        </span>
      )}
      {muted_until === null ? null : (
        <span class="hint care-mark">
          Muted by {muted_by}
          <MutedUntil muted_until={muted_until} until_resolved={until_resolved} />
        </span>
      )}
    </>
  )
}
