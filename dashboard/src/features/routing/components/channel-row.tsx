import type { ChannelName } from '@countersign/contract'
import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import GripVertical from 'lucide-react/icons/grip-vertical'
import X from 'lucide-react/icons/x'
import { useEffect, useRef } from 'react'
import { IconButton } from '#components/ui/button.tsx'
import { cx } from '#lib/classes.ts'
import { channelLabels } from '#lib/format.ts'

interface ChannelRowProps {
  readonly channel: ChannelName
  readonly index: number
  readonly count: number
  /** Whether the channel is switched off for the app. */
  readonly isOff: boolean
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}

export function ChannelRow({ channel, index, count, isOff, onMove, onRemove }: ChannelRowProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id: channel, attributes: { roleDescription: 'sortable channel' } })
  const keepFocus = useKeptFocus(index)
  const name = channelLabels[channel]
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      className={cx(
        'flex items-center gap-1 rounded-md border bg-surface py-1 pr-1',
        isDragging && 'relative z-10 border-accent shadow-pop',
      )}
    >
      <button
        {...attributes}
        {...listeners}
        ref={setActivatorNodeRef}
        type="button"
        aria-label={`Reorder ${name}`}
        className="grid h-8 w-8 shrink-0 cursor-grab touch-none place-items-center rounded-md text-faint hover:text-ink disabled:cursor-not-allowed disabled:opacity-55 pointer-coarse:h-10"
      >
        <GripVertical className="size-4" aria-hidden="true" />
      </button>
      <span className="figures w-4 text-right text-sm text-faint" aria-hidden="true">
        {index + 1}
      </span>
      <span className="ml-2 min-w-0 flex-1 text-sm">
        <span className={cx('font-medium', isOff && 'text-faint')}>{name}</span>
        {isOff && <span className="block text-xs text-faint">Off for this app, so it is skipped</span>}
      </span>
      <IconButton
        size="sm"
        label={`Move ${name} up`}
        disabledReason={index === 0 ? `${name} is already first` : undefined}
        onClick={(event) => keepFocus(event.currentTarget, () => onMove(index - 1))}
      >
        <ArrowUp aria-hidden="true" />
      </IconButton>
      <IconButton
        size="sm"
        label={`Move ${name} down`}
        disabledReason={index === count - 1 ? `${name} is already last` : undefined}
        onClick={(event) => keepFocus(event.currentTarget, () => onMove(index + 1))}
      >
        <ArrowDown aria-hidden="true" />
      </IconButton>
      <IconButton
        size="sm"
        label={`Remove ${name} from the order`}
        disabledReason={count === 1 ? 'An order needs at least one channel' : undefined}
        onClick={onRemove}
      >
        <X aria-hidden="true" />
      </IconButton>
    </li>
  )
}

/** Keeps the focus on a row that is moved: browsers drop it when an element moves in the page. */
function useKeptFocus(index: number) {
  const kept = useRef<HTMLElement | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the row has moved
  useEffect(() => {
    kept.current?.focus()
    kept.current = null
  }, [index])
  return (element: HTMLElement, act: () => void) => {
    kept.current = element
    act()
  }
}
