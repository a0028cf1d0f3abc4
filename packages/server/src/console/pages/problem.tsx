// The page for errors.
import { ButtonLink } from '../design/button.tsx'
import { span } from '../parts/time.tsx'
import { page, type PageAnswer } from '../route.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'That cannot be right',
  401: 'Sign in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'It changed meanwhile',
  413: 'Too large',
  429: 'Too many tries',
  500: 'Something broke on our side',
  503: 'Overloaded',
}

/** `retry_after_sec`: when a retry will be answered. */
export function problemPage(status: number, line: string, retry_after_sec?: number): PageAnswer {
  const title = TITLES[status] ?? 'Not possible'
  return page(
    title,
    <section class="narrow">
      <h1>{title}</h1>
      <p>{sentence(line)}</p>
      {retry_after_sec === undefined ? null : <p>Try again in {span(retry_after_sec)}.</p>}
      <p>
        <ButtonLink href="/">Go to the start page</ButtonLink>
      </p>
    </section>,
    status,
  )
}

/** Refusals are lower-case lines; on a page they become sentences. */
export function sentence(line: string): string {
  return `${line.slice(0, 1).toUpperCase()}${line.slice(1)}${/[.!?]$/.test(line) ? '' : '.'}`
}
