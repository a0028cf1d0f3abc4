// Fields of checks that an agent runs only if it lists them as abilities. A server never sends them to any other agent.
import { expect } from '../breach.ts'
import type { Case } from '../case.ts'
import type { Check } from '../server.ts'
import type { World } from '../world.ts'

/** A check with such a field, and whether it passes. */
interface Trial {
  ability: string
  guid: string
  row: Partial<Check>
  success: boolean
}

const DOWN = { status: 503, body: '{"state":"down","free":3}' }
const UP = { status: 200, body: '{"state":"up","free":30}' }

export const fieldCases: Case[] = [
  {
    name: 'fields-request',
    fact: 'sends requests by the fields that it lists as abilities: method, max_redirects, ip_family, proxy',
    run: async (world) => {
      const { url } = world.target
      world.target.pages.set('/twice', { status: 302, location: '/once' })
      world.target.pages.set('/once', { status: 302, location: '/end' })
      const far = 'http://conformance.invalid/proxied'
      await tryAll(world, [
        { ability: 'method', guid: 'put', row: { method: 'PUT', post_data: 'all of it' }, success: true },
        { ability: 'max_redirects', guid: 'once', row: { max_redirects: 1 }, success: true },
        { ability: 'max_redirects', guid: 'twice', row: { max_redirects: 1 }, success: false },
        { ability: 'ip_family', guid: 'four', row: { ip_family: '4' }, success: true },
        { ability: 'ip_family', guid: 'six', row: { ip_family: '6' }, success: false },
        { ability: 'proxy', guid: 'proxied', row: { url: far, proxy: url }, success: true },
      ])
      const sent = world.target.of('/put').map(({ method, body }) => `${method} ${body}`)
      const isPut = sent.every((one) => one === 'PUT all of it')
      expect('PUT with the body of the check', isPut, sent.slice(0, 3))
    },
  },
  {
    name: 'fields-rules',
    fact: 'judges responses by the fields that it lists as abilities: status_codes, assertions',
    run: async (world) => {
      for (const guid of ['wanted', 'other-state']) world.target.pages.set(`/${guid}`, DOWN)
      for (const guid of ['unwanted', 'state', 'number']) world.target.pages.set(`/${guid}`, UP)
      const json = (at: string, is: 'eq' | 'gt', value: string | number): Partial<Check> => ({
        assertions: [{ on: 'json', at, is, value }],
      })
      await tryAll(world, [
        { ability: 'status_codes', guid: 'wanted', row: { status_codes: ['500-599'] }, success: true },
        { ability: 'status_codes', guid: 'unwanted', row: { status_codes: ['201', '500-599'] }, success: false },
        { ability: 'assertions', guid: 'state', row: json('$.state', 'eq', 'up'), success: true },
        { ability: 'assertions', guid: 'other-state', row: json('$.state', 'eq', 'up'), success: false },
        { ability: 'assertions', guid: 'number', row: json('$.free', 'gt', 10), success: true },
      ])
    },
  },
]

/** Gives the agent the checks that it says it can run, and waits for a result of each. */
async function tryAll(world: World, trials: readonly Trial[]): Promise<void> {
  world.watch('plain')
  world.start()
  await world.untilResults('plain')
  const { status } = await world.until('a status report', () => world.server.statuses[0])
  const able = trials.filter(({ ability }) => status.abilities?.includes(ability))
  for (const { guid, row } of able) world.watch(guid, { timeout_sec: 3, ...row })
  for (const { guid, row, success } of able) {
    const [result] = await world.untilResults(guid)
    expect(`success ${success} with ${JSON.stringify(row)}`, result?.success === success, result)
  }
}
