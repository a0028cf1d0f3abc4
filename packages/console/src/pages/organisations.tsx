// Lists the organisations of a person, selects another one, or creates one.

import { FOUNDINGS } from '@dogwatch/domain/limits/rates'
import { ROLE_WORDS, roleOf } from '@dogwatch/domain/organisations/roles'
import { switchOrg } from '@dogwatch/domain/people/sessions'
import { foundOrganisation } from '@dogwatch/domain/people/sign-in'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { requireRoom } from '../limits.ts'
import { Field } from '../parts/field.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { get, type PageAnswer, type PersonContext, page, post, type Route, redirect } from '../route.ts'

function organisationsPage({ viewer }: PersonContext): PageAnswer {
  return page(
    'Organisations',
    <section class="narrow">
      <PageHead title="Organisations" />
      {viewer.orgs.length === 0 ? (
        <p>You are not in an organisation yet. Create an organisation or ask an owner for an invitation.</p>
      ) : (
        <ul class="plain">
          {viewer.orgs.map((org) => (
            <li>
              <PostButton action="/organisations/switch" hidden={{ org_id: org.org_id }} kind="quiet" text={org.name} />{' '}
              {ROLE_WORDS[roleOf(org)]}
              {org.org_id === viewer.org?.org_id ? ' · current organisation' : ''}
            </li>
          ))}
        </ul>
      )}
      <h2>Create an organisation</h2>
      <PostForm action="/organisations">
        <Field name="org_name" label="Name" required />
        <Button kind="primary" text="Create organisation" />
      </PostForm>
    </section>,
  )
}

export const ORGANISATION_ROUTES: readonly Route[] = [
  get('/organisations', 'person', organisationsPage),
  postOrRefuse('/organisations', 'person', organisationsPage, { org_name: 'Name' }, async (context) => {
    const { deps, viewer, form, options } = context
    const name = form.text('org_name').trim()
    await requireRoom(context, FOUNDINGS, String(viewer.person_id))
    const org_id = await foundOrganisation(deps, viewer, name, options.default_plan)
    await switchOrg(deps, { ...viewer, orgs: [{ org_id, name, is_owner: true, role: 'member' }] }, org_id)
    return redirect('/', `${name} created.`)
  }),
  post('/organisations/switch', 'person', async ({ deps, viewer, form }) => {
    await switchOrg(deps, viewer, form.integer('org_id'))
    return redirect('/')
  }),
]
