import { type RefObject, useEffect } from 'react'

const places = 'section, form, [role="tabpanel"], main'

/** The parts of the page around an element, the innermost first. */
function placesAround(element: Element): readonly HTMLElement[] {
  const place = element.parentElement?.closest(places)
  return place instanceof HTMLElement ? [place, ...placesAround(place)] : []
}

/**
 * What had the focus may go away by being pressed: a row that was removed, a form that was saved. The keyboard then goes
 * on in the part of the page where it was, and not at the top.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const content = main.current
    if (!content) return
    let last: Element | null = null
    let around: readonly HTMLElement[] = []
    const remember = ({ target }: FocusEvent) => {
      // A dialog is drawn elsewhere: what opened it is where one was.
      if (!(target instanceof Element && content.contains(target))) return
      last = target
      around = placesAround(target)
    }
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected || document.activeElement !== document.body) return
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
