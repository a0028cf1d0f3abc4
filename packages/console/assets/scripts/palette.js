// The command palette: the search over the page, by Ctrl-K or Cmd-K, or by the link to it. A combobox with a list.
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const links = [...document.querySelectorAll('[data-palette]')]
const WAIT_MS = 120

for (const link of links) {
  const key = link.querySelector('kbd')
  if (!key) continue
  key.textContent = isMac ? '⌘K' : 'Ctrl K'
  key.hidden = false
}

const make = (tag, attributes, text) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  if (text !== undefined) element.textContent = text
  return element
}

// The token of a form is on every page: in the form that signs out.
const send = ({ action, fields }) => {
  const form = make('form', { method: 'post', action, hidden: '' })
  const csrf = document.querySelector('input[name=csrf]')?.value ?? ''
  for (const [name, value] of Object.entries({ csrf, ...fields })) {
    form.append(make('input', { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
}

const openPalette = () => {
  const dialog = make('dialog', { class: 'palette', 'aria-label': 'Search' })
  const input = make('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search checks, monitors, pages and actions',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-autocomplete': 'list',
    placeholder: 'Search checks, monitors, pages and actions',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '100',
  })
  const list = make('ul', { role: 'listbox', id: 'palette-list', 'aria-label': 'Results' })
  const status = make('p', { role: 'status' }, 'Searching…')
  dialog.append(input, list, status)
  document.body.append(dialog)
  let entries = []
  let at = 0
  let asked
  // What was found last was searched for by this text. Enter waits for what is being typed.
  let foundBy
  let isEntered = false
  let timer

  const select = (index) => {
    at = entries.length === 0 ? 0 : (index + entries.length) % entries.length
    for (const [i, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(i === at))
    const option = list.children[at]
    if (option) input.setAttribute('aria-activedescendant', option.id)
    else input.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }
  const show = (found) => {
    entries = found
    list.replaceChildren(
      ...found.map(({ kind, label, note, state }, i) => {
        const option = make('li', { role: 'option', id: `palette-${i}` })
        option.append(make('span', {}, label))
        if (state) option.append(make('span', { class: 'bad' }, 'Down'))
        if (note) option.append(make('small', {}, note))
        option.append(make('span', { class: 'kind' }, kind[0].toUpperCase() + kind.slice(1)))
        return option
      }),
    )
    select(0)
    status.textContent =
      found.length === 0 ? 'No results.' : `${found.length} results. Arrow keys select, Enter opens, Esc closes.`
  }
  const search = async () => {
    asked?.abort()
    asked = new AbortController()
    const { signal } = asked
    const text = input.value
    try {
      const answer = await fetch(`/search.json?q=${encodeURIComponent(text)}`, { signal })
      if (!answer.ok) throw new Error(String(answer.status))
      const { found } = await answer.json()
      if (signal.aborted) return
      foundBy = text
      show(found)
      if (isEntered) go(entries[0])
      isEntered = false
    } catch {
      if (!signal.aborted) status.textContent = 'Search is unavailable. Try again soon.'
    }
  }
  const go = (entry, isNewTab) => {
    if (!entry) return
    if (entry.post) return send(entry.post)
    if (isNewTab) return window.open(entry.href, '_blank', 'noopener')
    location.assign(entry.href)
    dialog.close()
  }

  // What is still being searched for by an earlier text must not answer an Enter after this one.
  input.addEventListener('input', () => {
    isEntered = false
    asked?.abort()
    clearTimeout(timer)
    timer = setTimeout(() => void search(), WAIT_MS)
  })
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      select(at + step)
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      if (foundBy === input.value) go(entries[at], event.ctrlKey || event.metaKey)
      else isEntered = true
    }
  })
  list.addEventListener('click', (event) => {
    const index = [...list.children].indexOf(event.target.closest('[role=option]'))
    go(entries[index], event.ctrlKey || event.metaKey)
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => {
    asked?.abort()
    clearTimeout(timer)
    dialog.remove()
  })
  dialog.showModal()
  input.focus()
  void search()
}

if (links.length > 0) {
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return
    if (!(isMac ? event.metaKey : event.ctrlKey)) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) openPalette()
  })
  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-palette]')
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    openPalette()
  })
}
