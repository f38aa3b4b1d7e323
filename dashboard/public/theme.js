// Runs before the first paint, so that a dark page never flashes white.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('countersign.theme')
  } catch {
    // Storage may be forbidden; the system's setting decides then.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})()
