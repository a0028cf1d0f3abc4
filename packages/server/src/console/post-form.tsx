// Renders the form element of every form that changes something.
import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { useMay } from './rights.tsx'

export const Csrf = createContext('')

interface PostFormProps {
  action: string
  class?: string
  id?: string
  children: ComponentChildren
}

/** Renders a form with its CSRF token, or nothing if the viewer may not send it. All POST forms of the console use it. */
export function PostForm({ children, ...rest }: PostFormProps): VNode | null {
  const csrf = useContext(Csrf)
  if (!useMay()('POST', rest.action)) return null
  return (
    <form method="post" {...rest}>
      <input type="hidden" name="csrf" value={csrf} />
      {children}
    </form>
  )
}
