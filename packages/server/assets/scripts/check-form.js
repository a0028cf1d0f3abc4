// Whoever ticks a monitor means this one, and not all of them: the choice above it follows. The server reads it likewise.
document.addEventListener('change', ({ target }) => {
  if (target.name !== 'monitors' || !target.checked) return
  const chosen = target.form?.querySelector('input[name=who][value=chosen]')
  if (chosen) chosen.checked = true
})
