// Renders the form element of every form that changes something.
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Button, type ButtonProps } from './design/button.tsx'
import { Refusable } from './parts/form-faults.tsx'
import { useMay } from './rights.tsx'

export const Csrf = createContext('')

interface PostFormProps {
  action: string
  class?: string
  id?: string
  /** Values that the form sends without showing them. */
  hidden?: Readonly<Record<string, string | number | undefined>> | undefined
  children: ComponentChildren
}

/** Renders a form with its CSRF token, or nothing if the viewer may not send it. All POST forms of the console use it. */
export function PostForm({ hidden = {}, children, ...rest }: PostFormProps) {
  const csrf = useContext(Csrf)
  if (!useMay()('POST', rest.action)) return null
  return (
    <Refusable action={rest.action}>
      <form method="post" {...rest}>
        <input type="hidden" name="csrf" value={csrf} />
        {Object.entries(hidden).map(([name, value]) =>
          value === undefined ? null : <input type="hidden" name={name} value={value} />,
        )}
        {children}
      </form>
    </Refusable>
  )
}

/** Renders a form that is a single button, for a change that needs no input. */
export function PostButton({ action, hidden, ...button }: ButtonProps & Pick<PostFormProps, 'action' | 'hidden'>) {
  return (
    <PostForm action={action} class="inline" hidden={hidden}>
      <Button {...button} />
    </PostForm>
  )
}
