// How the pages of checks write percentages, response times and states.
import type { VNode } from 'preact'
import { type Runs, uptime } from '../../../domain/results/uptime.ts'
import { unknownSec, type Watch } from '../../../domain/results/watched.ts'
import { span } from '../../parts/time.tsx'

/** `99.93 %`, and of how much time. Without results there is no percentage: nobody knows. */
export function Share({ runs, failures, watch }: Runs & { watch: Watch }): VNode {
  const share = uptime({ runs, failures })
  if (share === null) return <span title="no data">–</span>
  const unknown_sec = unknownSec(watch)
  const title = `${runs} ${runs === 1 ? 'run' : 'runs'}${unknown_sec > 0 ? `, unknown for ${span(unknown_sec)}` : ''}`
  return (
    <span title={title}>
      {percentText(share)} <small>of {span(watch.watched_sec)}</small>
    </span>
  )
}

export function percentText(share: number | null): string {
  return share === null ? '–' : `${share} %`
}

export function Latency({ latest }: { latest: { success: boolean; latency_ms: number } | undefined }): VNode {
  if (!latest) return <>–</>
  return latest.success ? <>{latest.latency_ms} ms</> : <span class="bad">failed</span>
}
