// Renders the platform's own switch of a monitor or heartbeat, which an organisation cannot move back.
import type { VNode } from 'preact'
import { Button } from '../design/button.tsx'
import { PostForm } from '../frame.tsx'

export function KillSwitch({ action, name, on }: { action: string; name: string; on: boolean }): VNode {
  return (
    <PostForm action={action} class="inline">
      <input type="hidden" name="on" value={on ? 'no' : 'yes'} />
      <Button
        kind={on ? 'danger' : 'secondary'}
        label={`${on ? 'Turn off' : 'Turn on'} ${name}`}
        confirm={on ? `Turn off ${name}? Only a server admin can turn it back on.` : undefined}
      >
        {on ? 'Turn off' : 'Turn on'}{' '}
      </Button>
    </PostForm>
  )
}
