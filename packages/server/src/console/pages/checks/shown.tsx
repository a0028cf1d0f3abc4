// How shares, latencies and states of checks are written on their pages.
import type { VNode } from 'preact'
import { type Runs, uptime } from '../../../domain/results/uptime.ts'

/** `99.93 %`, and of how many runs. Without runs there is no share. */
export function Share({ runs, failures }: Runs): VNode {
  const share = uptime({ runs, failures })
  if (share === null) return <span title="no data">–</span>
  return (
    <>
      {percentText(share)} <small>of {runs}</small>
    </>
  )
}

export function percentText(share: number | null): string {
  return share === null ? '–' : `${share} %`
}

export function Latency({ latest }: { latest: { success: boolean; latency_ms: number } | undefined }): VNode {
  if (!latest) return <>–</>
  return latest.success ? <>{latest.latency_ms} ms</> : <span class="bad">✕ failed</span>
}
