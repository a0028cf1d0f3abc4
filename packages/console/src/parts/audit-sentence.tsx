// Shows an entry of the audit log as one sentence, with a link to what it is about.
import { type AuditEntry, actorWords, auditSentence, type PhrasePart } from '@dogwatch/domain/audit/sentences'
import { Link } from '../rights.tsx'
import { At } from './time.tsx'

interface SentenceEntry extends AuditEntry {
  actor: string
  impersonator: string | null
  /** Guid of the check, if the entry is about one that exists. */
  check_guid?: string | null
}

/** Renders an entry: `alice@example.com changed the interval of the check “Shop” from 1 min to 30 s`. */
export function AuditSentence({ entry }: { entry: SentenceEntry }) {
  const { actor, impersonator, detail = {} } = entry
  const name = impersonator === null ? actorWords(actor) : `${impersonator} (as ${actor})`
  return (
    <>
      <b>{name}</b>
      {typeof detail.token === 'string' ? ` (token “${detail.token}”)` : ''}{' '}
      {auditSentence(entry).map((part) => (
        <SentencePart part={part} entry={entry} />
      ))}
    </>
  )
}

function SentencePart({ part, entry }: { part: PhrasePart; entry: SentenceEntry }) {
  if (typeof part === 'string') return <>{part}</>
  if ('at' in part) return <At at={part.at} dated />
  if ('named' in part) return <>“{part.named}”</>
  const { name, path } = linked(entry)
  return <>“{path === undefined ? name : <Link href={path}>{name}</Link>}”</>
}

/** Pattern of a monitor's ID, which follows the monitor's name in parentheses. */
const MONITOR_ID = /^ \(([\w-]{1,64})\)$/

/** Splits the subject of an entry into its name and the path of its page. Omits the path if there is no page. */
function linked({ action, subject, check_guid }: SentenceEntry): { name: string; path?: string } {
  if (check_guid) return { name: subject, path: `/checks/${check_guid}` }
  if (!action.startsWith('monitor.')) return { name: subject }
  const at = Math.max(0, subject.lastIndexOf(' ('))
  const [, id] = MONITOR_ID.exec(subject.slice(at)) ?? []
  return id === undefined ? { name: subject } : { name: subject.slice(0, at), path: `/monitors/${id}` }
}
