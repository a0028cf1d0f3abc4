// Renders a question before an action: a page of its own, which scripts show in a dialog over the page that led to it.
import type { ComponentChildren, VNode } from 'preact'
import { Link } from '../rights.tsx'

interface QuestionProps {
  title: string
  /** Consequences of the action. */
  children: ComponentChildren
  /** Form with the button that performs the action. */
  form: ComponentChildren
  /** Path of the page to return to. */
  back: string
}

/** Renders the question. A ButtonLink with `opensDialog` opens it as a dialog. */
export function Question({ title, children, form, back }: QuestionProps): VNode {
  return (
    <section class="narrow">
      <h1>{title}</h1>
      {children}
      <div class="actions">
        {form}
        <Link class="button" href={back} data-cancel>
          Cancel
        </Link>
      </div>
    </section>
  )
}
