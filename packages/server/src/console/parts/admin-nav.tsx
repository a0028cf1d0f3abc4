// The pages of the platform's admins, one beside the other, and the search that each begins with.
import type { VNode } from 'preact'

const PAGES = [
  ['/admin', 'Organisations'],
  ['/admin/people', 'People'],
  ['/admin/fleet', 'Shared fleet'],
] as const

export function AdminNav({ at }: { at: (typeof PAGES)[number][0] }): VNode {
  return (
    <nav class="tabs" aria-label="Admin">
      <ul>
        {PAGES.map(([href, label]) => (
          <li key={href}>
            <a href={href} aria-current={href === at ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function Search({ action, label, text }: { action: string; label: string; text: string }): VNode {
  return (
    <form method="get" action={action} class="narrow" role="search">
      <div class="field">
        <label for="search">{label}</label>
        <input id="search" name="q" type="search" value={text} />
      </div>
      <button type="submit">Search</button>
    </form>
  )
}
