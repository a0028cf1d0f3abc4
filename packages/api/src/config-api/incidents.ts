// Handles the operations on incidents.
import {
  deleteNote,
  deletePostmortem,
  readNote,
  readNotes,
  readPostmortem,
  resolveSubject,
  rewriteNote,
  switchAcknowledged,
  versionOfNote,
  versionOfPostmortem,
  writeNote,
  writePostmortem,
} from '@dogwatch/domain/configuration/incidents'
import { unknownCursor } from '@dogwatch/domain/configuration/kind'
import type { Deps } from '@dogwatch/domain/deps'
import { inspectIncident } from '@dogwatch/domain/incidents/inspect'
import { type IncidentPosition, readIncidents, toIncidentPosition } from '@dogwatch/domain/incidents/list'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import type { ConfigInput, SomeHandlers } from './contract.ts'
import { toIncident, toIncidentInDetail, toNote, toPostmortem } from './incident-wire.ts'
import { carryOut } from './repeat.ts'
import { editorOf } from './resource.ts'
import { cursorOf, etagOf, partsOf, readIfMatch } from './wire.ts'

async function switchTo(
  deps: Deps,
  isOn: boolean,
  { caller, path, header }: Pick<ConfigInput<'acknowledgeIncident'>, 'caller' | 'path' | 'header'>,
) {
  const asks = [isOn ? 'acknowledgeIncident' : 'unacknowledgeIncident', path.incident]
  const { body } = await carryOut(deps, { caller, header, asks }, async (inner) => {
    return { body: toIncident(await switchAcknowledged(inner, editorOf(caller), path.incident, isOn)) }
  })
  return body
}

function positionOf(cursor: string): IncidentPosition {
  const position = toIncidentPosition(...partsOf(cursor))
  if (!position) throw unknownCursor()
  return position
}

export const INCIDENTS = {
  async listIncidents(deps, { caller, query, reply }) {
    const { limit, after, state, check, heartbeat, tag, since, until } = query
    const of = await resolveSubject(deps, caller.org_id, { check, heartbeat })
    const filter = { state, of, tag, from: since && toMicroseconds(since), to: until && toMicroseconds(until) }
    const position = after === undefined ? undefined : positionOf(after)
    const { incidents, next, open } = await readIncidents(deps, caller.org_id, filter, position, limit)
    const cursor = next && cursorOf(next.began_at, next.incident_id)
    return reply(200, { incidents: incidents.map(toIncident), open, ...(cursor && { next: cursor }) })
  },
  async getIncident(deps, { caller, path, reply }) {
    return reply(200, toIncidentInDetail(await inspectIncident(deps, caller.org_id, path.incident)))
  },
  acknowledgeIncident: async (deps, input) => input.reply(200, await switchTo(deps, true, input)),
  unacknowledgeIncident: async (deps, input) => input.reply(200, await switchTo(deps, false, input)),
  async listIncidentNotes(deps, { caller, path, reply }) {
    return reply(200, { notes: (await readNotes(deps, caller.org_id, path.incident)).map(toNote) })
  },
  async createIncidentNote(deps, { caller, path, header, body, reply }) {
    const asked = { caller, header, asks: ['createIncidentNote', path.incident, body] }
    const made = await carryOut(deps, asked, async (inner) => {
      return { status: 201, body: toNote(await writeNote(inner, editorOf(caller), path.incident, body.note)) }
    })
    return reply(201, made.body)
  },
  async getIncidentNote(deps, { caller, path, reply }) {
    const note = await readNote(deps, caller.org_id, path.incident, path.note)
    return reply(200, toNote(note), { ETag: etagOf(versionOfNote(note)) })
  },
  async replaceIncidentNote(deps, { caller, path, header, body, reply }) {
    const wanted = { text: body.note, expected: readIfMatch(header['If-Match']) }
    const note = await rewriteNote(deps, editorOf(caller), path, wanted)
    return reply(200, toNote(note), { ETag: etagOf(versionOfNote(note)) })
  },
  async deleteIncidentNote(deps, { caller, path, header, reply }) {
    return reply(200, { id: await deleteNote(deps, editorOf(caller), path, readIfMatch(header['If-Match'])) })
  },
  async getPostmortem(deps, { caller, path, reply }) {
    const postmortem = await readPostmortem(deps, caller.org_id, path.incident)
    return reply(200, toPostmortem(postmortem), { ETag: etagOf(versionOfPostmortem(postmortem)) })
  },
  async replacePostmortem(deps, { caller, path, header, body, reply }) {
    const wanted = { text: body.text, expected: readIfMatch(header['If-Match']) }
    const postmortem = await writePostmortem(deps, editorOf(caller), path.incident, wanted)
    return reply(200, toPostmortem(postmortem), { ETag: etagOf(versionOfPostmortem(postmortem)) })
  },
  async deletePostmortem(deps, { caller, path, header, reply }) {
    await deletePostmortem(deps, editorOf(caller), path.incident, readIfMatch(header['If-Match']))
    return reply(200, {})
  },
} satisfies SomeHandlers
