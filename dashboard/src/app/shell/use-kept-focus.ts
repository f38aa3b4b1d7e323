import { type RefObject, useEffect } from 'react'

const places = 'section, form, [role="tabpanel"], main'

/** The parts of the page around an element, the innermost first. */
function placesAround(element: Element): readonly HTMLElement[] {
  const place = element.parentElement?.closest(places)
  return place instanceof HTMLElement ? [place, ...placesAround(place)] : []
}

/**
 * A button may disappear when it is pressed, with a row that was removed or a form that was saved. The focus then stays
 * in the part of the page where it was, instead of going to the top.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const content = main.current
    if (!content) return
    let last: Element | null = null
    let around: readonly HTMLElement[] = []
    const remember = ({ target }: FocusEvent) => {
      // A dialog is outside the content: the element that opened it stays remembered.
      if (!(target instanceof Element && content.contains(target))) return
      last = target
      around = placesAround(target)
    }
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected || document.activeElement !== document.body) return
      // An open dialog hides the page around it, and keeps the focus itself.
      if (content.closest('[aria-hidden="true"]')) return
      const place = around.find(({ isConnected }) => isConnected)
      if (place && !place.hasAttribute('tabindex')) place.tabIndex = -1
      place?.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', remember)
    observer.observe(content, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      observer.disconnect()
    }
  }, [main])
}
