// Handles the operations on tags.
import { readTags, removeTag, renameTag } from '@dogwatch/domain/configuration/tags'
import { type Configurator, requireScope } from '@dogwatch/domain/configuration/tokens'
import type { SomeHandlers } from './contract.ts'
import { editorOf } from './resource.ts'

/**
 * Returns a function that requires the scopes for writing all kinds that have tags, because changing a tag changes every item with
 * the tag.
 */
function mayWrite(caller: Configurator) {
  return (subject: string) => requireScope(caller, `${subject}:write`)
}

export const TAGS = {
  async listTags(deps, { caller, reply }) {
    return reply(200, { tags: await readTags(deps, caller.org_id) })
  },
  async renameTag(deps, { caller, path, body, reply }) {
    return reply(200, await renameTag(deps, editorOf(caller), path.tag, body.tag, mayWrite(caller)))
  },
  async deleteTag(deps, { caller, path, reply }) {
    return reply(200, await removeTag(deps, editorOf(caller), path.tag, mayWrite(caller)))
  },
} satisfies SomeHandlers
