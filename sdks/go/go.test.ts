/** The Go client's own tests, against the service, in a folder with the README's program beside them. */
import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useService } from '../../e2e/harness/service.ts'
import { missing, run, setStage } from '../backend-stage.ts'

const own = fileURLToPath(new URL('.', import.meta.url))
const service = useService()
const skip = missing('go version')

/** The flags with which Go's standard library has been compiled. */
async function compiledWith(): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ['../../scripts/compile-go.mjs'], { cwd: own, env: {} })
  return JSON.parse(stdout)
}

/** A test of the README's program, from outside of it. */
const asked = `package shop

import (
	"context"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"example.com/shop/internal/countersign"
)

func TestShop(t *testing.T) {
	ctx, phone := context.Background(), os.Getenv("README_RECIPIENT")
	first, err := Start(ctx, "form", phone, "81.2.69.142")
	again, errAgain := Start(ctx, "form", phone, "81.2.69.142")
	if err != nil || errAgain != nil || first != again {
		t.Fatal(first, again, err, errAgain)
	}
	for _, mistyped := range []string{"12345", "1234567", "", "code"} {
		if isRight, err := Finish(ctx, first, mistyped); isRight || err != nil {
			t.Fatal(mistyped, isRight, err)
		}
	}
	if isRight, err := Finish(ctx, "otp_unknown", "123456"); isRight || err == nil {
		t.Fatal(isRight, err)
	}
	if proven, err := SignUp(ctx, os.Getenv("VERIFICATION_TOKEN")); err != nil || proven != os.Getenv("TOKEN_RECIPIENT") {
		t.Fatal(proven, err)
	}
	event := countersign.WebhookEvent{ID: "evt_1", Type: "otp.approved"}
	body, header, err := countersign.SignTestPayload(event, os.Getenv("WEBHOOK_SECRET"))
	for text, status := range map[string]int{string(body): 204, string(body) + " ": 400} {
		answer, request := httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(text))
		request.Header = header
		if Webhook(answer, request); err != nil || answer.Code != status {
			t.Fatal(text, answer.Code, err)
		}
	}
}
`

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-go-'))
  // A module as the README describes it: with the package inside, and a program that uses it.
  const inside = join(folder, 'internal/countersign')
  await mkdir(inside, { recursive: true })
  for (const file of await readdir(own))
    if (file.endsWith('.go')) await cp(join(own, file), join(inside, file))
  for (const table of ['written.json', 'answers.json'])
    await cp(join(own, '..', table), join(folder, 'internal', table))
  await writeFile(join(folder, 'go.mod'), 'module example.com/shop\n\ngo 1.21\n')
  const [, program] = /^```go\n(.*?)^```$/ms.exec(await readFile(join(own, 'README.md'), 'utf8')) ?? []
  await writeFile(join(folder, 'shop.go'), program ?? assert.fail('the README has no program'))
  await writeFile(join(folder, 'shop_test.go'), asked)
})
after(() => rm(folder, { recursive: true, force: true }))

test('the Go client and the program of its README are written as Go writes them', {
  skip,
}, async () => {
  const { stdout } = await run('gofmt', ['-l', '.'], { cwd: folder, env: {} })
  assert.equal(stdout, '', 'gofmt would write it otherwise')
})

test('the Go client and the program of its README pass their tests, those against the service included', {
  skip,
}, async () => {
  const goEnv = { GOTOOLCHAIN: 'local', GOFLAGS: '', GOPROXY: 'off' }
  const compiled = join(folder, 'compiled/')
  // First, since it may take minutes: a webhook is refused as too old after five.
  await run('go', ['test', '-c', '-o', compiled, '-vet=off', ...(await compiledWith()), './...'], {
    cwd: folder,
    env: goEnv,
  })
  const env = { ...(await setStage(service())), WEBHOOK_SECRET: 'whsec_of_the_test' }
  for (const [name, cwd] of [
    ['shop.test', folder],
    ['countersign.test', join(folder, 'internal/countersign')],
  ] as const)
    await run(join(compiled, name), [], { cwd, env })
})
