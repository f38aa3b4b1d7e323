import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '#components/ui/page.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { settingLabels } from '#lib/setting-labels.ts'
import { AutofillCard } from './components/autofill-card.tsx'
import { ChannelSwitches } from './components/channel-switches.tsx'
import { MessagesCard } from './components/messages-card.tsx'
import { OwnAccounts } from './components/own-accounts.tsx'
import { WhatsappModeCard } from './components/whatsapp-mode-card.tsx'
import { channelTabs } from './search.ts'

const route = getRouteApi('/shell/a/$appId/channels')

export function ChannelsPage() {
  const { appId } = route.useParams()
  const { tab = 'channels' } = route.useSearch()
  const navigate = useNavigate()
  return (
    <Page
      title={settingLabels.channels}
      description="How codes are sent, who carries them, and what they say."
    >
      <Tabs
        key={appId}
        label="Channels"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: '.',
            search: (before) => ({ ...before, tab: channelTabs.find((one) => one === next) }),
          })
        }
        tabs={[
          {
            value: 'channels',
            label: 'Channels',
            content: (
              <div className="flex flex-col gap-5">
                <ChannelSwitches appId={appId} />
                <WhatsappModeCard appId={appId} />
              </div>
            ),
          },
          { value: 'accounts', label: 'Provider accounts', content: <OwnAccounts appId={appId} /> },
          {
            value: 'messages',
            label: 'Messages',
            content: (
              <div className="flex flex-col gap-5">
                <MessagesCard appId={appId} />
                <AutofillCard appId={appId} />
              </div>
            ),
          },
        ]}
      />
    </Page>
  )
}
