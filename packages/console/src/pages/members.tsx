// Shows the members of the organisation and its invitations, and changes them.

import { PASSWORDS } from '@dogwatch/domain/limits/rates'
import {
  type InvitationRow,
  invite,
  readInvitations,
  withdrawInvitation,
} from '@dogwatch/domain/organisations/invitations'
import { type FormerMaker, readFormerMakers, readMade } from '@dogwatch/domain/organisations/makers'
import { handOver, readMembers, removeMemberById, setRole } from '@dogwatch/domain/organisations/members'
import {
  type GivenRole,
  isAtLeast,
  mayManage,
  ROLE_WORDS,
  type Role,
  requireGivenRole,
  roleOf,
} from '@dogwatch/domain/organisations/roles'
import { hasPassword } from '@dogwatch/domain/people/password'
import { isQueueFault } from '@dogwatch/runtime/mail'
import { Button, ButtonLink } from '../design/button.tsx'
import { Table } from '../design/table.tsx'
import { HiddenWhileImpersonating, maySeeSecrets } from '../impersonation.tsx'
import { requireRoom, requireRoomForInvitation } from '../limits.ts'
import { invitationMail } from '../mails.ts'
import { CopyBlock } from '../parts/copy.tsx'
import { CurrentPassword, Field } from '../parts/field.tsx'
import { faultAt } from '../parts/form-faults.tsx'
import { RoleField, RoleForm } from '../parts/member-role.tsx'
import { SettingsHead } from '../parts/nav.tsx'
import { Pager, pagesOf, rowsOf } from '../parts/pager.tsx'
import { Ago } from '../parts/time.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { Link } from '../rights.tsx'
import { get, idParam, type MemberContext, type PageAnswer, page, post, type Route, redirect } from '../route.ts'

const PATH = '/settings/members'

/** Invitation that was just created. Its link is never shown again. */
interface NewInvitation {
  email: string
  link: string
  sent: keyof typeof SENT
}

type Member = Awaited<ReturnType<typeof readMembers>>[number]

async function membersPage(context: MemberContext, invited?: NewInvitation): Promise<PageAnswer> {
  const { deps, org, viewer, query, options, refused } = context
  const pages = {
    members: pagesOf(query),
    invitations: pagesOf(query, 'invitations'),
    former: pagesOf(query, 'former'),
  }
  const [members, invitations, former, asksPassword] = await Promise.all([
    readMembers(deps, org.org_id, pages.members.slice),
    readInvitations(deps, org.org_id, pages.invitations.slice),
    isAtLeast(org.role, 'admin') ? readFormerMakers(deps, org.org_id, pages.former.slice) : [],
    org.is_owner && hasPassword(deps, viewer.person_id),
  ])
  const heirs = rowsOf(members).filter(({ is_owner }) => !is_owner)
  return page(
    'Members',
    <section>
      <SettingsHead at="/settings/members" title="Members" />
      {invited ? <Invited {...invited} /> : null}
      <MemberTable members={rowsOf(members)} role={org.role} />
      <Pager path={PATH} pages={pages.members} read={members} of="members" />
      {isAtLeast(org.role, 'admin') ? (
        <>
          <h2>Invite a member</h2>
          {maySeeSecrets(viewer) ? (
            <InviteForm by={org.role} hasMail={options.mailer !== undefined} />
          ) : (
            <HiddenWhileImpersonating viewer={viewer}>Invitations are</HiddenWhileImpersonating>
          )}
          <Invitations invitations={rowsOf(invitations)} />
          <Pager path={PATH} name="invitations" pages={pages.invitations} read={invitations} of="invitations" />
          <Former former={rowsOf(former)} />
          <Pager path={PATH} name="former" pages={pages.former} read={former} of="former members" />
          {org.is_owner ? <HandOver heirs={heirs} asksPassword={asksPassword} refused={refused?.action} /> : null}
          {org.is_owner ? null : <LeaveLink viewer={viewer} />}
        </>
      ) : (
        [<p>Only owners and admins can invite and remove members.</p>, <LeaveLink viewer={viewer} />]
      )}
    </section>,
  )
}

function LeaveLink({ viewer }: { viewer: MemberContext['viewer'] }) {
  if (viewer.impersonator_email !== null) return null
  return (
    <p>
      <ButtonLink kind="danger" href="/settings/leave" opensDialog text="Leave organisation…" />
    </p>
  )
}

function InviteForm({ by, hasMail }: { by: Role; hasMail: boolean }) {
  return (
    <PostForm action="/settings/members/invite" class="narrow">
      {hasMail ? null : <p class="hint">This server cannot send email. You will get a link to send to the person.</p>}
      <Field
        name="email"
        label="Email"
        type="email"
        hint="Only this address can accept. The invitation expires in 7 days."
        autocomplete="off"
        required
      />
      <RoleField value="member" by={by} />
      <Button kind="primary" text={hasMail ? 'Send invitation' : 'Create invitation link'} />
    </PostForm>
  )
}

function MemberTable({ members, role }: { members: Member[]; role: Role }) {
  const mayChange = isAtLeast(role, 'admin')
  return (
    <Table
      columns={['Email', 'Role', 'Joined', ...(mayChange ? ['Actions'] : [])]}
      name="Email"
      hidden="Actions"
      rows={members.map((member) => [
        member.id,
        member.email,
        ROLE_WORDS[roleOf(member)],
        <Ago at={member.joined_at} />,
        ...(mayChange
          ? [
              <div class="actions">
                <Link href={`/settings/members/${member.id}/made`} aria-label={`View created items: ${member.email}`}>
                  View created items
                </Link>
                {mayManage(role, roleOf(member))
                  ? [
                      <RoleForm member={member} by={role} />,
                      <PostButton
                        action={`/settings/members/${member.id}/remove`}
                        kind="danger"
                        confirm={`Remove ${member.email}? Their tokens, invitations and sessions in this organisation are revoked immediately.`}
                        label={`Remove member: ${member.email}`}
                        text="Remove member"
                      />,
                    ]
                  : null}
              </div>,
            ]
          : []),
      ])}
    />
  )
}

/** Renders the former members whose monitors, ping URLs or channels are still active. */
function Former({ former }: { former: FormerMaker[] }) {
  if (former.length === 0) return null
  return (
    <>
      <h2>Former members</h2>
      <p>These people have left, but monitors, ping URLs or channels that they created are still active.</p>
      <ul class="plain">
        {former.map(({ person_id, email }) => (
          <li>
            <Link href={`/settings/members/${person_id}/made`}>{email ?? `deleted user ${person_id}`}</Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function handOverPath({ id }: Member): string {
  return `/settings/members/${id}/hand-over`
}

interface HandOverProps {
  heirs: Member[]
  asksPassword: boolean
  /** Action of the form that was refused. */
  refused: string | undefined
}

function HandOver({ heirs, asksPassword, refused }: HandOverProps) {
  if (heirs.length === 0) return null
  return (
    <>
      <h2>Transfer ownership</h2>
      <p>
        Make another member the owner. You become a member, and only the new owner can transfer ownership back.
        {asksPassword
          ? null
          : ' Your account has no password, so sign out and back in first, then transfer ownership within 10 min.'}
      </p>
      {heirs.map((heir) => (
        <details class="part narrow" open={refused === handOverPath(heir)}>
          <summary>Transfer to {heir.email}</summary>
          <PostForm action={handOverPath(heir)}>
            {asksPassword ? <CurrentPassword id={`password-${heir.id}`} /> : null}
            <Button kind="danger" text={`Transfer ownership to ${heir.email}`} />
          </PostForm>
        </details>
      ))}
    </>
  )
}

const SENT = {
  sent: (email: string) => `Invitation sent to ${email}. The link expires in 7 days.`,
  failed: (email: string) => `We could not email ${email}. Share this link instead.`,
  late: (email: string) =>
    `We could not email ${email} because the email queue is full. Withdraw the invitation and try again later.`,
  unsendable: (email: string) => `This server cannot send email. Share this link with ${email}.`,
} as const

/**
 * Renders the link of an invitation only if this server could not email it. Anyone with the link can sign up with that address,
 * so only its owner may get it. A delayed email does not count, because anyone can cause a delay.
 */
function Invited({ email, link, sent }: NewInvitation) {
  if (sent === 'sent' || sent === 'late')
    return (
      <p class="notice" role="status">
        {SENT[sent](email)}
      </p>
    )
  return (
    <div class="notice" role="status">
      <p>{SENT[sent](email)} The link is shown only once and expires in 7 days.</p>
      <CopyBlock id="invitation-link" label="Invitation link" text={link} />
    </div>
  )
}

function Invitations({ invitations }: { invitations: InvitationRow[] }) {
  if (invitations.length === 0) return null
  return (
    <>
      <h2>Pending invitations</h2>
      <Table
        columns={['Email', 'Role', 'Invited by', 'Expires', 'Actions']}
        name="Email"
        hidden="Actions"
        rows={invitations.map(({ invitation_id, email, role, invited_by, expires_at }) => [
          invitation_id,
          email,
          ROLE_WORDS[roleOf({ is_owner: false, role })],
          invited_by,
          <Ago at={expires_at} />,
          <PostButton
            action={`/settings/invitations/${invitation_id}/withdraw`}
            label={`Withdraw invitation for ${email}`}
            text="Withdraw invitation"
          />,
        ])}
      />
    </>
  )
}

/** Maximum time for sending an invitation. It is short, because a person is waiting. */
const INVITATION_WAIT_MS = 10_000

async function sendInvitation(
  { deps, options, viewer, org }: MemberContext,
  to: string,
  link: string,
): Promise<keyof typeof SENT> {
  if (!options.mailer) return 'unsendable'
  try {
    const mail = invitationMail({ to, link, org_name: org.name, invited_by: viewer.email })
    await options.mailer.send(mail, { kind: 'invitation', sender: String(org.org_id) }, INVITATION_WAIT_MS)
    return 'sent'
  } catch (error) {
    // A mail server's error can repeat parts of the email.
    const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
    deps.log.error({ code, responseCode }, 'an invitation could not be sent')
    return isQueueFault(error) ? 'late' : 'failed'
  }
}

/** Returns the role that a form selects. Default: member. */
function givenRole(text: string): GivenRole {
  return text === '' ? 'member' : requireGivenRole(text)
}

/** Labels of the fields of an invitation. */
const INVITED = { email: 'Email', role: 'Role' }
const ofPassword = (error: unknown) => [faultAt(error, 'password')]

export const MEMBER_ROUTES: readonly Route[] = [
  get('/settings/members', 'reader', membersPage),
  postOrRefuse('/settings/members/invite', 'org_admin', membersPage, INVITED, async (context) => {
    const { deps, options, viewer, org, form } = context
    const email = form.text('email').trim()
    await requireRoomForInvitation(context, email)
    const { token } = await invite(deps, org.org_id, email, viewer, givenRole(form.text('role')))
    const link = `${options.public_url}/invitations/${token}`
    const sent = await sendInvitation(context, email, link)
    // Renders the page without a redirect, because the link cannot be shown again.
    return membersPage(context, { email, link, sent })
  }),
  post('/settings/invitations/:invitation/withdraw', 'org_admin', async (context) => {
    await withdrawInvitation(context.deps, context.org.org_id, idParam(context, 'invitation'), context.viewer)
    return redirect('/settings/members', 'Invitation withdrawn.')
  }),
  post('/settings/members/:member/role', 'org_admin', async (context) => {
    const { deps, org, viewer, form } = context
    const { email, role } = await setRole(
      deps,
      org.org_id,
      { person_id: idParam(context, 'member') },
      form.text('role'),
      viewer,
    )
    return redirect('/settings/members', `Role of ${email} changed to ${ROLE_WORDS[role]}.`)
  }),
  post('/settings/members/:member/remove', 'org_admin', async (context) => {
    const { deps, org, viewer } = context
    const person_id = idParam(context, 'member')
    const { made } = await readMade(deps, org.org_id, person_id)
    await removeMemberById(deps, org.org_id, person_id, viewer)
    const next = made.length === 0 ? '/settings/members' : `/settings/members/${person_id}/made`
    return redirect(next, 'Member removed.')
  }),
  postOrRefuse(`${PATH}/:member/hand-over`, 'owner', membersPage, ofPassword, async (context) => {
    const { deps, viewer, org, form } = context
    const person_id = idParam(context, 'member')
    await requireRoom(context, PASSWORDS, String(viewer.person_id))
    await handOver(deps, viewer, { org_id: org.org_id, person_id, password: form.text('password') })
    return redirect('/settings/members', 'Ownership transferred.')
  }),
]
