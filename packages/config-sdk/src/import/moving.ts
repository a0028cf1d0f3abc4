// What is made of another tool's configuration: things under keys, the secrets that they need, and who is told of what.
import { faultsOfDefinition, faultsOfValue } from '@dogwatch/check-rules/definition'
import { isField } from '@dogwatch/check-rules/fields'
import type {
  ConfigFile,
  FileChannel,
  FileCheck,
  FileHeartbeat,
  FileStatusPage,
  FileWindow,
  Section,
} from '../file/format.ts'
import { type Audit, type Fields, impossible, isFields } from './audit.ts'
import { Keys, tagFrom, variableFrom } from './names.ts'
import { type Alerts, routesOf } from './routes.ts'

/** A value that stands in no file: what to set, and where it stood. */
export interface Secret {
  /** Of the environment variable. */
  name: string
  /** What it is and where it comes from. */
  from: string
  /** Undefined: the other tool takes it from its environment as well. */
  value: string | undefined
}

export interface Moved {
  file: ConfigFile
  audit: Audit
  secrets: readonly Secret[]
}

/** Of each: what is made, and what the other tool calls it. */
interface Made<Draft> {
  draft: Draft
  kind: string
  thing: string
}

const MOST_NAME = 200
const MOST_TAGS = 20
/** Stands for a secret while a value is checked: the rules know nothing of variables. */
const STAND_IN = 'x'

export class Moving {
  readonly audit: Audit
  readonly #keys = new Map<Section, Keys>()
  readonly #checks = new Map<string, Made<FileCheck>>()
  readonly #heartbeats = new Map<string, Made<FileHeartbeat>>()
  readonly #channels = new Map<string, FileChannel>()
  readonly #windows = new Map<string, FileWindow>()
  readonly #secrets = new Map<string, Secret>()
  /** Those that the other tool takes from its environment. */
  readonly #variables: string[] = []
  readonly #alerts: Alerts[] = []
  #page: FileStatusPage | undefined

  constructor(audit: Audit) {
    this.audit = audit
  }

  /** A key that nothing else of the section has. */
  key(section: Section, name: string): string {
    const keys = this.#keys.get(section) ?? new Keys()
    this.#keys.set(section, keys)
    return keys.take(name, section.replace(/s$/, ''))
  }

  /** A variable that the other tool takes from its environment. */
  variable(name: string): string {
    const written = `\${${name}}`
    if (!this.#secrets.has(name)) {
      this.#secrets.set(name, { name, from: 'a variable of the other tool', value: undefined })
      this.#variables.push(written)
    }
    return written
  }

  /** Keeps a value out of the file. The name is made of the parts; the same value under the same name is one secret. */
  secret(value: string, from: string, ...parts: readonly string[]): string {
    // What is secret of it is a variable already.
    if (this.#variables.some((written) => value.includes(written))) return value
    const wanted = variableFrom(...parts)
    let name = wanted
    for (let nth = 2; this.#secrets.has(name) && this.#secrets.get(name)?.value !== value; nth++)
      name = `${wanted}_${nth}`
    this.#secrets.set(name, { name, from, value })
    return `\${${name}}`
  }

  check(key: string, draft: FileCheck, { kind, thing }: { kind: string; thing: string }): void {
    this.#checks.set(key, { draft, kind, thing })
  }

  heartbeat(key: string, draft: FileHeartbeat, { kind, thing }: { kind: string; thing: string }): void {
    this.#heartbeats.set(key, { draft, kind, thing })
  }

  channel(key: string, channel: FileChannel): void {
    this.#channels.set(key, channel)
  }

  window(key: string, window: FileWindow): void {
    this.#windows.set(key, window)
  }

  statusPage(page: FileStatusPage): void {
    this.#page = page
  }

  hasStatusPage(): boolean {
    return this.#page !== undefined
  }

  /** Says which channels a check or heartbeat tells. One that is never said tells none. */
  tells(alerts: Alerts): void {
    this.#alerts.push(alerts)
  }

  finish(): Moved {
    for (const [key, made] of this.#checks) this.#settleCheck(key, made)
    for (const [, made] of this.#heartbeats) settleCommon(made.draft, made, this.audit)
    const file: ConfigFile = { version: 1 }
    const checks = draftsOf(this.#checks)
    const heartbeats = draftsOf(this.#heartbeats)
    const known = { checks, heartbeats, channels: this.#channels }
    const routes = routesOf(this.#alerts, known, this.audit)
    if (this.#channels.size > 0) file.channels = Object.fromEntries(this.#channels)
    if (checks.size > 0) file.checks = Object.fromEntries(checks)
    if (heartbeats.size > 0) file.heartbeats = Object.fromEntries(heartbeats)
    if (routes.length > 0) file.routes = Object.fromEntries(routes)
    if (this.#windows.size > 0) file.maintenance = Object.fromEntries(this.#windows)
    if (this.#page) file.status_page = this.#page
    return { file, audit: this.audit, secrets: [...this.#secrets.values()] }
  }

  /** Takes out what Dogwatch would refuse, and says so: a file that cannot be applied helps nobody. */
  #settleCheck(key: string, made: Made<FileCheck>): void {
    const { draft, kind, thing } = made
    settleCommon(draft, made, this.audit)
    const plain = this.#withoutSecrets(draft)
    const definition = faultsOfDefinition(plain)
    const others = Object.entries(plain).flatMap(([field, value]) =>
      isField(field) ? faultsOfValue(field, value) : [],
    )
    for (const { field, must } of [...definition, ...others]) {
      if (field === 'url') {
        if (this.#checks.delete(key)) this.audit.refuse(kind, thing, '', `its target ${must}`)
      } else if (Reflect.deleteProperty(draft, field) && plain[field] !== undefined) {
        Reflect.deleteProperty(plain, field)
        this.audit.say(kind, thing, field, impossible(`${field} ${must}`))
      }
    }
  }

  #withoutSecrets(draft: FileCheck): Record<string, unknown> {
    const plain = (text: string) =>
      text.replace(/\$\{([A-Za-z_]\w{0,300})\}/g, (found, name: string) => (this.#secrets.has(name) ? STAND_IN : found))
    const entries = Object.entries(draft as Fields).map(([field, value]): [string, unknown] => {
      if (typeof value === 'string') return [field, plain(value)]
      if (field !== 'headers' || !isFields(value)) return [field, value]
      return [field, Object.fromEntries(Object.entries(value).map(([name, text]) => [name, plain(String(text))]))]
    })
    return Object.fromEntries(entries)
  }
}

function draftsOf<Draft>(made: ReadonlyMap<string, Made<Draft>>): Map<string, Draft> {
  return new Map([...made].map(([key, { draft }]) => [key, draft]))
}

function settleCommon(
  draft: { name?: string; tags?: string[] },
  { kind, thing }: { kind: string; thing: string },
  audit: Audit,
): void {
  if (draft.name !== undefined && draft.name.length > MOST_NAME) {
    draft.name = draft.name.slice(0, MOST_NAME)
    audit.say(kind, thing, 'name', { list: 'differently', note: `cut to ${MOST_NAME} characters` })
  }
  if (!draft.tags) return
  const tags = [...new Set(draft.tags.flatMap((tag) => tagFrom(tag) ?? []))].toSorted()
  if (tags.length > MOST_TAGS) audit.say(kind, thing, 'tags', impossible(`more than ${MOST_TAGS} tags`))
  if (tags.length === 0) delete draft.tags
  else draft.tags = tags.slice(0, MOST_TAGS)
}
