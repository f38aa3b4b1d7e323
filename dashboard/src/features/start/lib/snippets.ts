/** The two calls of a verification, ready to paste. */

/** Refused if it is sent. An example number may belong to somebody, who would get a message. */
export const recipientPlaceholder = '+…'
const keyPlaceholder = 'otp_sk_…'
export const otpIdPlaceholder = 'otp_…'

interface Call {
  readonly baseUrl: string
  readonly secret: string | null
}

export interface Snippet {
  readonly value: string
  readonly label: string
  /** The name of the file that the code is meant for. */
  readonly file: string
  readonly send: (call: Call, recipient: string) => string
  readonly verify: (call: Call, otpId: string, code: string) => string
}

const keyOf = ({ secret }: Call) => secret ?? keyPlaceholder

const curl = (call: Call, path: string, body: string) => `curl -s ${call.baseUrl}/api/v1${path} \\
  -H "Authorization: Bearer ${keyOf(call)}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`

const node = (call: Call, rest: string) => `import { Countersign } from '@countersign/node'

const countersign = new Countersign('${keyOf(call)}', { baseUrl: '${call.baseUrl}' })

${rest}`

const python = (call: Call, path: string, body: string, shown: string) => `import json
import urllib.request

request = urllib.request.Request(
    "${call.baseUrl}/api/v1${path}",
    data=json.dumps(${body}).encode(),
    headers={"Authorization": "Bearer ${keyOf(call)}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request, timeout=15) as answer:
    print(json.load(answer)["${shown}"])`

const go = (call: Call, path: string, body: string) => `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${body}\`)
	request, _ := http.NewRequest("POST", "${call.baseUrl}/api/v1${path}", body)
	request.Header.Set("Authorization", "Bearer ${keyOf(call)}")
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.Status, string(text))
}`

const php = (call: Call, path: string, body: string, shown: string) => `<?php
$call = curl_init('${call.baseUrl}/api/v1${path}');
curl_setopt_array($call, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Authorization: Bearer ${keyOf(call)}', 'Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(${body}),
]);
$answer = json_decode(curl_exec($call), true);
echo $answer['${shown}'], PHP_EOL;`

const sendBody = (recipient: string) => `{"recipient": "${recipient}"}`
const verifyBody = (otpId: string, code: string) => `{"otp_id": "${otpId}", "code": "${code}"}`

export const snippets: readonly Snippet[] = [
  {
    value: 'curl',
    label: 'curl',
    file: 'Terminal',
    send: (call, recipient) => curl(call, '/otp/send', sendBody(recipient)),
    verify: (call, otpId, code) => curl(call, '/otp/verify', verifyBody(otpId, code)),
  },
  {
    value: 'node',
    label: 'Node',
    file: 'verify.mjs',
    send: (call, recipient) =>
      node(
        call,
        `const { otpId, maskedRecipient } = await countersign.otp.send({ recipient: '${recipient}' })
console.log(otpId, maskedRecipient)`,
      ),
    verify: (call, otpId, code) =>
      node(
        call,
        `const { matched } = await countersign.otp.verify({ otpId: '${otpId}', code: '${code}' })
console.log(matched)`,
      ),
  },
  {
    value: 'python',
    label: 'Python',
    file: 'verify.py',
    send: (call, recipient) => python(call, '/otp/send', sendBody(recipient), 'otp_id'),
    verify: (call, otpId, code) => python(call, '/otp/verify', verifyBody(otpId, code), 'matched'),
  },
  {
    value: 'go',
    label: 'Go',
    file: 'main.go',
    send: (call, recipient) => go(call, '/otp/send', sendBody(recipient)),
    verify: (call, otpId, code) => go(call, '/otp/verify', verifyBody(otpId, code)),
  },
  {
    value: 'php',
    label: 'PHP',
    file: 'verify.php',
    send: (call, recipient) => php(call, '/otp/send', `['recipient' => '${recipient}']`, 'otp_id'),
    verify: (call, otpId, code) =>
      php(call, '/otp/verify', `['otp_id' => '${otpId}', 'code' => '${code}']`, 'status'),
  },
]

/** A recipient with characters that could end a string, such as a quote, is not put into code that people paste. */
export const recipientInPrograms = (recipient: string | null): string =>
  recipient !== null && /^[\p{L}\p{N}+@._%-]+$/u.test(recipient) ? recipient : recipientPlaceholder
