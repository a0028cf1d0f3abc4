// Metrics for Prometheus, on loopback: kinds and counts, and nothing about any check.
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Gauges that are read when they are asked for. */
export interface Readings {
  in_flight: () => number
  checks: () => number
  buffered: () => number
  buffered_bytes: () => number
  /** Seconds since the last answer to a sync, and since the last full one. */
  sync_age: () => number
  full_sync_age: () => number
  clock_ahead: () => number
  clock_age: () => number
  in_outage: () => number
  cannot_resolve: () => number
  held_back: () => number
  set_aside: () => number
  /** Seconds since the server began to refuse the API key. */
  key_refused: () => number
}

const HELP: Record<keyof Readings, string> = {
  in_flight: 'Runs under way',
  checks: 'Checks in the schedule',
  buffered: 'Results that wait to be uploaded',
  buffered_bytes: 'Bytes of the results on disk',
  sync_age: 'Seconds since the last answer to a sync',
  full_sync_age: 'Seconds since the last full sync',
  clock_ahead: 'Seconds by which the server is ahead of the clock of this machine',
  clock_age: 'Seconds since the server last told the time',
  in_outage: '1 while this machine reaches none of its references',
  cannot_resolve: '1 while this machine cannot resolve names',
  held_back: 'Results that the server could not store for now, which are sent again: they count as buffered, too',
  set_aside: 'Results that the server would not take, which are offered again later',
  key_refused: 'Seconds since the server began to refuse the API key; 0 while it takes it',
}

export class Metrics {
  readonly registry = new Registry()
  readonly started = this.#counter('starts_total', 'Runs started')
  readonly ran = this.#counter('results_total', 'Runs by what they came to', 'kind')
  readonly rerun = this.#counter('lag_reruns_total', 'Runs repeated because the agent itself had stood still')
  readonly retried = this.#counter('retries_total', 'Runs repeated because the target had failed')
  readonly clockSet = this.#counter('clock_steps_total', 'Times the clock was set, not eased', 'direction')
  readonly clockDoubted = this.#counter('clock_doubts_total', 'Answers whose time was too far off to be believed alone')
  readonly skipped = this.#counter('slots_skipped_total', 'Turns let pass', 'why')
  readonly dropped = this.#counter('results_dropped_total', 'Results given up', 'why')
  readonly uploads = this.#counter('uploads_total', 'Upload requests by their outcome', 'outcome')
  readonly uploaded = this.#counter('results_uploaded_total', 'Results that the server has taken')
  readonly late = this.#histogram('start_delay_seconds', 'How long after its slot began a run started', [])
  readonly phases = this.#histogram('phase_seconds', 'Parts of a run', ['phase'])

  /** Adds what is read, and what Node knows of its process: that wakes the process a hundred times a second. */
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

/** Answers GET /metrics on loopback. */
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
