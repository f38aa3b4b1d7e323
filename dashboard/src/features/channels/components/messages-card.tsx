import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Card } from '#components/ui/card.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { channelLabels, languageName } from '#lib/format.ts'
import { useLocales } from '#lib/locales.ts'
import { useUnsaved } from '#lib/unsaved.ts'
import { hasUnsavedDraft, messageChange, type TextValues, textValues } from '../lib/draft.ts'
import type { ChannelsSearch } from '../search.ts'
import { LocaleSelect } from './locale-select.tsx'
import { MessageEditor } from './message-editor.tsx'

const route = getRouteApi('/shell/a/$appId/channels')

export function MessagesCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const { text: channel = 'sms', locale = app.default_locale } = route.useSearch()
  const navigate = useNavigate()
  const locales = useLocales()
  const what = `The ${languageName(locale)} text for ${channelLabels[channel]}`
  // One form for all languages, so that an unsaved text stays while another is shown. Only the one in sight is saved.
  const form = useSettingsForm<TextValues>(app, {
    initial: textValues(app.messages),
    change: ({ messages }) => messageChange(channel, locale, messages[channel][locale] ?? null),
    says: `${what} is saved.`,
    refreshes: ['lintMessage'],
  })
  useUnsaved(hasUnsavedDraft(form.values, app.messages))
  const change = (part: ChannelsSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true })
  return (
    <Card
      title="Messages"
      description="Countersign comes with texts in many languages. If you write your own, it is used instead."
      actions={
        <>
          <Segmented
            label="Channel"
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
            key={`${channel} ${locale}`}
            form={form}
            what={what}
            appId={appId}
            channel={channel}
            locale={locale}
            isShipped={shipped.includes(locale)}
          />
        )}
      </Loaded>
    </Card>
  )
}
