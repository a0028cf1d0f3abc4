// Renders the form element of every form that changes something.
import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'

export const Csrf = createContext('')

/** Renders a form with its CSRF token. All POST forms of the console use it. */
export function PostForm(props: { action: string; class?: string; id?: string; children: ComponentChildren }): VNode {
  const csrf = useContext(Csrf)
  const { children, ...rest } = props
  return (
    <form method="post" {...rest}>
      <input type="hidden" name="csrf" value={csrf} />
      {children}
    </form>
  )
}
