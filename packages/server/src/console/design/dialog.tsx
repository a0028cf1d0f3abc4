// A question before something is done: a page of its own, which scripts show in a dialog over the page that led to it.
import type { ComponentChildren, VNode } from 'preact'

interface QuestionProps {
  title: string
  /** What follows from it. */
  children: ComponentChildren
  /** A form with the button that does it. */
  form: ComponentChildren
  /** The page to go back to. */
  back: string
}

/** Opened by a ButtonLink with `opensDialog`. */
export function Question({ title, children, form, back }: QuestionProps): VNode {
  return (
    <section class="narrow">
      <h1>{title}</h1>
      {children}
      <div class="actions">
        {form}
        <a class="button" href={back} data-cancel>
          Cancel
        </a>
      </div>
    </section>
  )
}
