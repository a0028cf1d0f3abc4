// Renders tabs: links between pages that belong together.
import { Link } from '../rights.tsx'
import type { NamedLink } from './layout.tsx'

/** Renders tabs. `at` is the href of the current page. */
export function Tabs({ label, pages, at }: { label: string; pages: readonly NamedLink[]; at: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {pages.map((page) => (
          <li>
            <Link href={page.href} aria-current={page.href === at ? 'page' : undefined}>
              {page.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
