import DownloadIcon from 'lucide-react/icons/download'
import { useEffect, useRef, useState } from 'react'
import { downloadCsv } from '#lib/download.ts'
import { formatCount, plural } from '#lib/format.ts'
import { toast, toastProblem } from '#lib/toast.ts'
import { Button } from './button.tsx'

/** The most rows that a file has. */
const mostRows = 100_000

interface DownloadButtonProps {
  /** The path of the list's call, with its filters. */
  readonly path: string
  readonly name: string
  readonly label?: string
  readonly disabledReason?: string | undefined
}

/** Downloads the whole list as a file. It shows the progress, and can be stopped. */
export function DownloadButton({ path, name, label = 'CSV', disabledReason }: DownloadButtonProps) {
  const [rows, setRows] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async () => {
    const controller = new AbortController()
    running.current = controller
    setRows(0)
    try {
      const { signal } = controller
      const done = await downloadCsv({ path, name, onRows: setRows, signal })
      toast(
        done < mostRows
          ? `${plural(done, 'row')} saved as ${name}`
          : `The newest ${formatCount(mostRows)} rows are saved as ${name}; older rows are not included`,
      )
    } catch (error) {
      if (!controller.signal.aborted) toastProblem(error)
    }
    setRows(null)
  }
  if (rows === null) {
    return (
      <Button size="sm" onClick={() => void start()} disabledReason={disabledReason}>
        <DownloadIcon aria-hidden="true" /> {label}
      </Button>
    )
  }
  return (
    <span className="flex items-center gap-2 text-sm text-muted">
      <span role="status">{plural(rows, 'row')} so far…</span>
      <Button size="sm" onClick={() => running.current?.abort()}>
        Stop
      </Button>
    </span>
  )
}
