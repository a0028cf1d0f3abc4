// Creates an organisation with months of data, and reads all of it by the API: checks with and without definitions, results,
// incidents and heartbeats.
import { createHash } from 'node:crypto'
import { AccountClient } from '../../../packages/account-sdk/dist/index.js'
import { switchChannel } from '../../../packages/domain/dist/channels/edit.js'
import { deleteCheck, switchCheck, wipeDefinition } from '../../../packages/domain/dist/checks/pause-delete-wipe.js'
import type { Deps } from '../../../packages/domain/dist/deps.js'
import { switchHeartbeat } from '../../../packages/domain/dist/heartbeats/edit.js'
import { addMember } from '../../../packages/domain/dist/organisations/members.js'
import { setStatusPage } from '../../../packages/domain/dist/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/domain/dist/organisations/personal-tokens.js'
import { MonitorClient, type Result } from '../../../packages/monitor-sdk/dist/index.js'
import { PLACE } from '../../lab/clients/sdk-agent.ts'
import { type Org, openOrg } from '../../lab/world.ts'

export const MONTHS = 9
const BEGAN = Date.now()
const MONTH_MS = 30 * 86_400_000
const BATCH = 500
const SHORT = 4000

export interface Monitor {
  readonly id: string
  readonly key: string
}

/** A result that any monitor can upload. */
type Outcome = Omit<Result, 'monitor_id'>

/** Responses of the account API by path: status, content type and body. A long body is replaced with its size and hash. */
export type Answers = ReadonlyMap<string, string>

export class Customer {
  /** URL of the server that all following calls use. */
  url: string
  readonly org: Org
  guids: string[] = []
  monitors: [Monitor, Monitor] = [
    { id: '', key: '' },
    { id: '', key: '' },
  ]

  private constructor(url: string, org: Org) {
    this.url = url
    this.org = org
  }

  static async open(deps: Deps, url: string): Promise<Customer> {
    const org = await openOrg(deps, 'Acme ‘ü’')
    const { org_id } = org
    const customer = new Customer(url, org)
    const common = { interval_sec: 600, result_detail_max_chars: 200 }
    const guids = await org.addChecks([
      { ...common, name: 'shop', url: 'https://shop.example.com/', match_string: 'öffnen', headers: { 'X-A': 'b' } },
      { ...common, name: 'private', url: '' },
      { ...common, name: 'to be wiped', url: 'https://user:secret@inside.example.com/', restricted: true },
      { ...common, name: 'paused', url: 'tcp://db.example.com:5432', down_interval_sec: 3 },
      { ...common, name: 'to be deleted', url: 'https://old.example.com/' },
    ])
    const [, , wiped = '', paused = '', deleted = ''] = guids
    customer.guids = guids.filter((guid) => guid !== deleted)
    customer.monitors = [await customer.enroll('first'), await customer.enroll('second')]
    await wipeDefinition(deps, wiped)
    await switchCheck(deps, paused, false)
    await deleteCheck(deps, deleted)
    const beat = (name: string) => org.addHeartbeat(name, 3600, 600)
    await fetch(`${url}/ping/${(await beat('backup job')).token}`, { method: 'POST', body: 'done' })
    await fetch(`${url}/ping/${(await beat('failing')).token}/fail`, { method: 'POST' })
    await switchHeartbeat(deps, (await beat('paused')).guid, 'enabled', false)
    await org.addChannel({ kind: 'ntfy', name: 'phones', ntfy_topic: 'topic' })
    const post = await org.addChannel({ kind: 'email', name: 'post', email: 'ops@example.com' })
    await switchChannel(deps, post, false)
    await addMember(deps, org_id, 'colleague@example.com')
    await setStatusPage(deps, org_id, true)
    return customer
  }

  clientOf({ key }: Monitor): MonitorClient {
    return new MonitorClient({ baseUrl: this.url, token: key })
  }

  async enroll(name: string): Promise<Monitor> {
    const client = new MonitorClient({ baseUrl: this.url, token: this.org.enrollment_token })
    const { monitor_id: id, api_key: key } = await client.enroll({ ...PLACE, name })
    return { id, key }
  }

  /** Uploads results in batches. Returns the number of results that the server accepted. */
  async upload(monitor: Monitor, results: readonly Outcome[]): Promise<number> {
    const client = this.clientOf(monitor)
    const own = results.map((result) => ({ ...result, monitor_id: monitor.id }))
    let accepted = 0
    for (let at = 0; at < own.length; at += BATCH) accepted += (await client.upload(own.slice(at, at + BATCH))).accepted
    return accepted
  }

  /**
   * Returns results of the months until `before_ms` before the proof began. Each call returns the same results for the same
   * arguments.
   */
  pastResults(before_ms: number, count: number): Outcome[] {
    return Array.from({ length: count }, (_, n) => {
      const success = n % 97 !== 0
      const ran_at = new Date(BEGAN - before_ms - Math.floor((n * MONTHS * MONTH_MS) / count)).toISOString()
      return {
        ...{ check_guid: this.guids[n % this.guids.length] ?? '', ran_at, success },
        ...{ http_status: success ? 200 : 500, latency_ms: (n * 7) % 900 },
        ...(!success && { error: `status 500, “${n}”`, response_sample: 'oops \\ "quoted"' }),
      }
    })
  }

  /** Uploads a result of each check with the present time. Returns the number of results that the server accepted. */
  uploadNow(success: boolean): Promise<number> {
    const fault = success ? {} : { error: 'connection refused' }
    const base = { ran_at: new Date().toISOString(), latency_ms: 12, success, http_status: success ? 200 : 0, ...fault }
    const results = this.guids.map((check_guid) => ({ ...base, check_guid }))
    return this.upload(this.monitors[0], results)
  }

  /** Reads everything that the account API has about the organisation, byte for byte. */
  async readAnswers(deps: Deps): Promise<Answers> {
    const answers = new Map<string, string>()
    // Uses a new token for each call, because the server limits the exports of a token.
    const { token } = await createPersonalToken(deps, this.org.org_id)
    const client = new AccountClient({
      baseUrl: this.url,
      token,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        const body = (await response.clone().text()).replace(/"generated_at":"[^"]*"/, '')
        const hash = () => `${body.length} characters, ${createHash('sha256').update(body).digest('hex')}`
        const { pathname, search } = new URL(response.url)
        const type = response.headers.get('content-type')
        answers.set(`${pathname}${search}`, `${response.status} ${type} ${body.length <= SHORT ? body : hash()}`)
        return response
      },
    })
    await Promise.all([client.heartbeats(), client.members(), client.monitors(), client.channels(), client.settings()])
    for (const { guid } of await client.checks()) {
      await client.check(guid)
      for await (const _ of client.pages(guid));
    }
    await client.export()
    return answers
  }
}
