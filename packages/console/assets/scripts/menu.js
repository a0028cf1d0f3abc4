// The menu on phones: Escape closes it. The menus of the sidebar, and those of a button, close when something else is clicked.
const OPEN = '.side details[open], .choices[open]'
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  if (location.hash === '#menu') location.hash = '#main'
  for (const menu of document.querySelectorAll(OPEN)) menu.open = false
})
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll(OPEN)) {
    if (!menu.contains(event.target)) menu.open = false
  }
})
