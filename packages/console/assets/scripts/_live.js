// Keeps a page that is open true. The server says over a stream that something changed; then the page is asked for again, and what the
// server says otherwise than before is changed here, in the parts that are marked by data-live. Nothing else is touched: what
// people typed, opened, ticked and focused, and what other scripts made of the page. Its name puts it before the other scripts, so that
// it sees the page as the server sent it. Afterwards it raises `live` on the document, for scripts that look at the page.
const meta = document.querySelector('meta[name=live]')

/** From each node as the server sent it to the one that is shown. */
const shown = new WeakMap()

function copyOf(node) {
  const copy = node.cloneNode(true)
  const note = (sent, live) => {
    shown.set(sent, live)
    let child = live.firstChild
    for (const one of sent.childNodes) {
      note(one, child)
      child = child.nextSibling
    }
  }
  note(copy, node)
  return copy
}

/** What a node is known by among its neighbours: rows may come, go and change their order. */
function keyOf(node) {
  if (node.nodeType !== 1) return `#${node.nodeType}`
  const id = node.id || node.dataset.key
  if (id) return `${node.tagName} ${id}`
  if (!/^(TR|LI|ARTICLE)$/.test(node.tagName)) return node.tagName
  const known = node.querySelector('input[type=checkbox]')?.value ?? node.querySelector('a[href]')?.getAttribute('href')
  return `${node.tagName} ${known ?? ''}`
}

/** Brings `sent`, as the server sent it before, to what it sends now, and what is shown along with it. */
function update(sent, fresh) {
  if (sent.isEqualNode(fresh)) return
  const live = shown.get(sent)
  if (sent.nodeType !== 1) {
    sent.data = live.data = fresh.data
    return
  }
  if (sent.dataset.liveWhole !== undefined) {
    put(fresh, sent, sent.parentNode)
    drop(sent)
    return
  }
  for (const { name } of [...sent.attributes]) if (!fresh.hasAttribute(name)) setAttribute(sent, live, name, null)
  for (const { name, value } of fresh.attributes) {
    if (sent.getAttribute(name) !== value) setAttribute(sent, live, name, value)
  }
  updateChildren(sent, fresh)
}

function setAttribute(sent, live, name, value) {
  for (const one of name === 'open' ? [sent] : [sent, live]) {
    if (value === null) one.removeAttribute(name)
    else one.setAttribute(name, value)
  }
}

function updateChildren(sent, fresh) {
  const known = new Map()
  // A notice is said once, and stays above the rest.
  const own = [...sent.childNodes].filter((node) => node.dataset?.liveKeep === undefined)
  for (const child of own) {
    const key = keyOf(child)
    known.set(key, [...(known.get(key) ?? []), child])
  }
  let next = own[0] ?? null
  for (const wanted of [...fresh.childNodes]) {
    const found = known.get(keyOf(wanted))?.shift()
    if (!found) put(wanted, next, sent)
    else {
      if (found === next) next = next.nextSibling
      else move(found, next, sent)
      update(found, wanted)
    }
  }
  for (const left of known.values()) for (const one of left) drop(one)
}

function put(fresh, before, parent) {
  const live = document.importNode(fresh, true)
  place(live, before, parent)
  parent.insertBefore(copyOf(live), before)
}

function move(node, before, parent) {
  place(shown.get(node), before, parent)
  parent.insertBefore(node, before)
}

function place(live, before, parent) {
  const [box, mark] = [shown.get(parent), before && shown.get(before)]
  box.insertBefore(live, mark?.parentNode === box ? mark : null)
}

function drop(node) {
  shown.get(node).remove()
  node.remove()
}

const parts = new Map()
/** What is marked within a part belongs to it. */
const partsOf = (page) =>
  [...page.querySelectorAll('[data-live]')].filter((part) => !part.parentElement.closest('[data-live]'))

/** The tokens of forms differ each time, and the earlier ones remain valid. */
function keepTokens(page) {
  const token = document.querySelector('input[name=csrf]')?.value
  for (const input of page.querySelectorAll('input[name=csrf]')) input.setAttribute('value', token ?? input.value)
}

function show(page) {
  const focused = document.activeElement
  keepTokens(page)
  for (const part of partsOf(page)) {
    const sent = parts.get(part.dataset.live)
    if (sent) update(sent, part)
  }
  document.title = page.title
  for (const icon of page.querySelectorAll('link[rel=icon]')) {
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon.getAttribute('href'))
  }
  // Whatever is moved loses the focus.
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true })
  document.dispatchEvent(new Event('live'))
}

const isTyping = () =>
  [...document.querySelectorAll('main textarea, main input')].some(
    (field) => !/^(hidden|checkbox|radio|submit)$/.test(field.type) && field.value !== field.defaultValue,
  )

function say(text) {
  const line = document.createElement('p')
  line.className = 'notice'
  line.setAttribute('role', 'status')
  line.textContent = text
  document.querySelector('main').prepend(line)
}

/** Loading it again is what shows why there is no such page any more, unless that would lose what somebody writes. */
function leave() {
  stop()
  if (isTyping()) say('This page is out of date. Save your changes, then reload.')
  else location.reload()
}

/** A visible page asks again after this time if it shows something that comes all the time, such as results. */
const OFTEN_MS = 60_000
/** After a page could not be had, it is asked for again after this time. */
const POLL_MS = 10_000
/** Without a stream a hidden page asks so often whether something changed. */
const HIDDEN_POLL_MS = 60_000
/** A page that was refused a stream, or lost it to another page, tries again after this time. */
const AGAIN_MS = 30_000
/** A page that is hidden keeps its stream for this time. */
const HIDE_MS = 15_000
/** A page spends one part in so many of its time on asking. */
const SHARE = 10
/** The longest rest between two questions. */
const MOST_REST_MS = 5_000

/** After this silence a page asks whether the server is there. */
const SILENT_MS = 6_000
/** Without a sign of life for this time, what the page shows may no longer be true. */
const LOST_MS = 10_000
/** A page that wakes up asks first. */
const WAKE_MS = 2_000
/** A timer as late as this slept. */
const SLEPT_MS = 5_000
/** An answer that takes longer is no sign of life. */
const ANSWER_MS = 5_000
const PAGE_MS = 30_000

let version = meta?.content ?? ''
let stream
let isAsking = false
let isOver = false
let due
let restUntil = 0
let refusedAt = -Infinity
let asking
let isLost = false

/** One clock stops while some machines sleep, and the other may be set. */
const instant = () => ({ wall: Date.now(), steady: performance.now() })
const since = ({ wall, steady }) => Math.max(Date.now() - wall, performance.now() - steady)
const ahead_ms = Date.now() - Date.parse(document.querySelector('meta[name=now]')?.content ?? new Date())
let heard = instant()

/** Notes a sign of life. What the page shows is true again once it was asked for. */
function hear() {
  heard = instant()
  if (!isLost) return
  // A page that could not be had waits before it is asked for again.
  clearTimeout(due)
  due = undefined
  restUntil = 0
  refresh()
}

/** Writes a time as the server does. */
function clockText(at, { zone, hours }) {
  const text = (date, options) => {
    try {
      return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(date)
    } catch {
      return new Intl.DateTimeFormat('en-GB', options).format(date)
    }
  }
  const dayOf = (date) => text(date, { day: 'numeric', month: 'short' })
  const is12 = hours === '12'
  const time = text(at, { hour: is12 ? 'numeric' : '2-digit', minute: '2-digit', hour12: is12 })
  return dayOf(at) === dayOf(new Date(Date.now() - ahead_ms)) ? time : `${dayOf(at)}, ${time}`
}

function lose() {
  if (isLost) return
  isLost = true
  // It may wait for an answer that will never come.
  asking?.abort()
  const strip = document.getElementById('lost')
  const [line, lead, button] = ['p', 'strong', 'button'].map((name) => document.createElement(name))
  lead.textContent = `Connection lost since ${clockText(new Date(heard.wall - ahead_ms), strip.dataset)}.`
  line.append(lead, ' The states below are from then. This page reconnects on its own.')
  button.type = 'button'
  button.textContent = 'Try now'
  button.addEventListener('click', tryAgain)
  strip.replaceChildren(line, button)
  document.documentElement.classList.add('is-lost')
  document.title = `Connection lost · ${document.title}`
  document.querySelector('link[rel=icon]')?.setAttribute('href', strip.dataset.icon)
}

function find() {
  if (!isLost) return
  isLost = false
  document.getElementById('lost').replaceChildren()
  document.documentElement.classList.remove('is-lost')
}

/** The stream may be one that nobody serves any more. */
function tryAgain() {
  hush()
  listen()
  void poll()
}

/** Asks for the page again, once however often it is called. */
function refresh(spread_ms = 0) {
  if (isOver || due) return
  const rest_ms = Math.max(0, restUntil - performance.now())
  due = setTimeout(
    () => {
      due = undefined
      void ask()
    },
    rest_ms + Math.random() * spread_ms,
  )
}

async function ask() {
  if (isAsking) return refresh(500)
  isAsking = true
  const began = performance.now()
  const answer = await fetchPage()
  isAsking = false
  if (isOver) return
  if (!answer) {
    restUntil = performance.now() + POLL_MS
    return refresh(POLL_MS)
  }
  const page = answer.text && new DOMParser().parseFromString(answer.text, 'text/html')
  const news = page && page.querySelector('meta[name=live]')
  if (news?.dataset.org !== meta.dataset.org) return leave()
  version = news.content
  heard = instant()
  find()
  show(page)
  restUntil = performance.now() + Math.min(MOST_REST_MS, (performance.now() - began) * SHARE)
}

/** Without a text if there is no such page any more for whoever asks; undefined: try again later. */
async function fetchPage() {
  asking = new AbortController()
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(PAGE_MS)])
  try {
    const answer = await fetch(location.pathname + location.search, { redirect: 'manual', signal })
    if (answer.ok) return { text: await answer.text() }
    return answer.type === 'opaqueredirect' || /40[134]/.test(answer.status) ? {} : undefined
  } catch {
    return undefined
  }
}

function stop() {
  isOver = true
  clearTimeout(due)
  hush()
}

function hush() {
  stream?.close()
  stream = undefined
}

function listen() {
  if (stream || isOver || performance.now() - refusedAt < AGAIN_MS) return
  const mine = new EventSource(`/live?v=${encodeURIComponent(version)}`)
  stream = mine
  mine.onopen = hear
  mine.addEventListener('beat', hear)
  mine.onmessage = ({ data }) => {
    hear()
    refresh(Number(data))
  }
  const goWithout = () => {
    if (stream !== mine) return
    hush()
    refusedAt = performance.now()
  }
  mine.addEventListener('lost', goWithout)
  // Otherwise the browser connects again by itself.
  mine.onerror = () => mine.readyState === EventSource.CLOSED && goWithout()
}

async function poll() {
  const answer = await fetch('/live/version', { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined)
  if (isOver || !answer?.ok) return
  if (answer.status === 204) return leave()
  hear()
  if ((await answer.text()) !== version) refresh()
}

function beginLive() {
  for (const part of partsOf(document)) parts.set(part.dataset.live, copyOf(part))
  let [lookedAt, hiddenAt, oftenAt] = [performance.now(), Infinity, performance.now()]
  const isOften = /^\/(checks|heartbeats)\/[^/]+$/.test(location.pathname)
  let [turned, wokeAt] = [instant(), -Infinity]
  const turn = () => {
    const now = performance.now()
    if (isOver) return
    if (since(turned) > SLEPT_MS) {
      wokeAt = now
      lookedAt = -Infinity
    }
    turned = instant()
    if (document.hidden && now - hiddenAt >= HIDE_MS) hush()
    if (!document.hidden) listen()
    if (isOften && !document.hidden && now - oftenAt >= OFTEN_MS) {
      oftenAt = now
      refresh(1_000)
    }
    const isDue = document.hidden ? !stream && now - lookedAt >= HIDDEN_POLL_MS : now - lookedAt >= SILENT_MS
    if (isDue && (document.hidden || since(heard) >= SILENT_MS)) {
      lookedAt = now
      if (isLost) tryAgain()
      else void poll()
    }
    if (!document.hidden && since(heard) >= LOST_MS && now - wokeAt >= WAKE_MS) lose()
  }
  document.addEventListener('visibilitychange', () => {
    hiddenAt = document.hidden ? performance.now() : Infinity
    if (!document.hidden) {
      wokeAt = performance.now()
      lookedAt = -Infinity
    }
    if (!document.hidden && !stream && !isOver) {
      refusedAt = -Infinity
      listen()
    }
  })
  // Browsers keep pages that one went away from, and end their streams.
  window.addEventListener('pagehide', hush)
  window.addEventListener('pageshow', ({ persisted }) => persisted && refresh())
  document.addEventListener('live-refresh', () => refresh())
  listen()
  setInterval(turn, 1_000)
}
if (meta && window.EventSource) beginLive()
