// Handles the operations on routes.

import { resolveSubject } from '@dogwatch/domain/configuration/incidents'
import { moveConfiguredRoute, ROUTE } from '@dogwatch/domain/configuration/routes'
import type { EventType } from '@dogwatch/domain/events/event'
import { type PreviewedChannel, previewAlert, type RoutingPreview } from '@dogwatch/domain/routing/preview'
import { fromDate, toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { SomeHandlers } from './contract.ts'
import { carryOut } from './repeat.ts'
import { editorOf, madeOf, resourceOf } from './resource.ts'

/** Returns the text of a hold with its end in UTC, because scripts read it. */
function heldWords({ words, until }: NonNullable<RoutingPreview['hold']>): string {
  return until === null ? words : `${words} until ${until.slice(0, 16).replace('T', ' ')} UTC`
}

function toPreviewed(answer: PreviewedChannel) {
  const { channel_id, name, why, severity } = answer
  const at = answer.kind === 'wait' ? answer.until : null
  return {
    id: String(channel_id),
    name,
    told: answer.kind === 'wait' ? ('later' as const) : answer.kind,
    ...(at && { at: fromDate(at) }),
    ...(severity && { severity }),
    why,
  }
}

export const ROUTES = {
  ...resourceOf(ROUTE, { name: 'Route', plural: 'routes', id: 'guid' }),
  async moveRoute(deps, { caller, path, body, header, reply }) {
    const asked = { caller, header, asks: ['moveRoute', path.guid, body] }
    const made = await carryOut(deps, asked, async (inner) =>
      madeOf(ROUTE, await moveConfiguredRoute(inner, editorOf(caller), path.guid, body.position), caller),
    )
    return reply(200, made.body, made.headers)
  },
  async previewAlert(deps, { caller, query, reply }) {
    const subject = await resolveSubject(deps, caller.org_id, query)
    const at = query.at === undefined ? deps.clock.now() : new Date(toMicroseconds(query.at))
    const { answers, disabled, hold } = await previewAlert(deps, caller.org_id, {
      type: query.event as EventType,
      subject,
      at,
    })
    return reply(200, {
      channels: answers.map(toPreviewed),
      ...(disabled.length > 0 && { disabled }),
      ...(hold !== undefined && { held: heldWords(hold) }),
    })
  },
} satisfies SomeHandlers
