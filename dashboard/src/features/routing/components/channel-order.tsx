import type { ChannelName } from '@countersign/contract'
import {
  type Announcements,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { channelNames } from '#contract'
import { channelLabels } from '#lib/format.ts'
import {
  announceCancel,
  announceDrop,
  announceLift,
  announceMove,
  type Channels,
  instructions,
  move,
  type Order,
} from '../lib/order.ts'
import { ChannelRow } from './channel-row.tsx'

interface ChannelOrderProps {
  readonly label: string
  readonly order: Order
  readonly channels: Channels
  readonly onChange: (order: Order) => void
  /** Called when a row is lifted or dropped: while it is lifted, Escape belongs to it. */
  readonly onLift?: (isLifted: boolean) => void
}

/** Pixels that a press must travel to be a drag. */
const dragDistance = 4

export function ChannelOrder({ label, order, channels, onChange, onLift }: ChannelOrderProps) {
  const [said, setSaid] = useState('')
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragDistance } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const step = (channel: ChannelName, from: number, to: number) => {
    onChange(move(order, from, to))
    setSaid(announceMove(order, channel, to))
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{
        announcements: announcementsFor(order),
        screenReaderInstructions: { draggable: instructions },
      }}
      onDragStart={() => onLift?.(true)}
      onDragCancel={() => onLift?.(false)}
      onDragEnd={({ active, over }) => {
        onLift?.(false)
        if (over) onChange(move(order, indexOf(order, active.id), indexOf(order, over.id)))
      }}
    >
      <SortableContext items={[...order]} strategy={verticalListSortingStrategy}>
        <ol aria-label={label} className="flex flex-col gap-1.5">
          {order.map((channel, index) => (
            <ChannelRow
              key={channel}
              channel={channel}
              index={index}
              count={order.length}
              isOff={!channels[channel].enabled}
              onMove={(to) => step(channel, index, to)}
              onRemove={() => onChange(order.filter((one) => one !== channel))}
            />
          ))}
        </ol>
      </SortableContext>
      <p role="status" className="sr-only">
        {said}
      </p>
      <Unused order={order} channels={channels} onAdd={(channel) => onChange([...order, channel])} />
    </DndContext>
  )
}

const indexOf = (order: readonly UniqueIdentifier[], id: UniqueIdentifier) => order.indexOf(id)

function announcementsFor(order: Order): Announcements {
  const about = (id: UniqueIdentifier, say: (channel: ChannelName) => string) => {
    const channel = order.find((one) => one === id)
    return channel && say(channel)
  }
  return {
    onDragStart: ({ active }) => about(active.id, (channel) => announceLift(order, channel)),
    onDragOver: ({ active, over }) =>
      over ? about(active.id, (channel) => announceMove(order, channel, indexOf(order, over.id))) : undefined,
    onDragEnd: ({ active, over }) =>
      about(active.id, (channel) =>
        over ? announceDrop(order, channel, indexOf(order, over.id)) : announceCancel(channel),
      ),
    onDragCancel: ({ active }) => about(active.id, announceCancel),
  }
}

interface UnusedProps {
  readonly order: Order
  readonly channels: Channels
  readonly onAdd: (channel: ChannelName) => void
}

function Unused({ order, channels, onAdd }: UnusedProps) {
  const unused = channelNames.filter((channel) => !order.includes(channel))
  if (unused.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
      Not in this order:
      {unused.map((channel) => (
        <Button key={channel} size="sm" onClick={() => onAdd(channel)}>
          <Plus aria-hidden="true" />
          Add {channelLabels[channel]}
          {!channels[channel].enabled && ' (off)'}
        </Button>
      ))}
    </div>
  )
}
