// The list of first steps on the overview, until all of them are done or somebody hides it.
import type { VNode } from 'preact'
import { type FirstStep, type FirstStepName, hideFirstSteps } from '../../domain/organisations/first-steps.ts'
import { Mood } from '../design/badge.tsx'
import { PostForm } from '../frame.tsx'
import { post, type Route, redirect } from '../route.ts'

const STEPS: Readonly<Record<FirstStepName, readonly [text: string, href: string, hint: string]>> = {
  check: ['Create a check', '/checks/new', 'It needs a name and an address.'],
  result: [
    'See its first result',
    '/monitors',
    'It comes within seconds where a monitor is online: an agent that runs checks from one place.',
  ],
  channel: [
    'Add a channel and send a test alert',
    '/channels',
    'Without a channel, nobody is told when a check goes down.',
  ],
  heartbeat: [
    'Add a heartbeat',
    '/heartbeats/new',
    'For backups and other jobs: an alert when one does not report in time.',
  ],
  monitor: [
    'Add a second monitor',
    '/monitors/new',
    'Checks go on when one is offline, and a second place confirms what the first one sees.',
  ],
  status_page: ['Publish a status page', '/settings/status-page', 'It shows your users what you choose.'],
}

export function FirstSteps({ steps }: { steps: readonly FirstStep[] }): VNode | null {
  const done = steps.filter(({ is_done }) => is_done).length
  if (done === steps.length) return null
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">
        First steps: {done} of {steps.length} done
      </h2>
      <ol>
        {steps.map(({ name, is_done }) => (
          <Step key={name} name={name} is_done={is_done} />
        ))}
      </ol>
      <PostForm action="/first-steps/hide" class="inline">
        <button type="submit" class="quiet">
          Hide first steps
        </button>
      </PostForm>
    </section>
  )
}

function Step({ name, is_done }: FirstStep): VNode {
  const [text, href, hint] = STEPS[name]
  return (
    <li>
      <Mood icon={is_done ? 'circle-check' : 'circle-dashed'} tone={is_done ? 'good' : 'idle'}>
        {is_done ? 'Done' : 'To do'}
      </Mood>{' '}
      {is_done ? (
        text
      ) : (
        <>
          <a href={href}>{text}</a> <span class="hint">{hint}</span>
        </>
      )}
    </li>
  )
}

export const FIRST_STEP_ROUTES: readonly Route[] = [
  post('/first-steps/hide', 'member', async ({ deps, org, viewer }) => {
    await hideFirstSteps(deps, org.org_id, viewer)
    return redirect('/', 'The first steps are hidden for all members.')
  }),
]
