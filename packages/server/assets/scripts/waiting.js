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

// A link to the page that follows, which is followed after a moment.
const again = document.querySelector('a[data-reload]')
if (again) setTimeout(() => location.replace(again.href), 1000)
