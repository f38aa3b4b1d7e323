import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readDeliveryStatus } from './delivery-status.ts'

const notice = (...recipients: string[]) =>
  `Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.x.org

${recipients.join('\n\n')}
--b--
`

const qmail = (reason: string) => `From: MAILER-DAEMON@mx.x.org
Subject: failure notice

Hi. This is the qmail-send program at mx.x.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<u@x.org>:
${reason}

--- Below this line is a copy of the message.

Subject: Your code
`

const read = (mail: string) => {
  const receipt = readDeliveryStatus(Buffer.from(mail.replaceAll('\n', '\r\n')), 'dlv_01')
  return receipt && [receipt.status, receipt.error?.code, receipt.unreachable]
}

it('where the status says nothing, the words of the server that refused decide', () => {
  for (const [fields, expected] of [
    // As Exim, Courier and others report every failure.
    ['Status: 5.0.0\nDiagnostic-Code: smtp; 550 5.1.1 <u@x.org>... no', ['failed', '5.1.1', true]],
    ['Status: 5.0.0\nDiagnostic-Code: smtp; 550-5.1.1 gone\n 550 5.1.1 gone', ['failed', '5.1.1', true]],
    ['Status: 5.0.0\nDiagnostic-Code: smtp; 550 5.7.1 User unknown to us', ['failed', '5.7.1', false]],
    ['Status: 5.2.0\nDiagnostic-Code: SMTP; 550 Unknown user u@x.org', ['failed', '5.2.0', true]],
    ['Diagnostic-Code: smtp; 550 u@x.org... No such user', ['failed', '5.0.0', true]],
    ['Status: 5.0.0\nDiagnostic-Code: smtp; 550 Sender domain does not exist', ['failed', '5.0.0', false]],
    ['Status: 5.2.2\nDiagnostic-Code: smtp; 552 5.1.1 User unknown', ['failed', '5.2.2', false]],
    ['Status: 4.4.7\nDiagnostic-Code: smtp; 450 4.1.1 User unknown', ['failed', '4.4.7', false]],
    ['Status: 5.0.0', ['failed', '5.0.0', false]],
  ] as const) {
    assert.deepEqual(read(notice(`Action: failed\n${fields}`)), expected, fields)
  }
})

it('of a mail that was forwarded to several, one that got it decides, and then whether any exists', () => {
  const gone = 'Final-Recipient: rfc822; a@x.org\nAction: failed\nStatus: 5.1.1'
  const full = 'Final-Recipient: rfc822; b@x.org\nAction: failed\nStatus: 5.2.2'
  const got = 'Final-Recipient: rfc822; c@x.org\nAction: delivered\nStatus: 2.0.0'
  const late = 'Final-Recipient: rfc822; d@x.org\nAction: delayed\nStatus: 4.4.1'
  for (const [recipients, expected] of [
    [
      [gone, got],
      ['delivered', undefined, false],
    ],
    [
      [got, gone],
      ['delivered', undefined, false],
    ],
    [
      [gone, full],
      ['failed', '5.1.1', false],
    ],
    [
      [gone, gone],
      ['failed', '5.1.1', true],
    ],
    [
      [late, full],
      ['failed', '5.2.2', false],
    ],
    [[late, late], null],
  ] as const) {
    assert.deepEqual(read(notice(...recipients)), expected, recipients.join())
  }
})

it('reads the plain notices of qmail, and no other mail that people or their servers write', () => {
  for (const [reason, expected] of [
    ['Sorry, no mailbox here by that name. (#5.1.1)', ['failed', '5.1.1', true]],
    ['192.0.2.1 failed.\nRemote host said: 550 5.1.1 <u@x.org>... no\nGiving up.', ['failed', '5.1.1', true]],
    ['192.0.2.1 does not like recipient.\nRemote host said: 550 Unknown user', ['failed', '5.0.0', true]],
    ['Remote host said: 450 4.2.2 Mailbox full\nGiving up.', ['failed', '4.2.2', false]],
    ["I wasn't able to establish an SMTP connection. (#4.4.1)", ['failed', '4.4.1', false]],
  ] as const) {
    assert.deepEqual(read(qmail(reason)), expected, reason)
  }
  const quoted = qmail('no (#5.1.1)').replace(/<u@x.org>:\n.*\n\n/, '')
  for (const mail of [
    quoted.replace('Subject: Your code', '<u@x.org>:\nno (#5.1.1)'),
    qmail('no').replace('Hi. This is the', 'Hi! This is the'),
    'Auto-Submitted: auto-replied\nSubject: Out of office\n\nI am away.\n\n<u@x.org>:\nno (#5.1.1)\n',
    'Subject: Hi. This is the\n\n<u@x.org>:\nno (#5.1.1)\n',
  ]) {
    assert.equal(read(mail), null, mail)
  }
})

const exim = (
  reason: string,
  subject = 'Mail delivery failed: returning message to sender',
) => `X-Failed-Recipients: u@x.org
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.x.org>
Subject: ${subject}

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  u@x.org
${reason}

------ This is a copy of the message, including all the headers. ------

Subject: Your code

    550 5.1.1 User unknown
`

it('reads the plain notices of Exim, and none that says that a mail is late', () => {
  const refused = '    SMTP error from remote mail server after RCPT TO:<u@x.org>:\n    550 5.1.1 gone'
  const encoded = '=?UTF-8?B?TWFpbCBkZWxpdmVyeSBmYWlsZWQ=?='
  assert.deepEqual(read(exim(refused, encoded)), ['failed', '5.1.1', true])
  for (const [reason, expected] of [
    [refused, ['failed', '5.1.1', true]],
    ['    host mx.x.org [192.0.2.1]: 550 Unknown user', ['failed', '5.0.0', true]],
    ['    retry timeout exceeded', ['failed', '5.0.0', false]],
    ['', ['failed', '5.0.0', false]],
  ] as const)
    assert.deepEqual(read(exim(reason)), expected, reason)
  for (const mail of [
    exim(refused, 'Warning: message 1abc delayed 24 hours'),
    exim(refused, 'Delivery Status Notification (Delay)'),
    exim(refused, '=?UTF-8?B?RGVsaXZlcnkgU3RhdHVzIE5vdGlmaWNhdGlvbiAo?=\n =?UTF-8?B?RGVsYXkp?='),
    exim(refused, '=?iso-8859-1?Q?Warning:_message_1abc_is_late?='),
    exim(refused).replace('X-Failed-Recipients', 'X-Other'),
    exim(refused).replaceAll('\n\n', '\n'),
  ])
    assert.equal(read(mail), null, mail)
})
