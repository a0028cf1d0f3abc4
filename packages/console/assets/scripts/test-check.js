// A test takes the place of the one before, and what is being written stays as it is. A run that is waited for is looked up again.
const showTest = async (button, tries) => {
  const place = document.getElementById('tested')
  const body = new URLSearchParams(new FormData(button.form, button))
  button.disabled = true
  place.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(button.formAction, { method: 'POST', body })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const shown = page.getElementById('tested')
    const fault = page.querySelector('main [role=alert]') ?? (shown ? null : page.querySelector('main'))
    place.replaceChildren(...(fault ? [fault] : shown.childNodes))
    place.scrollIntoView({ block: 'nearest' })
  } catch {
    place.textContent = 'No response from the server. Try again.'
  }
  button.disabled = false
  place.removeAttribute('aria-busy')
  const pending = place.querySelector('[data-pending]')
  if (pending && tries > 0) setTimeout(() => pending.isConnected && void showTest(pending, tries - 1), 500)
}
// After a change, the result is that of an earlier definition.
document.getElementById('check-form')?.addEventListener('input', ({ target }) => {
  const place = document.getElementById('tested')
  if (!place?.firstElementChild || place.querySelector('[data-stale]') || target.name === 'test_from') return
  const note = document.createElement('p')
  note.dataset.stale = ''
  note.textContent = 'This result is from before your last change.'
  place.prepend(note)
})
document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-test], button[data-pending]')
  if (!button) return
  event.preventDefault()
  void showTest(button, 12)
})
