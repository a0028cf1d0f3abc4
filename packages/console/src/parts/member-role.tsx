// Renders the role of a member, as a field and as a form of its own.
import { GIVEN_ROLES, mayManage, ROLE_WORDS, type Role, roleOf } from '@dogwatch/domain/organisations/roles'
import { Button } from '../design/button.tsx'
import { PostForm } from '../post-form.tsx'
import { Choice, Options } from './field.tsx'

const HINT =
  'Members manage checks, heartbeats, monitors and channels. Admins can also manage members and the status page, and view the audit log. Read-only members can only view.'

/** Returns the roles that a member with the role `by` may give. */
function given(by: Role): (readonly [string, string])[] {
  return GIVEN_ROLES.filter((role) => mayManage(by, role)).map((role) => [role, ROLE_WORDS[role]] as const)
}

export function RoleField({ value, by }: { value: string; by: Role }) {
  return <Choice name="role" label="Role" value={value} options={given(by)} hint={HINT} />
}

interface RoleFormProps {
  member: { id: number; email: string; is_owner: boolean; role: string }
  by: Role
}

export function RoleForm({ member, by }: RoleFormProps) {
  const present = roleOf(member)
  return (
    <PostForm action={`/settings/members/${member.id}/role`} class="inline">
      <select name="role" aria-label={`Role of ${member.email}`}>
        <Options options={given(by)} value={present} />
      </select>{' '}
      <Button label={`Save role of ${member.email}`} text="Save role" />
    </PostForm>
  )
}
