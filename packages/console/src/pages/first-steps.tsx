// Renders the list of first steps on the overview, until all of them are done or a person hides it.
import { type FirstStep, type FirstStepName, hideFirstSteps } from '@dogwatch/domain/organisations/first-steps'
import { Mood } from '../design/badge.tsx'
import { PostButton } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { post, type Route, redirect } from '../route.ts'

const STEPS: Readonly<Record<FirstStepName, readonly [text: string, href: string, hint: string]>> = {
  check: ['Create a check', '/checks/new', 'Enter a name and a URL.'],
  result: [
    'Get the first result',
    '/monitors',
    'A monitor must be online. A monitor is an agent that runs checks from one location.',
  ],
  channel: [
    'Add a channel and send a test alert',
    '/channels',
    'Without a channel, no one is notified when a check goes down.',
  ],
  heartbeat: ['Add a heartbeat', '/heartbeats/new', 'Get an alert when a backup or cron job does not run on time.'],
  monitor: [
    'Add a second monitor',
    '/monitors/new',
    'Confirm failures from a second location, and keep checks running if one monitor goes offline.',
  ],
  status_page: [
    'Publish a status page',
    '/settings/status-page',
    'Show your users the status of the services you choose.',
  ],
}

export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const done = steps.filter(({ is_done }) => is_done).length
  if (done === steps.length) return null
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">
        Get started: {done} of {steps.length} done
      </h2>
      <ol>
        {steps.map(({ name, is_done }) => (
          <Step name={name} is_done={is_done} />
        ))}
      </ol>
      <PostButton action="/first-steps/hide" kind="quiet" text="Dismiss" />
    </section>
  )
}

function Step({ name, is_done }: FirstStep) {
  const [text, href, hint] = STEPS[name]
  return (
    <li>
      <Mood
        icon={is_done ? 'circle-check' : 'circle-dashed'}
        tone={is_done ? 'good' : 'idle'}
        text={is_done ? 'Done' : 'To do'}
      />{' '}
      {is_done ? text : [<Link href={href}>{text}</Link>, ' ', <span class="hint">{hint}</span>]}
    </li>
  )
}

export const FIRST_STEP_ROUTES: readonly Route[] = [
  post('/first-steps/hide', 'member', async ({ deps, org, viewer }) => {
    await hideFirstSteps(deps, org.org_id, viewer)
    return redirect('/', '“Get started” hidden for all members.')
  }),
]
