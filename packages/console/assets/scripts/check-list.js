// The list of checks: keys, selecting, and filters that apply at once. Without scripts, the form has buttons for all of it.
const bulk = document.getElementById('bulk')
const filters = document.querySelector('form.filters')
const keysDialog = document.getElementById('keys')

if (filters) {
  filters.addEventListener('change', ({ target }) => {
    if (target.matches('select, input[type=checkbox]')) filters.requestSubmit()
  })
  // An empty field says nothing: the address stays short.
  filters.addEventListener('submit', () => {
    for (const field of filters.querySelectorAll('input, select')) field.disabled = field.value === ''
  })
  window.addEventListener('pageshow', () => {
    for (const field of filters.elements) field.disabled = false
  })
}

if (bulk) {
  const bar = bulk.querySelector('.bulk')
  const label = bar.querySelector('[data-selected]')
  const ticks = () => [...bulk.querySelectorAll('input[name=check]')]
  const all = bulk.querySelector('[data-select-all]')
  const everywhere = bulk.querySelector('input[name=all_matching]')
  let last
  const count = () => {
    const boxes = ticks()
    const on = new Set(boxes.filter((box) => box.checked).map((box) => box.value)).size
    const chosen = everywhere?.checked ? Number(bulk.elements.matching.value) : on
    label.textContent = chosen === 0 ? 'Selected checks:' : `${chosen} selected:`
    bar.classList.toggle('is-on', chosen > 0)
    if (all) {
      all.checked = on > 0 && boxes.every((box) => box.checked)
      all.indeterminate = on > 0 && !all.checked
    }
  }
  if (all) all.hidden = false
  bulk.addEventListener('change', ({ target }) => {
    if (target === all) for (const box of ticks()) box.checked = all.checked
    count()
  })
  // With the shift key, all from the last one to this one.
  bulk.addEventListener('click', (event) => {
    const { target } = event
    if (target.name !== 'check') return
    const boxes = ticks()
    const [from, to] = [boxes.indexOf(last), boxes.indexOf(target)].sort((a, b) => a - b)
    if (event.shiftKey && from >= 0) for (const box of boxes.slice(from, to + 1)) box.checked = target.checked
    last = target
    count()
  })
  count()
}

if (keysDialog) {
  const hint = document.querySelector('p.keys')
  hint.hidden = false
  hint.querySelector('button').addEventListener('click', () => keysDialog.showModal())
  const rows = () => [...document.querySelectorAll('tr[data-row]')]
  const move = (step) => {
    const all = rows()
    const at = all.indexOf(document.activeElement?.closest('tr[data-row]'))
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step]
    next?.querySelector('td.name a').focus()
  }
  const DOES = {
    '/': () => filters?.elements.q.select(),
    j: () => move(1),
    k: () => move(-1),
    x: () => document.activeElement?.closest('tr[data-row]')?.querySelector('input[name=check]')?.click(),
    '?': () => keysDialog.showModal(),
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (document.querySelector('dialog[open]')) return
    if (event.target.closest?.('input:not([type=checkbox]), select, textarea, [contenteditable]')) return
    const does = Object.hasOwn(DOES, event.key) ? DOES[event.key] : undefined
    if (!does) return
    event.preventDefault()
    does()
  })
}
