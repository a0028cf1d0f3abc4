// The component of every form.
import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'

export const Csrf = createContext('')

/** A form with its CSRF token. Every form of the console is one. */
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
