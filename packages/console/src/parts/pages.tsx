// Builds two kinds of pages that are alike everywhere: one with a single form, and one with a question before an action.
import type { ComponentChildren, VNode } from 'preact'
import { Button } from '../design/button.tsx'
import { type NamedLink, PageHead } from '../design/layout.tsx'
import { PostForm } from '../post-form.tsx'
import { Link } from '../rights.tsx'
import { type PageAnswer, page } from '../route.ts'

interface FormPage {
  title: string
  crumbs?: NarrowPageOptions['crumbs']
  /** Content between the heading and the form. */
  intro?: ComponentChildren
  action: string
  hidden?: Readonly<Record<string, string>>
  /** Fields of the form. They show their faults themselves. */
  fields: ComponentChildren
  /** Text of the button that sends the form. */
  button: string
  /** Buttons that follow the one that sends the form. */
  buttons?: ComponentChildren
  /** Content below the form. */
  more?: ComponentChildren
}

/** Parts of a form page that differ between a new item and an existing one. */
export type FormHead = Pick<FormPage, 'title' | 'action' | 'button'>

/** Builds a page that is a form. */
export function formPage(given: FormPage): PageAnswer {
  const { title, crumbs, intro, action, hidden, fields, button, buttons, more } = given
  const send = <Button kind="primary" text={button} />
  return narrowPage(
    title,
    <>
      {intro}
      <PostForm action={action} hidden={hidden}>
        {fields}
        {buttons === undefined ? send : <div class="actions">{[send, buttons]}</div>}
      </PostForm>
      {more}
    </>,
    { crumbs },
  )
}

interface NarrowPageOptions {
  /** Links to the pages above. Pages without a menu have none. */
  crumbs?: readonly NamedLink[] | undefined
  status?: number
}

/** Builds a narrow page under its title. */
export function narrowPage(
  title: string,
  content: ComponentChildren,
  { crumbs, status }: NarrowPageOptions = {},
): PageAnswer {
  return page(
    title,
    <section class="narrow">
      {crumbs === undefined ? <h1>{title}</h1> : <PageHead title={title} crumbs={crumbs} />}
      {content}
    </section>,
    status,
  )
}

/**
 * Builds the page after a person asked for a link by email at `path`. It is the same for every address, because no one may learn
 * who has an account here.
 */
export function sentPage(line: string, path: string): PageAnswer {
  return narrowPage(
    'Check your email',
    <>
      <p>{line}</p>
      <p>
        No email after a few minutes? Check your spam folder or <Link href={path}>try again</Link>.
      </p>
    </>,
  )
}

interface QuestionPage {
  /** Title of the browser tab. */
  title: string
  question: string
  /** Consequences of the action. */
  about: ComponentChildren
  /** Form with the button that performs the action. */
  form: VNode | null
  /** Path of the page to return to. */
  back: string
}

/** Builds a page that asks before an action. A ButtonLink with `opensDialog` shows it as a dialog over the page that led to it. */
export function questionPage({ title, question, about, form, back }: QuestionPage): PageAnswer {
  return page(
    title,
    <section class="narrow">
      <h1>{question}</h1>
      {about}
      <div class="actions">
        {form}
        <Link class="button" href={back} data-cancel>
          Cancel
        </Link>
      </div>
    </section>,
  )
}

/** Builds the question before the item with this path is deleted. `what` is the kind of item, as the button names it. */
export function deletionPage(item: {
  name: string
  path: string
  what: string
  back?: string
  about: string
}): PageAnswer {
  const { name, path, what, back = path, about } = item
  const form = (
    <PostForm action={`${path}/delete`}>
      <Button kind="danger" text={`Delete ${what}`} />
    </PostForm>
  )
  return questionPage({ title: `Delete ${name}`, question: `Delete “${name}”?`, about: <p>{about}</p>, form, back })
}
