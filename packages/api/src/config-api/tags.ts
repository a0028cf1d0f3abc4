// Handles the operations on tags.
import { readTags, removeTag, renameTag as rename } from '@dogwatch/domain/configuration/tags'
import { type Configurator, requireScope } from '@dogwatch/domain/configuration/tokens'
import type { Deps } from '@dogwatch/domain/deps'
import type { ConfigAnswer, ConfigInput } from './contract.ts'
import { editorOf } from './resource.ts'

/**
 * Returns a function that requires the scopes for writing all kinds that have tags, because changing a tag changes every item with
 * the tag.
 */
function mayWrite(caller: Configurator) {
  return (subject: string) => requireScope(caller, `${subject}:write`)
}

async function listTags(deps: Deps, { caller, reply }: ConfigInput<'listTags'>): ConfigAnswer<'listTags'> {
  return reply(200, { tags: await readTags(deps, caller.org_id) })
}

async function renameTag(
  deps: Deps,
  { caller, path, body, reply }: ConfigInput<'renameTag'>,
): ConfigAnswer<'renameTag'> {
  return reply(200, await rename(deps, editorOf(caller), path.tag, body.tag, mayWrite(caller)))
}

async function deleteTag(deps: Deps, { caller, path, reply }: ConfigInput<'deleteTag'>): ConfigAnswer<'deleteTag'> {
  return reply(200, await removeTag(deps, editorOf(caller), path.tag, mayWrite(caller)))
}

export const TAGS = { listTags, renameTag, deleteTag }
