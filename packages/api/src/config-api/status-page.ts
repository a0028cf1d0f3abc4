// Handles the operations on the status page.
import type { operations } from '@dogwatch/contract/config'
import { STATUS_PAGE } from '@dogwatch/domain/configuration/status-page'
import type { Deps } from '@dogwatch/domain/deps'
import { BODY, type ConfigAnswer, type ConfigInput, type Resource } from './contract.ts'
import { editorOf, namingFields } from './resource.ts'
import { etagOf, readIfMatch } from './wire.ts'

async function getStatusPage(
  deps: Deps,
  { caller, reply }: ConfigInput<'getStatusPage'>,
): ConfigAnswer<'getStatusPage'> {
  const found = await STATUS_PAGE.read(deps, caller.org_id)
  return reply(200, STATUS_PAGE.toWire(found), { ETag: etagOf(STATUS_PAGE.versionOf(found)) })
}

async function replaceStatusPage(
  deps: Deps,
  { caller, body, header, reply }: ConfigInput<'replaceStatusPage'>,
): ConfigAnswer<'replaceStatusPage'> {
  const wanted = { input: { ...body }, expected: readIfMatch(header['If-Match']) }
  const now = await namingFields(() => STATUS_PAGE.replace(deps, editorOf(caller), STATUS_PAGE.name, wanted))
  return reply(200, STATUS_PAGE.toWire(now), { ETag: etagOf(STATUS_PAGE.versionOf(now)) })
}

export const STATUS_PAGES = { getStatusPage, replaceStatusPage } satisfies Partial<Resource<keyof operations>>

export const STATUS_PAGE_BODIES = { replaceStatusPage: { ...BODY, bytes: 1_048_576 } }
