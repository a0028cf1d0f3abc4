// A page that waits for a first result asks for itself again, for two minutes at most. It is not loaded again: that would take
// back a form that was just sent.
const LOOK_MS = 2_000
const LOOKS = 60
const isWaiting = () => document.querySelector('[data-look-again]') !== null
const look = (left) => {
  if (left === 0 || !isWaiting()) return
  if (!document.hidden) document.dispatchEvent(new Event('live-refresh'))
  setTimeout(() => look(left - 1), LOOK_MS)
}
if (isWaiting()) setTimeout(() => look(LOOKS), LOOK_MS)

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
