// Tries hostile values at each place of the operations of a document, and collects what is wrong with the answers.
import { expect } from '@jest/globals'
import type { Sample } from '../../../api/test/config-api/samples.ts'
import {
  admitsNumber,
  hostileJson,
  hostileTexts,
  placesIn,
  type Schema,
  valueAt,
  withJsonAt,
} from '../../../api/test/support/hostile-values.ts'
import { UNCOMPRESSED } from '../../../api/test/support/raw-http.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: Schema
}

export interface Operation {
  id: string
  method: string
  path: string
  parameters: readonly Parameter[]
  body: Schema | undefined
}

export interface OperationTrial {
  operation: Operation
  bearer: string
  /** Makes a request that succeeds. It is asked again once that request may have used up what it is about. */
  sample(): Promise<Sample>
  /** Whether the bodies are judged by rules that another operation tries in full. */
  isBrief?: boolean
}

interface Attempt {
  /** Where the value is: `query limit`, `body steps [] after_sec`. */
  where: string
  name: string
  value: string
  schema: Schema
  isNumber: boolean
  request(sample: Sample): Sent
}

interface Sent {
  path?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, string>> | undefined
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
}

interface Answer {
  status: number
  text: string
}

export class HostileTrial {
  readonly #base: string
  readonly #state: () => Promise<string>
  readonly #faults: string[] = []
  readonly #statuses = new Map<number, number>()

  /** @param state sums up everything that requests may change. */
  constructor(url: string, prefix: string, state: () => Promise<string>) {
    this.#base = `${url}${prefix}`
    this.#state = state
  }

  /** Fails if there was a fault, or if none of the answers had one of these statuses. */
  expectNoFault(least: readonly number[]): void {
    expect(this.#faults).toEqual([])
    expect([...this.#statuses.keys()]).toEqual(expect.arrayContaining([...least]))
  }

  async run(trial: OperationTrial): Promise<void> {
    let sample = await trial.sample()
    /** The state after the last attempts, if they changed nothing. */
    let known: string | undefined
    for (const attempts of [...attemptsAtParameters(trial), ...attemptsAtBody(trial)]) {
      const before = known ?? (await this.#state())
      let isChanged = false
      for (const attempt of attempts) {
        const answer = await this.#send(trial, { ...plain(sample), ...attempt.request(sample) })
        this.#judge(trial.operation, attempt, answer)
        if (answer.status >= 300) continue
        isChanged = true
        if (answer.status === 201) await this.#remove(trial, sample, answer.text)
        if (usesUp(trial.operation)) sample = await trial.sample()
      }
      known = isChanged ? undefined : await this.#state()
      const { id } = trial.operation
      if (!isChanged && known !== before)
        this.#faults.push(`${id} ${attempts[0]?.where}: refused, and something changed`)
    }
  }

  #judge({ id }: Operation, { where, name, value, schema, isNumber }: Attempt, { status, text }: Answer): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    const wrong = [
      ...(status >= 500 ? ['5xx'] : []),
      ...(status >= 400 && (text === '' || text.includes('\n')) ? ['no line'] : []),
      ...(status === 400 && !where.startsWith('path ') && !namesFault(schema, name, text)
        ? ['does not name the field']
        : []),
      ...(status < 300 && isNumber ? skippedBound(where, value, schema, text) : []),
    ]
    const what = `${id} ${where} = ${value.slice(0, 60)}`
    this.#faults.push(...wrong.map((why) => `${what}: ${why}: ${status} ${text.slice(0, 120)}`))
  }

  async #send({ operation: { method, path }, bearer }: OperationTrial, sent: Sent): Promise<Answer> {
    const filled = Object.entries(sent.path ?? {}).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
      path,
    )
    const query = new URLSearchParams(sent.query).toString()
    const response = await fetch(`${this.#base}${filled}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        ...UNCOMPRESSED,
        ...sent.headers,
      },
      ...(sent.body !== undefined && { body: sent.body }),
    })
    return { status: response.status, text: await response.text() }
  }

  /** Deletes what was created: a plan allows only so many. */
  async #remove(trial: OperationTrial, { path }: Sample, text: string): Promise<void> {
    const { guid, id } = JSON.parse(text) as { guid?: string; id?: string | number }
    const name = guid ?? id
    if (name === undefined) return
    const operation = { ...trial.operation, method: 'DELETE', path: `${trial.operation.path}/{id}` }
    const { status } = await this.#send({ ...trial, operation }, { path: { ...path, id: String(name) } })
    if (status !== 200) this.#faults.push(`${trial.operation.id}: ${status} when it deletes ${text}`)
  }
}

function plain({ path, query, body }: Sample): Sent {
  return { path, query, body: body && JSON.stringify(body) }
}

function usesUp({ method, path }: Operation): boolean {
  return method === 'DELETE' || (method === 'POST' && path.includes('{'))
}

function attemptsAtParameters({ operation: { parameters } }: OperationTrial): Attempt[][] {
  return parameters.map(({ name, in: part, schema }) =>
    hostileTexts(schema, part)
      .filter((value) => part !== 'header' || /^[\x21-\x7e]+$/.test(value))
      .map((value) => ({
        where: `${part} ${name}`,
        ...{ name, value, schema, isNumber: schema.type === 'integer' },
        request: ({ path, query }) => {
          if (part === 'header') return { headers: { [name]: value } }
          return part === 'path' ? { path: { ...path, [name]: value } } : { query: { ...query, [name]: value } }
        },
      })),
  )
}

function attemptsAtBody({ operation, isBrief = false }: OperationTrial): Attempt[][] {
  return placesIn(operation.body).map(({ path, schema }) => {
    const at = path.map((name) => (name === '{}' ? 'constructor' : name))
    return hostileJson(schema, isBrief).map((value) => ({
      where: ['body', ...at].join(' '),
      name: at.findLast((name) => name !== '[]') ?? '',
      ...{ value, schema, isNumber: (schema.type === 'integer' || schema.type === 'number') && !value.startsWith('"') },
      request: ({ body }) => ({ body: withJsonAt(body, at, value) }),
    }))
  })
}

/** Tests whether a refusal names the value that it is about. Where the document has only a text, another field may be refused first. */
function namesFault({ type, format, enum: words }: Schema, name: string, text: string): boolean {
  const isExact = type === 'integer' || type === 'number' || format === 'date-time' || words !== undefined
  return isExact ? text.includes(name) : /^[\w.[\]-]+ /.test(text)
}

/** Lists how an answer ignores the bounds of a number that it accepted. */
function skippedBound(where: string, value: string, schema: Schema, text: string): string[] {
  const number = Number(value)
  if (!admitsNumber(schema, number)) return ['bound skipped']
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  if (where === 'query limit') {
    const rows = Object.values(body as object).map((one) => (Array.isArray(one) ? one.length : 0))
    return Math.max(0, ...rows) > number ? ['more rows than the limit'] : []
  }
  if (!where.startsWith('body ')) return []
  const held = valueAt(body, where.split(' ').slice(1))
  return held === undefined || held === number ? [] : [`stored ${JSON.stringify(held)}`]
}
