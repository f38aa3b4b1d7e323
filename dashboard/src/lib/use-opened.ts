/** The address says which dialog is open (`?open=…`), so that the command palette and links can open one. */
import { useNavigate, useSearch } from '@tanstack/react-router'

export function useOpened(name: string): readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const { open } = useSearch({ strict: false })
  const navigate = useNavigate()
  const setOpen = (isOpen: boolean) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, open: isOpen ? name : undefined }),
      replace: !isOpen,
      // Whoever closes a form that is filled in was asked, or has pressed Cancel.
      ignoreBlocker: true,
    })
  return [open === name, setOpen]
}
