// Serves metrics for Prometheus on loopback: kinds and counts, and nothing about any check.
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Functions that read the gauges on request. */
export interface Readings {
  in_flight: () => number
  checks: () => number
  buffered: () => number
  buffered_bytes: () => number
  /** Returns the seconds since the last response to a sync. */
  sync_age: () => number
  full_sync_age: () => number
  clock_ahead: () => number
  clock_age: () => number
  in_outage: () => number
  cannot_resolve: () => number
  held_back: () => number
  set_aside: () => number
  /** Returns the seconds since the server began to refuse the API key. */
  key_refused: () => number
}

const HELP: Record<keyof Readings, string> = {
  in_flight: 'Runs in progress',
  checks: 'Checks in the schedule',
  buffered: 'Results waiting to be uploaded',
  buffered_bytes: 'Bytes of results on disk',
  sync_age: 'Seconds since the last response to a sync',
  full_sync_age: 'Seconds since the last full sync',
  clock_ahead: "Seconds by which the server's clock is ahead of this machine's clock",
  clock_age: 'Seconds since the server last reported its time',
  in_outage: '1 while this machine can reach none of its reference hosts',
  cannot_resolve: '1 while this machine cannot resolve names',
  held_back: 'Results that the server cannot store yet and that will be sent again; also counted as buffered',
  set_aside: 'Results that the server rejected and that will be offered again later',
  key_refused: 'Seconds since the server began to reject the API key; 0 while it accepts the key',
}

export class Metrics {
  readonly registry = new Registry()
  readonly started = this.#counter('starts_total', 'Runs started')
  readonly ran = this.#counter('results_total', 'Runs by outcome', 'kind')
  readonly rerun = this.#counter('lag_reruns_total', 'Runs repeated because the agent itself was stalled')
  readonly retried = this.#counter('retries_total', 'Runs repeated because the target had failed')
  readonly clockSet = this.#counter(
    'clock_steps_total',
    'Times the clock was stepped instead of adjusted gradually',
    'direction',
  )
  readonly clockDoubted = this.#counter(
    'clock_doubts_total',
    'Responses whose time was too far off to be trusted without confirmation',
  )
  readonly skipped = this.#counter('slots_skipped_total', 'Turns skipped', 'why')
  readonly dropped = this.#counter('results_dropped_total', 'Results dropped', 'why')
  readonly uploads = this.#counter('uploads_total', 'Upload requests by their outcome', 'outcome')
  readonly uploaded = this.#counter('results_uploaded_total', 'Results accepted by the server')
  readonly late = this.#histogram(
    'start_delay_seconds',
    'Delay between the start of a slot and the start of its run, in seconds',
    [],
  )
  readonly phases = this.#histogram('phase_seconds', 'Duration of each phase of a run, in seconds', ['phase'])

  /** Adds the gauges, and Node's own metrics of this process. Node's metrics wake the process a hundred times a second. */
  observe(readings: Readings): void {
    collectDefaultMetrics({ register: this.registry, prefix: 'dogwatch_agent_' })
    for (const [name, read] of Object.entries(readings) as [keyof Readings, () => number][]) {
      const registers = [this.registry]
      new Gauge({ name: `dogwatch_agent_${name}`, help: HELP[name], registers, collect: setFrom(read) })
    }
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name: `dogwatch_agent_${name}`, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    return new Histogram({ name: `dogwatch_agent_${name}`, help, labelNames, buckets, registers: [this.registry] })
  }
}

function setFrom(read: () => number): (this: Gauge) => void {
  return function () {
    this.set(read())
  }
}

/** Serves GET /metrics on loopback. */
export function serveMetrics(metrics: Metrics, port: number): Promise<Server> {
  const server = createServer(async (req, res) => {
    if (req.url !== '/metrics') return res.writeHead(404).end()
    const body = await metrics.registry.metrics()
    return res.writeHead(200, { 'content-type': metrics.registry.contentType }).end(body)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server.unref()))
  })
}
