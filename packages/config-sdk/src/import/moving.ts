// Collects the items made from another tool's configuration, with their keys, their secrets, and the channels to notify.
import { isInternalName, readTarget } from '@dogwatch/check-rules/target'
import type {
  ConfigFile,
  FileChannel,
  FileCheck,
  FileHeartbeat,
  FileStatusPage,
  FileWindow,
  Section,
} from '../file/format.ts'
import { Keys, variableFrom } from '../file/keys.ts'
import type { Audit } from './audit.ts'
import { nameFrom } from './names.ts'
import { type Alerts, routesOf } from './routes.ts'
import {
  type ImportedItem,
  settleCheck,
  settleHeartbeat,
  settleScope,
  settleWindow,
  type VariableResolver,
} from './settle.ts'

/** A value that is kept out of the file: the variable to set, and its origin. */
export interface Secret {
  /** Name of the environment variable. */
  name: string
  /** Description of the value and its origin. */
  from: string
  /** Value of the variable. Absent if the other tool also takes it from its environment. */
  value: string | undefined
}

export interface ImportResult {
  file: ConfigFile
  audit: Audit
  secrets: readonly Secret[]
}

const MOST_NAME = 200
const MOST_TITLE = 100
/** Replacement for an unknown secret during the validation of a value, because the rules do not know variables. */
const STAND_IN = 'x'
const VARIABLE = /\$\{([A-Za-z_]\w{0,300})\}/g

export class Moving {
  readonly audit: Audit
  readonly #keys = new Map<Section, Keys>()
  readonly #checks = new Map<string, ImportedItem<FileCheck>>()
  /** Keys of the checks that watch the registration of a domain, by host. */
  readonly #domains = new Map<string, string>()
  readonly #heartbeats = new Map<string, ImportedItem<FileHeartbeat>>()
  readonly #channels = new Map<string, FileChannel>()
  readonly #windows = new Map<string, FileWindow>()
  readonly #secrets = new Map<string, Secret>()
  /** Names of secrets, by the name that was wanted and by the value. */
  readonly #named = new Map<string, Map<string, string>>()
  readonly #alerts: Alerts[] = []
  readonly #shown: VariableResolver = {
    reveal: (text) => this.#revealed(text),
    hasUnknown: (text) => this.hasUnknown(text),
  }
  #page: FileStatusPage | undefined

  constructor(audit: Audit) {
    this.audit = audit
  }

  /** Returns a key that is unique in the section. */
  key(section: Section, name: string): string {
    const keys = this.#keys.get(section) ?? new Keys()
    this.#keys.set(section, keys)
    return keys.take(name, section.replace(/s$/, ''))
  }

  /** Registers a variable that the other tool takes from its environment, and returns its reference. */
  variable(name: string): string {
    const written = `\${${name}}`
    if (!this.#secrets.has(name)) {
      this.#secrets.set(name, { name, from: 'a variable in the other tool', value: undefined })
    }
    return written
  }

  /**
   * Keeps a value out of the file, and returns a reference to its variable. The parts make up the variable's name. The same value
   * with the same name becomes one secret.
   */
  secret(value: string, from: string, ...parts: readonly string[]): string {
    // The secret part of the value is already a variable.
    if (this.hasUnknown(value)) return value
    const wanted = variableFrom(...parts)
    const values = this.#named.get(wanted) ?? new Map<string, string>()
    this.#named.set(wanted, values)
    let name = values.get(value) ?? wanted
    for (let nth = values.size + 1; this.#secrets.has(name) && this.#secrets.get(name)?.value !== value; nth++)
      name = nth === 1 ? wanted : `${wanted}_${nth}`
    values.set(value, name)
    this.#secrets.set(name, { name, from, value })
    return `\${${name}}`
  }

  check(key: string, draft: FileCheck, { kind, thing }: { kind: string; thing: string }): void {
    this.#checks.set(key, { draft, kind, thing })
  }

  /**
   * Adds a check of the registration of a URL's host, once for each host. Returns its key, or undefined if no one can register the
   * host.
   */
  domain(url: string, warn: number, made: { kind: string; thing: string }): string | undefined {
    const host = URL.canParse(url) ? new URL(url).hostname : ''
    const target = `domain:${host}?warn=${warn}`
    if ('fault' in readTarget(target) || isInternalName(host)) return undefined
    const key = this.#domains.get(host) ?? this.key('checks', `domain ${host}`)
    if (!this.#domains.has(host)) this.check(key, { name: `Domain ${host}`, url: target, interval_sec: 3600 }, made)
    this.#domains.set(host, key)
    return key
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

  /** Records which channels a check or heartbeat notifies. An item without such a record notified no one in the other tool. */
  tells(alerts: Alerts): void {
    this.#alerts.push(alerts)
  }

  finish(): ImportResult {
    for (const [key, made] of this.#checks)
      if (!settleCheck(key, made, this.#shown, this.audit)) this.#checks.delete(key)
    for (const [key, made] of this.#heartbeats) {
      if (!settleHeartbeat(key, made, this.#shown, this.audit)) this.#heartbeats.delete(key)
    }
    const checks = draftsOf(this.#checks)
    const heartbeats = draftsOf(this.#heartbeats)
    this.#settleRest({ checks, heartbeats })
    const known = { checks, heartbeats, channels: this.#channels }
    const routes = routesOf(this.#alerts, known, this.audit)
    const file: ConfigFile = { version: 1 }
    if (this.#channels.size > 0) file.channels = Object.fromEntries(this.#channels)
    if (checks.size > 0) file.checks = Object.fromEntries(checks)
    if (heartbeats.size > 0) file.heartbeats = Object.fromEntries(heartbeats)
    if (routes.length > 0) file.routes = Object.fromEntries(routes)
    if (this.#windows.size > 0) file.maintenance = Object.fromEntries(this.#windows)
    if (this.#page) file.status_page = this.#page
    this.audit.finish()
    return { file, audit: this.audit, secrets: this.#secretsIn(file) }
  }

  /** Removes references to missing items from windows and the status page, and reduces all names to one line. */
  #settleRest(known: { checks: ReadonlyMap<string, unknown>; heartbeats: ReadonlyMap<string, unknown> }): void {
    for (const [key, channel] of this.#channels) channel.name = nameFrom(channel.name ?? '', MOST_NAME) || key
    for (const [key, window] of this.#windows) {
      const scope = settleScope(window.scope, known)
      const name = nameFrom(window.name ?? '', MOST_TITLE) || key
      const why = scope ? settleWindow(window, name, this.audit) : 'covers nothing that was imported'
      if (scope && why === undefined) Object.assign(window, { scope, name })
      else {
        this.#windows.delete(key)
        this.audit.withdraw('maintenance', name, why ?? '')
      }
    }
    const page = this.#page
    if (!page) return
    page.title = nameFrom(page.title, MOST_TITLE) || 'Status'
    const isThere = ({ check = '', heartbeat = '' }) => known.checks.has(check) || known.heartbeats.has(heartbeat)
    const entries = page.entries?.filter(isThere) ?? []
    page.entries = entries.map((entry) => ({
      ...entry,
      public_name: nameFrom(entry.public_name, MOST_TITLE) || 'Entry',
    }))
  }

  /** Returns the secrets that the file refers to. The other tool may have used more. */
  #secretsIn(file: ConfigFile): Secret[] {
    const names = new Set([...JSON.stringify(file).matchAll(VARIABLE)].map(([, name]) => name))
    return [...this.#secrets.values()].filter(({ name }) => names.has(name))
  }

  /** Returns a text with its secrets filled in, or undefined if only the environment knows one of them. */
  known(text: string): string | undefined {
    return this.hasUnknown(text) ? undefined : this.#revealed(text)
  }

  #isUnknown(name: string): boolean {
    return this.#secrets.has(name) && this.#secrets.get(name)?.value === undefined
  }

  /** Whether a text refers to a variable whose value only the environment knows. */
  hasUnknown(text: string): boolean {
    return [...text.matchAll(VARIABLE)].some(([, name = '']) => this.#isUnknown(name))
  }

  /** Replaces variables with their secrets, or with a harmless text if they are unknown. */
  #revealed(text: string): string {
    return text.replace(VARIABLE, (found, name: string) => {
      const secret = this.#secrets.get(name)
      return secret ? (secret.value ?? STAND_IN) : found
    })
  }
}

function draftsOf<Draft>(made: ReadonlyMap<string, ImportedItem<Draft>>): Map<string, Draft> {
  return new Map([...made].map(([key, { draft }]) => [key, draft]))
}
