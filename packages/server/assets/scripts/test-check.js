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
  } catch {
    place.textContent = 'No response from the server. Try again.'
  }
  button.disabled = false
  place.removeAttribute('aria-busy')
  const pending = place.querySelector('[data-pending]')
  if (pending && tries > 0) setTimeout(() => pending.isConnected && void showTest(pending, tries - 1), 500)
}
document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-test], button[data-pending]')
  if (!button) return
  event.preventDefault()
  void showTest(button, 12)
})
