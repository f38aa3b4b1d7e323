/** The app of the key, presented as one of Twilio's services. */
import { assertKnown, type TwilioCall, type TwilioDependencies, urlOf } from './call.ts'
import { assertService } from './find.ts'
import { pageOf } from './page.ts'
import { accountSidOf, dateOf, serviceSidOf } from './present.ts'

const nothing = {
  lookup_enabled: false,
  psd2_enabled: false,
  skip_sms_to_landlines: true,
  dtmf_input_required: false,
  tts_name: null,
  do_not_share_warning_enabled: false,
  custom_code_enabled: false,
  push: null,
  totp: null,
  default_template_sid: null,
  whatsapp: null,
  passkeys: null,
  verify_event_subscription_enabled: false,
}

function serviceBody(dependencies: Pick<TwilioDependencies, 'publicUrl'>, { principal }: TwilioCall) {
  const { app } = principal
  const sid = serviceSidOf(app)
  const url = urlOf(dependencies, `/Services/${sid}`)
  return {
    sid,
    account_sid: accountSidOf(app),
    friendly_name: app.name,
    code_length: app.settings.code_length,
    ...nothing,
    date_created: dateOf(app.createdAt),
    date_updated: dateOf(app.createdAt),
    url,
    links: { verifications: `${url}/Verifications`, verification_checks: `${url}/VerificationCheck` },
  }
}

export async function fetchService(dependencies: TwilioDependencies, call: TwilioCall) {
  assertService(call)
  assertKnown(call.fields, [])
  return serviceBody(dependencies, call)
}

/** A key belongs to one app, so there is one service. */
export async function listServices(dependencies: TwilioDependencies, call: TwilioCall) {
  assertKnown(call.fields, ['PageSize', 'Page', 'PageToken'])
  return pageOf(dependencies, 'services', '/Services', call.fields, {
    rows: [serviceBody(dependencies, call)],
    nextToken: null,
  })
}
