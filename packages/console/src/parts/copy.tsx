// Renders text with a copy button.

export function CopyBlock({ id, text, label }: { id: string; text: string; label?: string }) {
  return (
    <figure class="copy">
      {label === undefined ? null : <figcaption>{label}</figcaption>}
      <pre id={id} tabIndex={0}>
        {text}
      </pre>
      <button type="button" class="quiet" data-copy={id} aria-label={`Copy${label === undefined ? '' : ` ${label}`}`}>
        Copy
      </button>
    </figure>
  )
}
