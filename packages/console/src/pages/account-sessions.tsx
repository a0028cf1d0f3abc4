// Shows where a person is signed in, and ends those sessions.

import { closeAllSessions, closeOneSession, closeOtherSessions, readSessions } from '@dogwatch/domain/people/sessions'
import type { VNode } from 'preact'
import { Card } from '../design/layout.tsx'
import { Table } from '../design/table.tsx'
import { Ago } from '../parts/time.tsx'
import { deviceWords } from '../parts/user-agent.ts'
import { PostButton } from '../post-form.tsx'
import { type PersonContext, post, type Route, redirect } from '../route.ts'

export async function SessionSection({ deps, viewer }: PersonContext): Promise<VNode> {
  const sessions = await readSessions(deps, viewer)
  return (
    <Card title="Sessions">
      <p>Browsers where you are signed in. Sessions expire after 30 days without use.</p>
      <Table
        columns={['Browser', 'IP address', 'Signed in', 'Last used', 'Actions']}
        name="Browser"
        rows={sessions.map(({ session_hash, address, user_agent, created_at, last_used_at, is_this }, index) => [
          index,
          [deviceWords(user_agent), is_this ? <strong> (this session)</strong> : null],
          address ?? 'Unknown',
          <Ago at={created_at} />,
          <Ago at={last_used_at} />,
          is_this ? null : (
            <PostButton
              action="/account/sessions/end"
              hidden={{ session: session_hash.toString('base64url') }}
              kind="quiet"
              label={`End session: ${deviceWords(user_agent)}`}
              text="End session"
            />
          ),
        ])}
      />
      <div class="actions">
        {sessions.length > 1 ? (
          <PostButton action="/account/sessions/end-others" text="End all other sessions" />
        ) : null}
        <PostButton
          action="/account/sign-out-everywhere"
          kind="danger"
          confirm="Sign out of all sessions, including this one?"
          text="Sign out on all devices"
        />
      </div>
      <p class="hint">API tokens and monitors are not affected.</p>
    </Card>
  )
}

export const SESSION_ROUTES: readonly Route[] = [
  post('/account/sessions/end', 'person', async ({ deps, viewer, form }) => {
    await closeOneSession(deps, viewer, form.text('session'))
    return redirect('/account', 'Session ended.')
  }),
  post('/account/sessions/end-others', 'person', async ({ deps, viewer }) => {
    await closeOtherSessions(deps, viewer)
    return redirect('/account', 'All other sessions ended.')
  }),
  post('/account/sign-out-everywhere', 'person', async ({ deps, viewer }) => {
    await closeAllSessions(deps, viewer)
    return { kind: 'redirect', to: '/sign-in', session: null, notice: 'Signed out on all devices.' }
  }),
]
