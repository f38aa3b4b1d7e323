/** Checks the PHP of the page about moving from Twilio against the class that it extends. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { missing, run } from './backend-stage.ts'

const page = fileURLToPath(new URL('../docs/twilio.md', import.meta.url))
const skip = missing('php -v')

/** The parts of Twilio's library that the snippet uses, with the same signatures (twilio/sdk 8). */
const library = `
namespace Twilio\\AuthStrategy { abstract class AuthStrategy {} }
namespace Twilio\\Http {
  class CurlClient {
    public function options(string $method, string $url, array $params = [], array $data = [], array $headers = [],
        ?string $user = null, ?string $password = null, ?int $timeout = null,
        ?\\Twilio\\AuthStrategy\\AuthStrategy $authStrategy = null): array {
      return func_get_args();
    }
  }
}
namespace Twilio\\Rest {
  class Client {
    public function __construct(public $username, public $password, public $account, public $region, public $http) {}
  }
}
`

test('in PHP the address changes, and nothing else of the call', { skip }, async () => {
  const [, snippet] = /^```php\n(.*?)^```$/ms.exec(await readFile(page, 'utf8')) ?? []
  assert.ok(snippet, 'the page has no snippet')
  const folder = await mkdtemp(join(tmpdir(), 'countersign-php-'))
  try {
    const asked = `
$passed = ['GET', 'https://verify.twilio.com/v2/Services?To=%2B1', ['a' => 'b'], [], ['H' => '1'], 'AC1', 'otp_sk_1', 9];
echo json_encode([$client->http->options(...$passed), $client->username, $client->password]);`
    const program = `<?php\n${library}\nnamespace {\n$accountSid = 'AC1'; $serverKey = 'otp_sk_1';\n${snippet}\n${asked}\n}\n`
    await writeFile(join(folder, 'snippet.php'), program)
    const args = ['-n', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr', 'snippet.php']
    const { stdout, stderr } = await run('php', args, { cwd: folder, env: {} })
    assert.equal(stderr, '')
    const url = 'https://otp.example.com/twilio/v2/Services?To=%2B1'
    const call = ['GET', url, { a: 'b' }, [], { H: '1' }, 'AC1', 'otp_sk_1', 9]
    assert.deepEqual(JSON.parse(stdout), [call, 'AC1', 'otp_sk_1'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
