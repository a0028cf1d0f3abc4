// Shows a person's passkeys, and adds, names and removes them.

import { DomainError } from '@dogwatch/domain/errors'
import { PASSWORDS } from '@dogwatch/domain/limits/rates'
import {
  addPasskey,
  beginPasskey,
  type PasskeyRow,
  readPasskeys,
  removePasskey,
  renamePasskey,
  type Site,
  siteOf,
} from '@dogwatch/domain/people/passkeys'
import type { VNode } from 'preact'
import { Button } from '../design/button.tsx'
import { Card } from '../design/layout.tsx'
import { requireRoom } from '../limits.ts'
import { CurrentPassword, Fault, Field } from '../parts/field.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { PasskeyForm } from '../parts/passkey-form.tsx'
import { Ago } from '../parts/time.tsx'
import { deviceWords } from '../parts/user-agent.ts'
import { PostForm } from '../post-form.tsx'
import { type PersonContext, type Route, redirect, type SectionPost } from '../route.ts'

/** State of a section: whether the person has a password to ask for, and the refusal of a form. */
export interface SectionState {
  hasPassword: boolean
  fault: string | undefined
}

export async function PasskeySection(context: PersonContext, { hasPassword, fault }: SectionState): Promise<VNode> {
  const { deps, options, viewer, beginning } = context
  const passkeys = await readPasskeys(deps, viewer.person_id)
  const isPossible = siteOf(options.public_url) !== undefined
  return (
    <Card title="Passkeys">
      <p>
        Sign in with your fingerprint, face or device PIN instead of a password. A passkey also counts as a second
        factor.
      </p>
      <Fault line={fault} />
      {passkeys.map((passkey) => (
        <Passkey passkey={passkey} hasPassword={hasPassword} />
      ))}
      {isPossible ? (
        <details class="part" open={fault !== undefined}>
          <summary>Add passkey</summary>
          <PostForm action="/account/passkeys/new">
            <Field
              name="name"
              label="Name"
              value={deviceWords(beginning.user_agent ?? null)}
              hint="A name to recognise this passkey, for example “Work laptop”."
              required
            />
            {hasPassword ? <CurrentPassword id="passkey-password-new" /> : null}
            <Button text="Add passkey" />
          </PostForm>
        </details>
      ) : (
        <p class="hint">Passkeys require HTTPS and a domain name. PUBLIC_URL is currently {options.public_url}.</p>
      )}
    </Card>
  )
}

function Passkey({ passkey, hasPassword }: { passkey: PasskeyRow; hasPassword: boolean }) {
  const { credential_id, name, created_at, last_used_at } = passkey
  return (
    <details class="part">
      <summary>
        {name}, added <Ago at={created_at} />
        {last_used_at === null ? ' · never used' : [' · last used ', <Ago at={last_used_at} />]}
      </summary>
      <PostForm action="/account/passkeys/name" hidden={{ passkey: credential_id }}>
        <Field id={`passkey-name-${credential_id}`} name="name" label="Name" value={name} required />
        <Button text="Rename passkey" />
      </PostForm>
      <PostForm action="/account/passkeys/remove" hidden={{ passkey: credential_id }}>
        {hasPassword ? <CurrentPassword id={`passkey-password-${credential_id}`} /> : null}
        <Button kind="danger" text="Remove passkey" />
      </PostForm>
    </details>
  )
}

/** Returns the site that passkeys are for. Throws DomainError if this server cannot have any. */
export function requireSite({ options }: Pick<PersonContext, 'options'>): Site {
  const site = siteOf(options.public_url)
  if (!site)
    throw new DomainError(
      'missing',
      'passkeys are not available on this server, because PUBLIC_URL is not an https:// URL with a domain name',
    )
  return site
}

export function passkeyRoutes(post: SectionPost): readonly Route[] {
  return [
    post('/new', async (context) => {
      const { deps, viewer, form } = context
      const site = requireSite(context)
      await requireRoom(context, PASSWORDS, String(viewer.person_id))
      const wanted = { password: form.text('password'), name: form.text('name').trim() }
      const asked = await beginPasskey(deps, viewer, site, wanted)
      return narrowPage(
        'Add passkey',
        <PasskeyForm action="/account/passkeys" kind="create" asked={asked} button="Create passkey" />,
        { crumbs: [{ href: '/account', label: 'Account' }] },
      )
    }),
    post('', async (context) => {
      const { deps, viewer, form } = context
      const given = { pending: form.text('pending'), response: form.text('response') }
      const { name } = await addPasskey(deps, viewer, requireSite(context), given)
      return redirect('/account', `Passkey “${name}” added.`)
    }),
    post('/name', async ({ deps, viewer, form }) => {
      await renamePasskey(deps, viewer, form.text('passkey'), form.text('name'))
      return redirect('/account', 'Passkey renamed.')
    }),
    post('/remove', async (context) => {
      const { deps, viewer, form } = context
      await requireRoom(context, PASSWORDS, String(viewer.person_id))
      await removePasskey(deps, viewer, form.text('passkey'), form.text('password'))
      return redirect('/account', 'Passkey removed.')
    }),
  ]
}
