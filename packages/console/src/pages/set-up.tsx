// Sets up a fresh server: the link that the server printed leads here, until a person has used it.

import { LINKS } from '@dogwatch/domain/limits/rates'
import { requireSetUpLink, setUpServer } from '@dogwatch/domain/people/first-person'
import { requireRoomFrom } from '../limits.ts'
import { Field } from '../parts/field.tsx'
import { formPage } from '../parts/pages.tsx'
import { postOrRefuse } from '../refused-form.ts'
import { type AnyoneContext, get, type PageAnswer, type Route } from '../route.ts'
import { faultsOfSignUp, Rest } from './sign-up.tsx'

async function setUpPage({ deps, params }: AnyoneContext): Promise<PageAnswer> {
  const { secret = '' } = params
  await requireSetUpLink(deps, secret)
  const intro = (
    <p>You will be the server admin and the owner of the first organisation. This page can be used only once.</p>
  )
  const fields = (
    <>
      <Field name="email" label="Email" type="email" hint="Your sign-in email." autocomplete="username" required />
      <Rest />
    </>
  )
  const action = `/set-up/${secret}`
  return formPage({ title: 'Set up this server', intro, action, fields, button: 'Set up server' })
}

export const SET_UP_ROUTES: readonly Route[] = [
  get('/set-up/:secret', 'anyone', setUpPage),
  postOrRefuse('/set-up/:secret', 'anyone', setUpPage, faultsOfSignUp, async (context) => {
    const { deps, form, params, options } = context
    await requireRoomFrom(context, LINKS)
    const wanted = { ...form.texts(['email', 'org_name']), password: form.text('password') }
    const signedIn = await setUpServer(deps, params.secret ?? '', wanted, options.default_plan)
    return { kind: 'redirect', to: '/', notice: 'Server set up. Create a check to get started.', ...signedIn }
  }),
]
