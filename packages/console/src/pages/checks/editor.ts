// Returns the editor of a check: the viewer, in the selected organisation.
import type { Editor } from '@dogwatch/domain/checks/pause-delete-wipe'
import type { MemberContext } from '../../route.ts'

export function editorOf({ viewer, org }: MemberContext): Editor {
  return { org_id: org.org_id, actor: viewer }
}
