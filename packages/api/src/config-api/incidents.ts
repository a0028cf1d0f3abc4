// Handles the operations on incidents.
import type { operations } from '@dogwatch/contract/config'
import {
  deleteNote,
  muteIncident as muteIt,
  readNote,
  readNotes,
  readPostmortem,
  deletePostmortem as removePostmortem,
  resolveSubject,
  rewriteNote,
  switchAcknowledged,
  unmuteIncident as unmuteIt,
  versionOfNote,
  versionOfPostmortem,
  writeNote,
  writePostmortem,
} from '@dogwatch/domain/configuration/incidents'
import type { Deps } from '@dogwatch/domain/deps'
import { FieldError } from '@dogwatch/domain/errors'
import { inspectIncident } from '@dogwatch/domain/incidents/inspect'
import { type IncidentPosition, readIncidents, toIncidentPosition } from '@dogwatch/domain/incidents/list'
import { toMicroseconds } from '@dogwatch/runtime/timestamps'
import { BODY, type ConfigAnswer, type ConfigInput, type Resource } from './contract.ts'
import { toIncident, toIncidentInDetail, toMute, toNote, toPostmortem } from './incident-wire.ts'
import { endOf } from './mutes.ts'
import { carryOut } from './repeat.ts'
import { editorOf } from './resource.ts'
import { etagOf, readIfMatch } from './wire.ts'

async function listIncidents(
  deps: Deps,
  { caller, query, reply }: ConfigInput<'listIncidents'>,
): ConfigAnswer<'listIncidents'> {
  const { limit, after, state, check, heartbeat, tag, since, until } = query
  const of = await resolveSubject(deps, caller.org_id, { check, heartbeat })
  const filter = { state, of, tag, from: instantOf(since), to: instantOf(until) }
  const { incidents, next, open } = await readIncidents(deps, caller.org_id, filter, positionOf(after), limit)
  return reply(200, { incidents: incidents.map(toIncident), open, ...(next && { next: cursorOf(next) }) })
}

async function getIncident(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'getIncident'>,
): ConfigAnswer<'getIncident'> {
  return reply(200, toIncidentInDetail(await inspectIncident(deps, caller.org_id, path.incident)))
}

const acknowledgeIncident = (
  deps: Deps,
  { reply, ...input }: ConfigInput<'acknowledgeIncident'>,
): ConfigAnswer<'acknowledgeIncident'> => switchTo(deps, true, input).then((incident) => reply(200, incident))

const unacknowledgeIncident = (
  deps: Deps,
  { reply, ...input }: ConfigInput<'unacknowledgeIncident'>,
): ConfigAnswer<'unacknowledgeIncident'> => switchTo(deps, false, input).then((incident) => reply(200, incident))

async function switchTo(
  deps: Deps,
  isOn: boolean,
  { caller, path, header }: Pick<ConfigInput<'acknowledgeIncident'>, 'caller' | 'path' | 'header'>,
) {
  const asks = [isOn ? 'acknowledgeIncident' : 'unacknowledgeIncident', path.incident]
  const made = await carryOut(deps, { caller, key: header['Idempotency-Key'], asks }, async (inner) => {
    const incident = await switchAcknowledged(inner, editorOf(caller), path.incident, isOn)
    return { status: 200, headers: {}, body: toIncident(incident) }
  })
  return made.body as ReturnType<typeof toIncident>
}

async function muteIncident(
  deps: Deps,
  { caller, path, header, body, reply }: ConfigInput<'muteIncident'>,
): ConfigAnswer<'muteIncident'> {
  const asked = { caller, key: header['Idempotency-Key'], asks: ['muteIncident', path.incident, body] }
  const made = await carryOut(deps, asked, async (inner) => {
    const muted = await muteIt(inner, editorOf(caller), path.incident, endOf(body))
    return { status: 200, headers: {}, body: toMute(muted) }
  })
  return reply(200, made.body as object)
}

async function unmuteIncident(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'unmuteIncident'>,
): ConfigAnswer<'unmuteIncident'> {
  const asked = { caller, key: header['Idempotency-Key'], asks: ['unmuteIncident', path.incident] }
  await carryOut(deps, asked, async (inner) => {
    await unmuteIt(inner, editorOf(caller), path.incident)
    return { status: 200, headers: {}, body: {} }
  })
  return reply(200, {})
}

async function listIncidentNotes(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'listIncidentNotes'>,
): ConfigAnswer<'listIncidentNotes'> {
  return reply(200, { notes: (await readNotes(deps, caller.org_id, path.incident)).map(toNote) })
}

async function createIncidentNote(
  deps: Deps,
  { caller, path, header, body, reply }: ConfigInput<'createIncidentNote'>,
): ConfigAnswer<'createIncidentNote'> {
  const asked = { caller, key: header['Idempotency-Key'], asks: ['createIncidentNote', path.incident, body] }
  const made = await carryOut(deps, asked, async (inner) => {
    const note = await writeNote(inner, editorOf(caller), path.incident, body.note)
    return { status: 201, headers: {}, body: toNote(note) }
  })
  return reply(201, made.body as ReturnType<typeof toNote>)
}

async function getIncidentNote(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'getIncidentNote'>,
): ConfigAnswer<'getIncidentNote'> {
  const note = await readNote(deps, caller.org_id, path.incident, path.note)
  return reply(200, toNote(note), { ETag: etagOf(versionOfNote(note)) })
}

async function replaceIncidentNote(
  deps: Deps,
  { caller, path, header, body, reply }: ConfigInput<'replaceIncidentNote'>,
): ConfigAnswer<'replaceIncidentNote'> {
  const wanted = { text: body.note, expected: readIfMatch(header['If-Match']) }
  const note = await rewriteNote(deps, editorOf(caller), path, wanted)
  return reply(200, toNote(note), { ETag: etagOf(versionOfNote(note)) })
}

async function deleteIncidentNote(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'deleteIncidentNote'>,
): ConfigAnswer<'deleteIncidentNote'> {
  return reply(200, { id: await deleteNote(deps, editorOf(caller), path, readIfMatch(header['If-Match'])) })
}

async function getPostmortem(
  deps: Deps,
  { caller, path, reply }: ConfigInput<'getPostmortem'>,
): ConfigAnswer<'getPostmortem'> {
  const postmortem = await readPostmortem(deps, caller.org_id, path.incident)
  return reply(200, toPostmortem(postmortem), { ETag: etagOf(versionOfPostmortem(postmortem)) })
}

async function replacePostmortem(
  deps: Deps,
  { caller, path, header, body, reply }: ConfigInput<'replacePostmortem'>,
): ConfigAnswer<'replacePostmortem'> {
  const wanted = { text: body.text, expected: readIfMatch(header['If-Match']) }
  const postmortem = await writePostmortem(deps, editorOf(caller), path.incident, wanted)
  return reply(200, toPostmortem(postmortem), { ETag: etagOf(versionOfPostmortem(postmortem)) })
}

async function deletePostmortem(
  deps: Deps,
  { caller, path, header, reply }: ConfigInput<'deletePostmortem'>,
): ConfigAnswer<'deletePostmortem'> {
  await removePostmortem(deps, editorOf(caller), path.incident, readIfMatch(header['If-Match']))
  return reply(200, {})
}

function instantOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toMicroseconds(text)
}

/**
 * Returns a cursor such as `2026-11-20T10~00~00.000000Z_5f0c...`: the start and the id of the last incident on a page. Uses `~`,
 * because a colon would need encoding in a URL.
 */
function cursorOf({ began_at, incident_id }: IncidentPosition): string {
  return `${began_at.replaceAll(':', '~')}_${incident_id}`
}

function positionOf(cursor: string | undefined): IncidentPosition | undefined {
  if (cursor === undefined) return undefined
  const at = cursor.indexOf('_')
  const position =
    at < 0 ? undefined : toIncidentPosition(cursor.slice(0, at).replaceAll('~', ':'), cursor.slice(at + 1))
  if (!position) throw new FieldError('invalid', 'after', 'must be the value of "next" from the previous page')
  return position
}

export const INCIDENTS = {
  listIncidents,
  getIncident,
  acknowledgeIncident,
  unacknowledgeIncident,
  muteIncident,
  unmuteIncident,
  listIncidentNotes,
  createIncidentNote,
  getIncidentNote,
  replaceIncidentNote,
  deleteIncidentNote,
  getPostmortem,
  replacePostmortem,
  deletePostmortem,
} satisfies Partial<Resource<keyof operations>>

export const INCIDENT_BODIES = {
  muteIncident: BODY,
  createIncidentNote: BODY,
  replaceIncidentNote: BODY,
  replacePostmortem: BODY,
}
