import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import X from 'lucide-react/icons/x'
import { Close, Description, Provider, Root, Viewport } from 'radix-ui/toast'
import { dismissToast, useToasts } from '#lib/toast.ts'
import { IconButton } from './button.tsx'
import { CopyText } from './copy.tsx'

const doneMs = 4_000
const problemMs = 12_000

export const Toaster = () => (
  <Provider swipeDirection="right" label="Notification">
    {useToasts().map(({ id, tone, text, requestId }) => (
      <Root
        key={id}
        type={tone === 'problem' ? 'foreground' : 'background'}
        duration={tone === 'problem' ? problemMs : doneMs}
        onOpenChange={(isOpen) => {
          if (!isOpen) dismissToast(id)
        }}
        className="flex animate-rise items-start gap-2.5 rounded-lg border bg-surface py-2.5 pr-2 pl-3 text-sm shadow-pop"
      >
        {tone === 'problem' ? (
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden="true" />
        ) : (
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden="true" />
        )}
        <div className="min-w-0 flex-1">
          <Description>{text}</Description>
          {requestId && <CopyText text={requestId} label="Copy the request id" className="-ml-1" />}
        </div>
        <Close asChild>
          <IconButton size="sm" label="Dismiss" className="-my-1">
            <X aria-hidden="true" />
          </IconButton>
        </Close>
      </Root>
    ))}
    <Viewport className="fixed right-4 bottom-4 z-60 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 outline-none print:hidden" />
  </Provider>
)
