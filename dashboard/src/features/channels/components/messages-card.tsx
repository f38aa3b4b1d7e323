import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useApp } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'
import { useUnsaved } from '#lib/unsaved.ts'
import type { Draft } from '../draft.ts'
import type { ChannelsSearch } from '../search.ts'
import { LocaleSelect } from './locale-select.tsx'
import { MessageEditor } from './message-editor.tsx'

const route = getRouteApi('/shell/a/$appId/channels')

export function MessagesCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const { text: channel = 'sms', locale = app.default_locale } = route.useSearch()
  const navigate = useNavigate()
  const locales = useQuery({ ...queryOf('listLocales', {}), staleTime: Number.POSITIVE_INFINITY })
  // Unsaved texts outlive a look at another language.
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft | undefined>>>({})
  useUnsaved(Object.values(drafts).some((draft) => draft !== undefined))
  const change = (part: ChannelsSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true })
  const key = `${channel} ${locale}`
  return (
    <Card
      title="Messages"
      description="Texts are shipped in many languages. Where you write your own, it is used instead."
      actions={
        <>
          <Segmented
            label="Channel of the text"
            value={channel}
            options={[
              ['sms', 'SMS'],
              ['whatsapp', 'WhatsApp'],
              ['email', 'Email'],
            ]}
            onChange={(text) => change({ text })}
          />
          {locales.data && (
            <LocaleSelect
              shipped={locales.data.locales}
              own={Object.keys(app.messages[channel])}
              standard={app.default_locale}
              value={locale}
              onChange={(next) => change({ locale: next })}
            />
          )}
        </>
      }
    >
      <Loaded query={locales} loading={<SkeletonRows />}>
        {({ locales: shipped }) => (
          <MessageEditor
            key={key}
            appId={appId}
            channel={channel}
            locale={locale}
            isShipped={shipped.includes(locale)}
            draft={drafts[key] ?? null}
            onDraft={(draft) => setDrafts((before) => ({ ...before, [key]: draft ?? undefined }))}
          />
        )}
      </Loaded>
    </Card>
  )
}
