import type { Preset } from '../preset.ts'

/** Publish to a phone number: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const sns: Preset = {
  label: 'Amazon SNS',
  asks: {
    base_url: 'Endpoint of your region',
    user: 'Access key ID',
    secret: 'Secret access key',
    from: 'Sender ID',
  },
  settings: {
    base_url: 'https://sns.us-east-1.amazonaws.com',
    path: '/',
    auth: 'aws',
    body_type: 'form',
    body: [
      'Action=Publish',
      'Version=2010-03-31',
      'PhoneNumber={to}',
      'Message={text}',
      'MessageAttributes.entry.1.Name=AWS.SNS.SMS.SMSType',
      'MessageAttributes.entry.1.Value.DataType=String',
      'MessageAttributes.entry.1.Value.StringValue=Transactional',
      'MessageAttributes.entry.2.Name=AWS.SNS.SMS.SenderID',
      'MessageAttributes.entry.2.Value.DataType=String',
      'MessageAttributes.entry.2.Value.StringValue={from}',
    ].join('\n'),
    message_id_at: ['<MessageId>{}</MessageId>'],
    code_at: ['<Code>{}</Code>'],
    codes: {
      'Throttl*': 'busy',
      InternalError: 'retry',
      AuthorizationError: 'broken',
      ExpiredToken: 'broken',
      IncompleteSignature: 'broken',
      InvalidClientTokenId: 'broken',
      OptedOut: 'unreachable',
      RequestExpired: 'broken',
      SignatureDoesNotMatch: 'broken',
    },
    error_at: ['<Message>{}</Message>'],
    // Amazon reports on messages in its own logs only.
    receipts: 'none',
  },
}
