import type { ChannelName, ProviderAnswer, WhatsappMode } from '@countersign/contract'
import { accountName } from '#components/providers/account-names.ts'
import { Card } from '#components/ui/card.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { FirstLoad, Problem } from '#components/ui/problem.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { channelNames } from '#contract'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { channelLabels } from '#lib/format.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { type Carriers, useCarriers } from '../api/use-carriers.ts'

const modeWords: Readonly<Record<WhatsappMode, string>> = {
  template: 'You send the person a template with the code.',
  link_code: 'The person writes to you through a link, and you answer with the code.',
  link_inbound:
    'The person writes to you through a link, and that approves the verification. There is no code.',
}

const channelWords = (channel: ChannelName, mode: WhatsappMode): string =>
  ({
    sms: 'A text message to a phone number.',
    whatsapp: modeWords[mode],
    telegram: 'A message from the Telegram Gateway, which has its own text.',
    email: 'An email.',
  })[channel]

export function ChannelSwitches({ appId }: { readonly appId: string }) {
  const { channels } = useApp(appId)
  const { carriersOf, wasAnswered, error, retry } = useCarriers(appId)
  const isAllOff = channelNames.every((channel) => !channels[channel].enabled)
  return (
    <Card title="Channels of this app" description="Routing skips channels that are off." isFlush>
      {isAllOff && (
        <div className="px-4 pb-3">
          <Notice tone="warn" title="Every channel is off, so every send is refused." />
        </div>
      )}
      {error && (
        <Problem
          error={error}
          title="The accounts that carry these channels could not be loaded"
          onRetry={retry}
          className="border-0 pt-0"
        />
      )}
      <ul className="border-t">
        {channelNames.map((channel) => (
          <li
            key={channel}
            className="grid gap-x-6 gap-y-1 border-b px-4 py-3 last:border-b-0 md:grid-cols-2"
          >
            <ChannelSwitch appId={appId} channel={channel} />
            <FirstLoad isOver={wasAnswered}>
              <CarriedBy carriers={carriersOf(channel)} />
            </FirstLoad>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function ChannelSwitch({ appId, channel }: { readonly appId: string; readonly channel: ChannelName }) {
  const { channels } = useApp(appId)
  const { reason } = useMayChangeApp(appId)
  const isOn = channels[channel].enabled
  const change = useSettingsChange(appId, { says: `${channelLabels[channel]} is ${isOn ? 'off' : 'on'}.` })
  return (
    <Switch
      label={channelLabels[channel]}
      hint={channelWords(channel, channels.whatsapp.mode)}
      isOn={isOn}
      disabledReason={reason}
      // A refusal has already been shown.
      onChange={(enabled) => void change({ channels: { [channel]: { enabled } } }).catch(() => {})}
    />
  )
}

const noteOf = (owner: string, { state }: ProviderAnswer) =>
  `(${owner}${state.status === 'failing' ? ', failing' : ''})`

function CarriedBy({ carriers }: { readonly carriers: Carriers | null }) {
  if (!carriers) return <p className="text-sm">&nbsp;</p>
  const { own, operators, hasSimulator } = carriers
  const accounts = [
    ...own.map(
      (account) => [account.provider_id, accountName(account), noteOf('your own', account)] as const,
    ),
    ...(operators?.map(
      (account) => [account.provider_id, accountName(account), noteOf('the operator’s', account)] as const,
    ) ?? [['operator', 'the operator’s accounts', 'if there are any'] as const]),
  ]
  // The simulator never takes over from a real account that fails.
  const isSimulatorNeeded = ![...own, ...(operators ?? [])].some(({ countries }) => countries === null)
  const simulator = (
    <>
      <span className="font-medium text-ink">the simulator</span>{' '}
      <span className="text-faint">(reaches nobody)</span>
    </>
  )
  return (
    <p className="text-sm text-muted max-md:pl-11">
      {accounts.length > 0 && (
        <>
          Carried by{' '}
          {accounts.map(([id, name, note], index) => (
            <span key={id}>
              {index > 0 && ', then '}
              <span className="font-medium text-ink">{name}</span> <span className="text-faint">{note}</span>
            </span>
          ))}
          .{hasSimulator && isSimulatorNeeded && <> What none of them covers goes to {simulator}.</>}
        </>
      )}
      {accounts.length === 0 && hasSimulator && <>Carried by {simulator}.</>}
      {accounts.length === 0 && !hasSimulator && (
        <span className="text-warn">No account carries this channel, so it is skipped.</span>
      )}
    </p>
  )
}
