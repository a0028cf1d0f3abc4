// A route or maintenance window shows the fields of the scope that was chosen, and sends no others. A faulty field stays.
for (const scope of document.querySelectorAll('select[name=scope]')) {
  const show = () => {
    for (const place of scope.form.querySelectorAll('[data-scope]')) {
      const isForeign = place.dataset.scope !== scope.value && !place.querySelector('[aria-invalid]')
      place.hidden = isForeign
      place.querySelector('input, select').disabled = isForeign
    }
  }
  scope.addEventListener('change', show)
  // A browser that goes back restores what was chosen.
  addEventListener('pageshow', show)
  show()
}
