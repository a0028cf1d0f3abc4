// Lists the organisations of a person, selects another one, or creates one.
import { ROLE_WORDS, roleOf } from '../../domain/organisations/roles.ts'
import { switchOrg } from '../../domain/people/sessions.ts'
import { foundOrganisation } from '../../domain/people/sign-in.ts'
import { Button } from '../design/button.tsx'
import { PageHead } from '../design/layout.tsx'
import { PostButton, PostForm } from '../post-form.tsx'
import { FOUNDINGS } from '../../domain/limits/rates.ts'
import { requireRoom } from '../limits.ts'
import { Field } from '../parts/field.tsx'
import { FaultyForm, type FormFault, faultOf } from '../parts/form-faults.tsx'
import { get, page, type PageAnswer, type PersonContext, post, redirect, type Route } from '../route.ts'

function organisationsPage({ viewer }: PersonContext, org_name = '', faults: readonly FormFault[] = []): PageAnswer {
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
      <FaultyForm faults={faults}>
        <PostForm action="/organisations">
          <Field name="org_name" label="Name" value={org_name} required />
          <Button kind="primary" text="Create organisation" />
        </PostForm>
      </FaultyForm>
    </section>,
    faults.length === 0 ? 200 : 400,
  )
}

export const ORGANISATION_ROUTES: readonly Route[] = [
  get('/organisations', 'person', async (context) => organisationsPage(context)),
  post('/organisations', 'person', async (context) => {
    const { deps, viewer, form, options } = context
    const name = form.text('org_name').trim()
    await requireRoom(context, FOUNDINGS, String(viewer.person_id))
    try {
      const org_id = await foundOrganisation(deps, viewer, name, options.default_plan)
      await switchOrg(deps, { ...viewer, orgs: [{ org_id, name, is_owner: true, role: 'member' }] }, org_id)
      return redirect('/', `${name} created.`)
    } catch (error) {
      return organisationsPage(context, name, [faultOf(error, { org_name: 'Name' })])
    }
  }),
  post('/organisations/switch', 'person', async ({ deps, viewer, form }) => {
    await switchOrg(deps, viewer, form.integer('org_id'))
    return redirect('/')
  }),
]
