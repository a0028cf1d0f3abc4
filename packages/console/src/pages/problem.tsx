// Renders the page for errors.
import { ButtonLink } from '../design/button.tsx'
import { narrowPage } from '../parts/pages.tsx'
import { span } from '../parts/time.tsx'
import { sentence } from '../refusal.ts'
import type { PageAnswer } from '../route.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Request not accepted',
  401: 'Sign in to continue',
  403: 'Access denied',
  404: 'Page not found',
  409: 'This cannot be done now',
  413: 'Request too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Server busy',
}

/** Pattern of messages about things that do not exist. Pages use other words than APIs, because pages name no guids. */
const LOST = /^no ([a-z ]+) with that (?:guid|id)$/

/** Renders an error. `retry_after_sec` is the time after which a retry will succeed. */
export function problemPage(status: number, line: string, retry_after_sec?: number): PageAnswer {
  const title = TITLES[status] ?? 'Request failed'
  return narrowPage(
    title,
    <>
      <p>{sentence(line.replace(LOST, 'there is no $1 at this address; the $1 may have been deleted'))}</p>
      {retry_after_sec === undefined ? null : <p>Try again in {span(retry_after_sec)}.</p>}
      <p>
        <ButtonLink href="/" text="Go to overview" />
      </p>
    </>,
    { status },
  )
}
