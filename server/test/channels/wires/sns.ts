import { text, type Wire } from '../wire.ts'

function problem(code: string) {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>x</Message></Error></ErrorResponse>`
}

export const snsWire: Wire = {
  given: { user: 'AKIDEXAMPLE', secret: 'secret', from: 'Shop', region: 'eu-west-1' },
  path: '/',
  headers: {
    authorization:
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/sns\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
  },
  body: {
    Action: 'Publish',
    Version: '2010-03-31',
    PhoneNumber: '+14155550123',
    Message: text,
    'MessageAttributes.entry.1.Name': 'AWS.SNS.SMS.SMSType',
    'MessageAttributes.entry.1.Value.DataType': 'String',
    'MessageAttributes.entry.1.Value.StringValue': 'Transactional',
    'MessageAttributes.entry.2.Name': 'AWS.SNS.SMS.SenderID',
    'MessageAttributes.entry.2.Value.DataType': 'String',
    'MessageAttributes.entry.2.Value.StringValue': 'Shop',
  },
  answers: [
    [
      200,
      '<PublishResponse xmlns="https://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>567910cd-659e-55d4-8ccb-5aaf14679dc0</MessageId></PublishResult></PublishResponse>',
      'accepted',
      '567910cd-659e-55d4-8ccb-5aaf14679dc0',
    ],
    [400, problem('InvalidParameter'), 'refused', 'InvalidParameter'],
    [400, problem('OptedOut'), 'unreachable', 'OptedOut'],
    [400, problem('RequestExpired'), 'broken', 'RequestExpired'],
    [400, problem('Throttling'), 'retry', 'Throttling'],
    [403, problem('SignatureDoesNotMatch'), 'broken', 'SignatureDoesNotMatch'],
    [403, problem('AuthorizationError'), 'broken', 'AuthorizationError'],
    [500, problem('InternalError'), 'retry', 'InternalError'],
  ],
  receipts: [],
}
