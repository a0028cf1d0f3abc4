// Collects metrics for Prometheus: kinds and counts. No label contains text that a client chose, or data of an
// organisation.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

const PREFIX = 'dogwatch_'
const REQUEST_SEC = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const CHORE_SEC = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300]

/** Help texts of metrics that are read at each scrape, by name without the prefix. */
export type Help<Name extends string> = Readonly<Record<Name, string>>

export class Metrics {
  readonly registry = new Registry()
  readonly requests = this.#counter('http_requests_total', 'Requests answered', [
    'surface',
    'route',
    'method',
    'status',
  ] as const)
  readonly request_duration = this.#histogram(
    'http_request_duration_seconds',
    'Seconds from the head of a request to the end of its response',
    ['surface', 'route', 'method'] as const,
    REQUEST_SEC,
  )
  readonly shed = this.#counter('shed_requests_total', 'Requests refused because the server was overloaded', [
    'part',
  ] as const)
  readonly dropped = this.#counter(
    'connections_dropped_total',
    'Connections closed on arrival because there were too many, in all or from one address',
    [],
  )
  readonly limited = this.#counter('limited_total', 'Requests refused by a rate limit', ['limit'] as const)
  readonly batches = this.#counter('ingest_batches_total', 'Batches of results stored', [])
  readonly results = this.#counter('ingest_results_total', 'Results by outcome', ['outcome'] as const)
  readonly deliveries = this.#counter('deliveries_total', 'Delivery attempts by outcome', ['kind', 'outcome'] as const)
  readonly sealed_hours = this.#counter('sealed_hours_total', 'Check hours sealed into one row', [])
  readonly merged_hours = this.#counter(
    'merged_hours_total',
    'Sealed check hours that late results were merged into',
    [],
  )
  readonly chore_duration = this.#histogram(
    'chore_duration_seconds',
    'Duration of a run of a chore, in seconds',
    ['chore'] as const,
    CHORE_SEC,
  )
  readonly chore_failures = this.#counter('chore_failures_total', 'Failed runs of a chore', ['chore'] as const)
  readonly chore_success = new Gauge({
    name: `${PREFIX}chore_last_success_timestamp_seconds`,
    help: 'Unix time of the last successful run of a chore, or of the start of the process before the first',
    labelNames: ['chore'] as const,
    registers: [this.registry],
  })

  /** Adds Node's own metrics of the process. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.registry })
  }

  /** Adds a metric with the build and the role of this process. Its value is always 1. */
  tellBuild(build: { version: string; role: string }): void {
    const gauge = new Gauge({
      name: `${PREFIX}build_info`,
      help: 'Build and role of this process',
      labelNames: ['version', 'role'] as const,
      registers: [this.registry],
    })
    gauge.set(build, 1)
  }

  /** Adds a metric that is read at each scrape. */
  observeOne(name: string, help: string, read: () => number): void {
    new Gauge({
      name: PREFIX + name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }

  /**
   * Adds one metric whose values are read at each scrape, by the values of `label`. Omits label values of an earlier scrape that
   * have no value now.
   */
  observe(
    name: string,
    help: string,
    label: string,
    read: () => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>,
  ): void {
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: [label],
      registers: [this.registry],
      async collect() {
        const now = await read()
        this.reset()
        for (const [value, number] of Object.entries(now)) this.set({ [label]: value }, number)
      },
    })
  }

  /**
   * Adds metrics whose values are read together. Omits metrics whose value is null. If reading fails, omits all of them and sets
   * `scrape_failed` to 1; other metrics are unaffected.
   */
  observeAll<Name extends string>(help: Help<Name>, read: () => Promise<Readonly<Record<Name, number | null>>>): void {
    const gauge = (name: string, text: string, number: () => Promise<number | null>): void => {
      new Gauge({
        name: PREFIX + name,
        help: text,
        registers: [this.registry],
        async collect() {
          const now = await number()
          if (now === null) this.remove()
          else this.set(now)
        },
      })
    }
    const failed = () =>
      read().then(
        () => 0,
        () => 1,
      )
    gauge('scrape_failed', '1 when the metrics from the database could not be read', failed)
    for (const [name, text] of Object.entries(help) as [Name, string][]) {
      const number = () =>
        read().then(
          (all) => all[name],
          () => null,
        )
      gauge(name, text, number)
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] })
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers: [this.registry] })
  }
}
