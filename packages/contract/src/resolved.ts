// Resolves the references within a document.

type Document = Readonly<Record<string, unknown>>

const ANSWERS = '#/components/responses/'

/**
 * Returns the document without references. Operations share one object for a response, which would otherwise be most of the
 * document. Everything else is copied, because validators write into schemas.
 */
export function resolved(document: Document): Document {
  const answers = new Map<string, unknown>()
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    const { $ref: reference } = node as { $ref?: unknown }
    if (typeof reference !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, copy(value)]))
    }
    if (!reference.startsWith(ANSWERS)) return copy(placeOf(reference))
    if (!answers.has(reference)) answers.set(reference, copy(placeOf(reference)))
    return answers.get(reference)
  }
  const placeOf = (reference: string): unknown => {
    const [root, ...names] = reference.split('/')
    const found = names.reduce<unknown>((node, name) => (node as Document | undefined)?.[name], document)
    if (root !== '#' || found === undefined) throw new Error(`the document has no ${reference}`)
    return found
  }
  return copy(document) as Document
}
