// Renders the switch that lets an admin of the installation turn a monitor or heartbeat off. Its organisation cannot turn it on
// again.
import { PostButton } from '../post-form.tsx'

export function KillSwitch({ action, name, on }: { action: string; name: string; on: boolean }) {
  return (
    <PostButton
      action={action}
      hidden={{ on: on ? 'no' : 'yes' }}
      kind={on ? 'danger' : 'secondary'}
      label={`${on ? 'Turn off' : 'Turn on'} ${name}`}
      confirm={on ? `Turn off ${name}? Only a server admin can turn it back on.` : undefined}
      text={on ? 'Turn off' : 'Turn on'}
    />
  )
}
