// Finds the channels that the routes omit: they no longer receive any alert.
import { listChannels } from '@dogwatch/store/alerting/channels'
import type { Deps } from '../deps.ts'
import { hasGroup } from './decide.ts'
import { readRoutes } from './edit.ts'
import { NATURES } from './natures.ts'
import { type AlertRoute, channelsNamed } from './route.ts'

interface Channel {
  id: number
  name: string
  enabled: boolean
}

/**
 * Natures of the alerts that follow no other. Alerts that follow them, such as recoveries, go only to channels that received
 * them.
 */
const FIRST_ALERTS = Object.values(NATURES).filter((nature) => nature?.role === 'trouble')

/** Carries out a change of routes. Resolves with the names of the channels that no longer receive any alert because of it. */
export async function newlyLeftOut(
  deps: Pick<Deps, 'database'>,
  org_id: number,
  change: () => Promise<unknown>,
): Promise<string[]> {
  const before = await readLeftOut(deps, org_id)
  await change()
  const known = new Set(before.map(({ id }) => id))
  return (await readLeftOut(deps, org_id)).flatMap(({ id, name }) => (known.has(id) ? [] : [name]))
}

async function readLeftOut(deps: Pick<Deps, 'database'>, org_id: number): Promise<Channel[]> {
  const [routes, channels] = await Promise.all([readRoutes(deps, org_id), listChannels(deps.database.people, org_id)])
  return leftOut(routes, channels)
}

/**
 * Returns the enabled channels that no route names, if routes for all subjects match every kind of alert. Routes for tags or
 * selected checks do not count, because alerts that they do not cover can come at any time.
 */
export function leftOut<One extends Channel>(
  routes: readonly Pick<AlertRoute, 'enabled' | 'scope' | 'events' | 'steps'>[],
  channels: readonly One[],
): One[] {
  const told = channels.filter(({ enabled }) => enabled)
  const ids = new Set(told.map(({ id }) => id))
  const live = routes.filter(({ enabled, steps }) => enabled && steps.flatMap(channelsNamed).some((id) => ids.has(id)))
  const general = live.filter(({ scope }) => 'all' in scope)
  const isAllMatched = FIRST_ALERTS.every((nature) => general.some((route) => nature && hasGroup(route, nature)))
  if (!isAllMatched) return []
  const named = new Set(live.flatMap(({ steps }) => steps.flatMap(channelsNamed)))
  return told.filter(({ id }) => !named.has(id))
}
