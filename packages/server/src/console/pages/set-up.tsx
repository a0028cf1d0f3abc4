// Sets up a fresh server: the link that the server printed leads here, until a person has used it.
import { requireSetUpLink, setUpServer } from '../../domain/people/first-person.ts'
import { refusalsOfSignUp } from '../../domain/people/sign-up.ts'
import { LINKS } from '../../domain/limits/rates.ts'
import { requireRoomFrom } from '../limits.ts'
import { Field } from '../parts/field.tsx'
import { type FormFault, faultsOfAll } from '../parts/form-faults.tsx'
import { type AnyoneContext, get, type PageAnswer, post, type Route } from '../route.ts'
import { formPage } from '../parts/pages.tsx'
import { Rest, SIGN_UP_LABELS } from './sign-up.tsx'

interface SetUpPageProps {
  email?: string
  org_name?: string
  faults?: readonly FormFault[]
}

async function setUpPage({ deps, params }: AnyoneContext, shown: SetUpPageProps = {}): Promise<PageAnswer> {
  const { secret = '' } = params
  const { faults = [] } = shown
  await requireSetUpLink(deps, secret)
  const intro = (
    <p>You will be the server admin and the owner of the first organisation. This page can be used only once.</p>
  )
  const fields = (
    <>
      <Field
        name="email"
        label="Email"
        type="email"
        value={shown.email ?? ''}
        hint="Your sign-in email."
        autocomplete="username"
        required
      />
      <Rest org_name={shown.org_name ?? ''} />
    </>
  )
  const action = `/set-up/${secret}`
  return formPage({ title: 'Set up this server', intro, action, fields, button: 'Set up server', faults })
}

export const SET_UP_ROUTES: readonly Route[] = [
  get('/set-up/:secret', 'anyone', (context) => setUpPage(context)),
  post('/set-up/:secret', 'anyone', async (context) => {
    const { deps, form, params, options } = context
    const [email, org_name] = [form.text('email').trim(), form.text('org_name').trim()]
    await requireRoomFrom(context, LINKS)
    const wanted = { email, org_name, password: form.text('password') }
    try {
      const signedIn = await setUpServer(deps, params.secret ?? '', wanted, options.default_plan)
      return {
        kind: 'redirect',
        to: '/',
        notice: 'Server set up. Create a check to get started.',
        ...signedIn,
      }
    } catch (error) {
      const faults = faultsOfAll(error, SIGN_UP_LABELS, refusalsOfSignUp(wanted))
      return setUpPage(context, { email, org_name, faults })
    }
  }),
]
