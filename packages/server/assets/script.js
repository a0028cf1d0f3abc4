// What the pages can do better with scripts than without. None of them needs it.
for (const time of document.querySelectorAll('time[data-relative]')) {
  time.title = new Date(time.dateTime).toLocaleString()
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]')
  if (!button) return
  const text = document.getElementById(button.dataset.copy)?.textContent ?? ''
  void navigator.clipboard.writeText(text.trim()).then(() => {
    const label = button.textContent
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = label), 1500)
  })
})

document.addEventListener('submit', (event) => {
  const question = event.submitter?.dataset.confirm
  if (question && !window.confirm(question)) event.preventDefault()
})

// Whoever ticks a monitor means this one, and not all of them: the choice above it follows. The server reads it likewise.
document.addEventListener('change', ({ target }) => {
  if (target.name !== 'monitors' || !target.checked) return
  const chosen = target.form?.querySelector('input[name=who][value=chosen]')
  if (chosen) chosen.checked = true
})

// A file is read into the text that is sent.
for (const place of document.querySelectorAll('[data-into]')) {
  const text = document.getElementById(place.dataset.into)
  place.hidden = false
  place.querySelector('input').addEventListener('change', (event) => {
    void event.target.files[0]?.text().then((content) => (text.value = content))
  })
}

// What scrolls sideways is scrolled by keyboard, too, in browsers that do not see to it themselves.
const letIn = () => {
  for (const place of document.querySelectorAll('.scroll')) {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0
    else place.removeAttribute('tabindex')
  }
}
letIn()
window.addEventListener('resize', letIn)

// A page that waits for a first result looks for it, for two minutes at most.
const waiting = document.querySelector('[data-look-again]')
if (waiting) {
  let looks = 0
  const look = async () => {
    looks += 1
    const answer = document.hidden ? undefined : await fetch(location.href).catch(() => undefined)
    const html = answer?.ok ? await answer.text().catch(() => undefined) : undefined
    if (html !== undefined && !html.includes('data-look-again')) return location.reload()
    if (looks < 60) setTimeout(() => void look(), 2000)
  }
  setTimeout(() => void look(), 2000)
}

// A part of a page that waits for something asks for its news, until the answer says that there is none to come.
const POLL_MS = 3_000
const POLLS = 1_200
const poll = async (place, left) => {
  const { poll: path } = place.dataset
  if (path === undefined || left === 0) return
  await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  if (!document.hidden) {
    const text = await fetch(path).then(
      (answer) => (answer.ok ? answer.text() : ''),
      () => '',
    )
    const news = new DOMParser().parseFromString(text, 'text/html').getElementById(place.id)
    if (news) {
      if (news.innerHTML !== place.innerHTML) place.replaceChildren(...news.childNodes)
      if (news.dataset.poll === undefined) delete place.dataset.poll
    }
  }
  return poll(place, left - 1)
}
for (const place of document.querySelectorAll('[data-poll]')) void poll(place, POLLS)

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
    place.textContent = 'The server did not answer. Try again.'
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

const again = document.querySelector('a[data-reload]')
if (again) setTimeout(() => location.replace(again.href), 1000)
