import { Content, List, Root, Trigger } from 'radix-ui/tabs'
import { type ReactNode, useEffect, useRef } from 'react'

interface Tab {
  readonly value: string
  readonly label: ReactNode
  readonly content: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (value: string) => void
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const open = tabs.findIndex((tab) => tab.value === value)
  // On a phone not all tabs fit, so the open one is scrolled into sight.
  useEffect(() => {
    if (list.current) showTab(list.current, open)
  }, [open])
  return (
    <Root
      // If focus opened tabs, a tab would ask again about unsaved changes, right after somebody chose to stay.
      activationMode="manual"
      value={value}
      onValueChange={onChange}
    >
      {/* Not a border of the list: a scrolling list cuts off its overlap, in WebKit also the mark of the open tab. */}
      <div className="mb-4 border-b">
        <List
          ref={list}
          aria-label={label}
          className="relative -mb-px flex gap-5 overflow-x-auto [scrollbar-width:thin]"
        >
          {tabs.map((tab) => (
            <Trigger
              key={tab.value}
              value={tab.value}
              className="border-b-2 border-transparent py-2 text-sm focus-visible:-outline-offset-2 whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              {tab.label}
            </Trigger>
          ))}
        </List>
      </div>
      {tabs.map((tab) => (
        <Content key={tab.value} value={tab.value}>
          {tab.content}
        </Content>
      ))}
    </Root>
  )
}

/** Not with scrollIntoView, which also moves the page, and makes the Tab key start there instead of at the top. */
function showTab(list: HTMLElement, index: number): void {
  const tab = list.children[index]
  if (!(tab instanceof HTMLElement)) return
  const { offsetLeft: start, offsetWidth } = tab
  const end = start + offsetWidth
  if (start < list.scrollLeft) list.scrollLeft = start
  else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth
}
